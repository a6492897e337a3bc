#pragma once

#include <string>
#include <vector>

#include "apps/tessera/pages/command_outline.h"

namespace tessera {

/// Completion of the command line of `program` for a shell, as a script that the shell reads:
/// subcommands, their options, the values that are known (backends, kernels, spaces, rules, suites)
/// and names of files and folders. `shell` is "bash", "zsh" or "fish"; throws InputError for
/// others.
std::string completion_script(const std::string& shell, const std::string& program,
                              const std::vector<CommandOutline>& commands);

}  // namespace tessera
