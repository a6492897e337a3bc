#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/common/pages/command_outline.h"

namespace tessera {

/// Values of options that only one program knows, by the option's long name.
using ValueWords = std::map<std::string, std::vector<std::string>>;

/// Completion of the command line of `program` for a shell, as a script that the shell reads:
/// subcommands, if there are any, options, the values that are known (backends, kernels, spaces,
/// rules and those of `words`) and names of files and folders. `shell` is "bash", "zsh" or "fish";
/// throws InputError for others.
std::string completion_script(const std::string& shell, const CommandOutline& program,
                              const ValueWords& words);

}  // namespace tessera
