#pragma once

#include <optional>

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

}  // namespace tessera
