#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/common/command_line.h"
#include "apps/common/console.h"
#include "apps/tessera/command.h"

namespace tessera {

Command add_help(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("help", "Print the help of a subcommand");
  const auto name = std::make_shared<std::string>();
  sub->add_option("SUBCOMMAND", *name, "Name of the subcommand; without one, what there is");
  return {sub, [&app, name] {
            print(name->empty() ? help_of(app) : help_of(find_subcommand(app, *name)));
            return 0;
          }};
}

}  // namespace tessera
