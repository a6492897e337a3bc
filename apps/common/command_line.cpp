#include "apps/common/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "core/base/error.h"
#include "core/base/nearest_word.h"

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

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : visible_subcommands(app)) names.push_back(each->get_name());
  return names;
}

// The long names of a program's or a subcommand's options.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "did you mean 'NEAREST'?", or nothing.
std::string suggestion(const std::string& typed, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(typed, words);
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

std::string unknown_option(const CLI::App& at, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  const std::string meant = suggestion(name, option_names(at));
  return fmt::format("'{}' is not an option{}", name, meant.empty() ? "" : "; " + meant);
}

std::string unknown_subcommand(const CLI::App& app, const std::string& typed) {
  const std::vector<std::string> names = subcommand_names(app);
  const std::string meant = suggestion(typed, names);
  return fmt::format("'{}' is not a subcommand; {}", typed,
                     meant.empty() ? "accepted are " + joined(names) : meant);
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  const bool single = app.get_subcommands({}).empty();
  std::string message = error.what();
  const std::string option_name = message.substr(0, message.find(':'));
  if (message.find(" missing") != std::string::npos) message = option_name + " needs a value";
  if (message.find("At Most") != std::string::npos)
    message = option_name + " is given more than once";
  const std::vector<std::string> unknown = at.remaining(true);
  const bool subcommand = chosen.empty() && !single;
  if (!unknown.empty()) {
    const std::string& word = unknown.front();
    if (word.starts_with('-')) {
      message = unknown_option(at, word);
    } else if (subcommand) {
      message = unknown_subcommand(app, word);
    } else {
      message = fmt::format("'{}' is not expected here: it is one argument too many", word);
    }
  }
  if (single) return fmt::format("{} (see '{} --help')", message, app.get_name());
  if (!subcommand) {
    return fmt::format("{}: {} (see 'tessera {} --help')", at.get_name(), message, at.get_name());
  }
  if (unknown.empty()) {
    message =
        fmt::format("a subcommand is missing; accepted are {}", joined(subcommand_names(app)));
  }
  return message + " (see 'tessera --help')";
}

// An empty value, as that of a shell's variable that is not set, is no value.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_size() == 0) continue;  // a flag
    option->check(
        [](const std::string& value) { return value.empty() ? "its value is missing" : ""; });
  }
  for (CLI::App* each : app.get_subcommands({})) refuse_empty_values(*each);
}

}  // namespace

std::vector<const CLI::App*> visible_subcommands(const CLI::App& app) {
  std::vector<const CLI::App*> visible;
  for (const CLI::App* each : app.get_subcommands({})) {
    if (!each->get_group().empty()) visible.push_back(each);
  }
  return visible;
}

const CLI::App& find_subcommand(const CLI::App& app, const std::string& name) {
  for (const CLI::App* each : app.get_subcommands({})) {
    if (each->get_name() == name) return *each;
  }
  throw InputError(unknown_subcommand(app, name));
}

std::string help_of(const CLI::App& app) {
  // CLI::App::help would go on to the subcommand that was chosen.
  const CLI::App* program = app.get_parent();
  const std::string name = (program ? program->get_name() + ' ' : "") + app.get_name();
  return app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal);
}

void set_up(CLI::App& app, const char* version) {
  app.set_version_flag("--version", app.get_name() + " " + version, "Print the version and exit");
  app.set_help_flag("--help,-h", "Print this help and exit");
  app.formatter(std::make_shared<HelpFormatter>());
  app.option_defaults()->disable_flag_override();
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  refuse_empty_values(app);
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
