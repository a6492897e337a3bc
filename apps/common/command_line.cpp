#include "apps/common/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"

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

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  std::string message = error.what();
  if (app.get_subcommands({}).empty())
    return fmt::format("{} (see '{} --help')", message, app.get_name());
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

}  // namespace

void set_up(CLI::App& app, const char* version) {
  app.set_version_flag("--version", app.get_name() + " " + version, "Print the version and exit");
  app.set_help_flag("--help,-h", "Print this help and exit");
  app.formatter(std::make_shared<HelpFormatter>());
  app.option_defaults()->disable_flag_override();
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(app.version() + '\n');
    return 0;
  } catch (const CLI::ParseError& error) {
    print_error(usage_error(app, error));
    return kBadInput;
  }
}

}  // namespace tessera
