#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera {

/// Declares an option whose value is a list separated by commas, as in "--sides 64,128". Given more
/// than once, it adds to the list; given at all, it takes the place of what `values` held.
inline CLI::Option* add_list_option(CLI::App& app, const std::string& name,
                                    std::vector<std::string>& values, const char* type,
                                    const std::string& help) {
  return app.add_option(name, values, help)
      ->type_name(type)
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace tessera
