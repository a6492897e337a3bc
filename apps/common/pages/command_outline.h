#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera {

/// An option or argument as the command line declares it.
struct OptionOutline {
  std::vector<std::string> names;  ///< "-g", "--gens"; empty for an argument
  std::string value;               ///< what it takes, "N" or "FILE"; empty for a flag
  std::string help;                ///< one line
  std::string group;               ///< heading in --help
  bool repeated = false;           ///< may be given several times
  bool required = false;
};

/// A program or subcommand as the command line declares it.
struct CommandOutline {
  std::string name;  ///< "run"
  std::string help;  ///< one line
  std::string footer;
  std::vector<OptionOutline> arguments;  ///< by position
  std::vector<OptionOutline> options;
  std::vector<CommandOutline> subcommands;
};

/// What manual pages and completions are made of, read from the definitions that parse the command
/// line, so that they cannot differ: the options and subcommands that --help lists.
CommandOutline outline_of(const CLI::App& command);

}  // namespace tessera
