#include "apps/tessera/pages/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "apps/common/theme.h"
#include "apps/tessera/bench/bench_suite.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/rules/rule.h"

namespace tessera {
namespace {

// What may stand where a value is expected.
struct Values {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;
};

std::vector<std::string> backend_names(const char* first) {
  std::vector<std::string> names{first};
  for (const Driver* driver : drivers()) names.emplace_back(driver->name());
  return names;
}

std::vector<std::string> kernel_names(const std::vector<std::string>& first) {
  std::vector<std::string> names = first;
  for (const Driver* driver : drivers()) {
    for (const KernelInfo& kernel : driver->kernels()) {
      if (std::find(names.begin(), names.end(), kernel.name) == names.end())
        names.emplace_back(kernel.name);
    }
  }
  return names;
}

// Names of rules without what shells would have to quote; parse_rule does not mind.
std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const NamedRule& rule : named_rules()) {
    std::string name(rule.name);
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> suite_names() {
  std::vector<std::string> names{"all"};
  for (const BenchSuite& suite : bench_suites()) names.emplace_back(suite.name);
  return names;
}

Values values_of(const OptionOutline& option, const std::vector<CommandOutline>& commands) {
  const std::string name = option.names.empty() ? "" : option.names.back();
  Values values;
  if (option.value.starts_with("FILE") || option.value == "PATTERN" || option.value == "IN" ||
      option.value == "OUT") {
    values.files = true;
  } else if (option.value == "DIR") {
    values.folders = true;
  } else if (option.value == "RULE") {
    values.words = rule_names();
  } else if (option.value == "SHELL") {
    values.words = {"bash", "zsh", "fish"};
  } else if (option.value == "SUBCOMMAND") {
    for (const CommandOutline& each : commands) values.words.push_back(each.name);
  } else if (name.starts_with("--backend")) {
    values.words = backend_names(option.value == "NAME" ? "auto" : "all");
  } else if (name.starts_with("--kernel")) {
    values.words =
        kernel_names(option.value == "NAME" ? std::vector<std::string>{"auto"}
                                            : std::vector<std::string>{"all", "default"});
  } else if (name.starts_with("--space")) {
    values.words = {"auto", "grid", "tiles"};
  } else if (name == "--theme") {
    for (int i = 0; i < kThemes; i++) values.words.emplace_back(name_of(static_cast<Theme>(i)));
  } else if (name == "--colours") {
    values.words = {"cells", "age"};
  } else if (name == "--link") {
    values.words = {"auto", "peer", "host"};
  } else if (name == "--suite") {
    values.words = suite_names();
  }
  return values;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> names_of(const CommandOutline& command) {
  std::vector<std::string> names;
  for (const OptionOutline& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string bash_words(const std::vector<std::string>& words) {
  return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", joined(words, " "));
}

std::string bash_values(const Values& values) {
  if (values.files) return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))";
  if (values.folders) return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))";
  return values.words.empty() ? "COMPREPLY=()" : bash_words(values.words);
}

std::string bash(const std::string& program, const std::vector<CommandOutline>& commands) {
  std::vector<std::string> names;
  for (const CommandOutline& each : commands) names.push_back(each.name);
  std::string text = fmt::format(
      "# bash completion of {0}\n_{0}() {{\n"
      "  local IFS=$' \\t\\n' word=${{COMP_WORDS[COMP_CWORD]}} "
      "before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}\n"
      "  if ((COMP_CWORD == 1)); then\n    {1}\n    return\n  fi\n"
      "  case \"$command $before\" in\n",
      program, bash_words([&] {
        std::vector<std::string> first = names;
        first.insert(first.end(), {"--help", "--version"});
        return first;
      }()));
  for (const CommandOutline& command : commands) {
    for (const OptionOutline& option : command.options) {
      if (option.value.empty()) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names)
        cases.push_back(fmt::format("'{} {}'", command.name, name));
      text += fmt::format("    {}) {}; return ;;\n", joined(cases, " | "),
                          bash_values(values_of(option, commands)));
    }
  }
  text += "  esac\n  case \"$command $word\" in\n";
  for (const CommandOutline& command : commands) {
    text += fmt::format("    '{} -'*) {} ;;\n", command.name, bash_words(names_of(command)));
  }
  for (const CommandOutline& command : commands) {
    if (command.arguments.empty()) continue;
    text += fmt::format("    '{} '*) {} ;;\n", command.name,
                        bash_values(values_of(command.arguments.front(), commands)));
  }
  return text + fmt::format("  esac\n}}\ncomplete -F _{0} {0}\n", program);
}

// Text between brackets of a specification of zsh's, which is in single quotes.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_values(const Values& values) {
  if (values.files) return "_files";
  if (values.folders) return "_files -/";
  return values.words.empty() ? " " : fmt::format("({})", joined(values.words, " "));
}

std::string zsh(const std::string& program, const std::vector<CommandOutline>& commands) {
  std::string text = fmt::format("#compdef {0}\n# zsh completion of {0}\n", program);
  for (const CommandOutline& command : commands) {
    text += fmt::format("\n_{}_{}() {{\n  _arguments -s", program, command.name);
    for (const OptionOutline& option : command.options) {
      const std::string value = option.value.empty()
                                    ? ""
                                    : fmt::format(":{}:{}", zsh_text(option.value),
                                                  zsh_values(values_of(option, commands)));
      const std::string others =
          option.repeated ? "*" : fmt::format("({})", joined(option.names, " "));
      for (const std::string& name : option.names) {
        text += fmt::format(" \\\n    '{}{}[{}]{}'", others, name, zsh_text(option.help), value);
      }
    }
    for (const OptionOutline& argument : command.arguments) {
      text += fmt::format(" \\\n    '{}:{}:{}'", argument.repeated ? "*" : "",
                          zsh_text(argument.value), zsh_values(values_of(argument, commands)));
    }
    text += "\n}\n";
  }
  text += fmt::format(
      "\n_{0}() {{\n  local line state\n  _arguments -C '(- *)--help[Print this help and exit]' "
      "'(- *)--version[Print the version and exit]' \\\n    '1:subcommand:->subcommand' "
      "'*::argument:->argument'\n  case $state in\n    subcommand)\n      local -a commands=(",
      program);
  for (const CommandOutline& command : commands) {
    text += fmt::format("\n        '{}:{}'", command.name, zsh_text(command.help));
  }
  return text + fmt::format(
                    ")\n      _describe subcommand commands ;;\n    argument) "
                    "(( $+functions[_{0}_$line[1]] )) && _{0}_$line[1] ;;\n  esac\n}}\n\n"
                    "if [ \"$funcstack[1]\" = _{0} ]; then\n  _{0} \"$@\"\nelse\n"
                    "  compdef _{0} {0}\nfi\n",
                    program);
}

std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string fish_values(const Values& values) {
  if (values.files) return " -r -F";
  if (values.folders) return " -x -a '(__fish_complete_directories)'";
  return values.words.empty() ? " -x" : " -x -a " + fish_text(joined(values.words, " "));
}

std::string fish(const std::string& program, const std::vector<CommandOutline>& commands) {
  std::string text = fmt::format(
      "# fish completion of {0}\ncomplete -c {0} -f\n"
      "complete -c {0} -n __fish_use_subcommand -l help -d 'Print this help and exit'\n"
      "complete -c {0} -n __fish_use_subcommand -l version -d 'Print the version and exit'\n",
      program);
  for (const CommandOutline& command : commands) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program,
                        command.name, fish_text(command.help));
    const std::string begin =
        fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, command.name);
    for (const OptionOutline& option : command.options) {
      text += begin;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) text += fish_values(values_of(option, commands));
      text += fmt::format(" -d {}\n", fish_text(option.help));
    }
    if (command.arguments.empty()) continue;
    const Values values = values_of(command.arguments.front(), commands);
    if (values.files) text += begin + " -F\n";
    if (!values.words.empty()) text += begin + " -a " + fish_text(joined(values.words, " ")) + "\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::string& program,
                              const std::vector<CommandOutline>& commands) {
  if (shell == "bash") return bash(program, commands);
  if (shell == "zsh") return zsh(program, commands);
  if (shell == "fish") return fish(program, commands);
  throw InputError(
      fmt::format("SHELL: '{}' is not known; accepted are bash, zsh and fish", printable(shell)));
}

}  // namespace tessera
