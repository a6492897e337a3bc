#include "apps/common/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace tessera {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kOptionColumns = 34;

// Replaces blanks by line feeds, so that no line is longer than `columns`.
std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t length = 0;
  while (words >> word) {
    if (length > 0 && length + 1 + word.size() > columns) {
      out += '\n';
      length = 0;
    }
    if (length > 0) out += ' ';
    out += word;
    length += (length > 0 ? 1 : 0) + word.size();
  }
  return out;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kOptionColumns); }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kColumns - kOptionColumns);
  }
  // Only the type; the usage line shows what is required.
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool named = option->nonpositional() && option->get_type_size() != 0;
    return named ? " " + option->get_type_name() : "";
  }
  // One empty line between groups.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, name, mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  std::string message = error.what();
  const std::string option_name = message.substr(0, message.find(':'));
  if (message.find(" missing") != std::string::npos) message = option_name + " needs a value";
  if (message.find("At Most") != std::string::npos)
    message = option_name + " is given more than once";
  const std::vector<std::string> unknown = at.remaining(true);
  if (!unknown.empty()) {
    const bool option = unknown.front().starts_with('-');
    message = fmt::format("'{}' is not {}", unknown.front(),
                          option           ? "an option"
                          : chosen.empty() ? "a subcommand"
                                           : "expected here: there is no such argument");
  }
  if (!chosen.empty()) {
    return fmt::format("{}: {} (see 'tessera {} --help')", at.get_name(), message, at.get_name());
  }
  std::string names;
  for (const CLI::App* each : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + each->get_name();
  }
  if (unknown.empty()) message = "a subcommand is missing";
  return fmt::format("{}; accepted are {} (see 'tessera --help')", message, names);
}

}  // namespace tessera
