#pragma once

#include <memory>
#include <string>

namespace CLI {
class App;
class FormatterBase;
class ParseError;
}  // namespace CLI

namespace tessera {

/// Formats --help: an aligned column of options, descriptions wrapped at 100 columns.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The one line that says what is wrong with a command line, where, and what is accepted.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tessera
