#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace tessera {

/// What the command lines of all programs have in common: --help, an aligned column of options with
/// descriptions wrapped at 100 columns, and --version. To be called before
/// options are declared.
void set_up(CLI::App& app, const char* version);

/// Parses a command line. Returns the exit code of a program that is done with that: 0 after --help
/// and --version, whose text it prints; kBadInput after one line on standard error that says what
/// is wrong, where, and what is accepted.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

/// The subcommands that --help lists, in its order; those of an empty group are for other programs.
std::vector<const CLI::App*> visible_subcommands(const CLI::App& app);

/// A subcommand by its name. Throws InputError, with what is nearest to it and what is accepted,
/// for one that there is not.
const CLI::App& find_subcommand(const CLI::App& app, const std::string& name);

/// What --help prints for the program, or for one of its subcommands.
std::string help_of(const CLI::App& app);

}  // namespace tessera
