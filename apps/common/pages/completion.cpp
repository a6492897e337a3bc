#include "apps/common/pages/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "apps/common/theme.h"
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
std::vector<std::string> unquoted_rule_names() {
  std::vector<std::string> names;
  for (const NamedRule& rule : named_rules()) {
    std::string name(rule.name);
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandOutline>& commands) {
  std::vector<std::string> names;
  for (const CommandOutline& each : commands) names.push_back(each.name);
  return names;
}

// A program whose completion is written.
struct Completed {
  const CommandOutline& program;
  const ValueWords& words;

  // What a shell calls the function that completes it.
  std::string function() const {
    std::string name = "_" + program.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
  // The subcommands, or the program itself where it has none.
  std::vector<CommandOutline> commands() const {
    return program.subcommands.empty() ? std::vector<CommandOutline>{program} : program.subcommands;
  }
};

Values values_of(const OptionOutline& option, const Completed& completed) {
  const std::string name = option.names.empty() ? "" : option.names.back();
  const auto known = completed.words.find(name);
  Values values;
  if (known != completed.words.end()) {
    values.words = known->second;
  } else if (option.value.starts_with("FILE") || option.value == "PATTERN" ||
             option.value == "IN" || option.value == "OUT") {
    values.files = true;
  } else if (option.value == "DIR") {
    values.folders = true;
  } else if (option.value == "RULE" || option.value == "WORD") {
    values.words = unquoted_rule_names();
  } else if (option.value == "SHELL") {
    values.words = {"bash", "zsh", "fish"};
  } else if (option.value == "SUBCOMMAND") {
    values.words = names_of(completed.program.subcommands);
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
    values.words = {"auto", "peer", "nccl", "host"};
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

std::string bash(const Completed& completed) {
  const CommandOutline& program = completed.program;
  const bool outer = !program.subcommands.empty();
  // Cases are told apart by the subcommand, too, where there is one.
  const auto key = [&](const CommandOutline& command, const std::string& rest) {
    return outer ? fmt::format("'{} {}'", command.name, rest) : fmt::format("'{}'", rest);
  };
  std::string text = fmt::format(
      "# bash completion of {}\n{}() {{\n"
      "  local IFS=$' \\t\\n' word=${{COMP_WORDS[COMP_CWORD]}} "
      "before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}\n",
      program.name, completed.function());
  if (outer) {
    std::vector<std::string> first = names_of(program.subcommands);
    first.insert(first.end(), {"--help", "--version"});
    text += fmt::format("  if ((COMP_CWORD == 1)); then\n    {}\n    return\n  fi\n",
                        bash_words(first));
  }
  const char* subject = outer ? "$command " : "";
  text += fmt::format("  case \"{}$before\" in\n", subject);
  for (const CommandOutline& command : completed.commands()) {
    for (const OptionOutline& option : command.options) {
      if (option.value.empty()) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names) cases.push_back(key(command, name));
      text += fmt::format("    {}) {}; return ;;\n", joined(cases, " | "),
                          bash_values(values_of(option, completed)));
    }
  }
  text += fmt::format("  esac\n  case \"{}$word\" in\n", subject);
  for (const CommandOutline& command : completed.commands()) {
    text += fmt::format("    {}*) {} ;;\n", key(command, "-"), bash_words(names_of(command)));
  }
  for (const CommandOutline& command : completed.commands()) {
    if (command.arguments.empty()) continue;
    text += fmt::format("    {}*) {} ;;\n", key(command, ""),
                        bash_values(values_of(command.arguments.front(), completed)));
  }
  return text + fmt::format("  esac\n}}\ncomplete -F {} {}\n", completed.function(), program.name);
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

std::string zsh_function(const std::string& name, const CommandOutline& command,
                         const Completed& completed) {
  std::string text = fmt::format("\n{}() {{\n  _arguments -s", name);
  for (const OptionOutline& option : command.options) {
    const std::string value = option.value.empty()
                                  ? ""
                                  : fmt::format(":{}:{}", zsh_text(option.value),
                                                zsh_values(values_of(option, completed)));
    const std::string others =
        option.repeated ? "*" : fmt::format("({})", joined(option.names, " "));
    for (const std::string& each : option.names) {
      text += fmt::format(" \\\n    '{}{}[{}]{}'", others, each, zsh_text(option.help), value);
    }
  }
  for (const OptionOutline& argument : command.arguments) {
    text += fmt::format(" \\\n    '{}:{}:{}'", argument.repeated ? "*" : "",
                        zsh_text(argument.value), zsh_values(values_of(argument, completed)));
  }
  return text + "\n}\n";
}

// The function that finds the subcommand's own.
std::string zsh_subcommands(const Completed& completed) {
  std::string text = fmt::format(
      "\n{0}() {{\n  local line state\n  _arguments -C '(- *)--help[Print this help and exit]' "
      "'(- *)--version[Print the version and exit]' \\\n    '1:subcommand:->subcommand' "
      "'*::argument:->argument'\n  case $state in\n    subcommand)\n      local -a commands=(",
      completed.function());
  for (const CommandOutline& command : completed.program.subcommands) {
    text += fmt::format("\n        '{}:{}'", command.name, zsh_text(command.help));
  }
  return text + fmt::format(
                    ")\n      _describe subcommand commands ;;\n    argument) "
                    "(( $+functions[{0}_$line[1]] )) && {0}_$line[1] ;;\n  esac\n}}\n",
                    completed.function());
}

std::string zsh(const Completed& completed) {
  const CommandOutline& program = completed.program;
  const std::string function = completed.function();
  std::string text = fmt::format("#compdef {0}\n# zsh completion of {0}\n", program.name);
  for (const CommandOutline& command : program.subcommands) {
    text += zsh_function(function + "_" + command.name, command, completed);
  }
  text += program.subcommands.empty() ? zsh_function(function, program, completed)
                                      : zsh_subcommands(completed);
  // The completion system runs the file as a function named after it.
  return text + fmt::format(
                    "\nif [ \"$funcstack[1]\" = _{0} ]; then\n  {1} \"$@\"\nelse\n"
                    "  compdef {1} {0}\nfi\n",
                    program.name, function);
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

std::string fish(const Completed& completed) {
  const CommandOutline& program = completed.program;
  std::string text = fmt::format("# fish completion of {0}\ncomplete -c {0} -f\n", program.name);
  if (!program.subcommands.empty()) {
    text += fmt::format(
        "complete -c {0} -n __fish_use_subcommand -l help -d 'Print this help and exit'\n"
        "complete -c {0} -n __fish_use_subcommand -l version -d 'Print the version and exit'\n",
        program.name);
  }
  for (const CommandOutline& command : completed.commands()) {
    std::string begin = fmt::format("complete -c {}", program.name);
    if (!program.subcommands.empty()) {
      text += fmt::format("{} -n __fish_use_subcommand -a {} -d {}\n", begin, command.name,
                          fish_text(command.help));
      begin += fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    }
    for (const OptionOutline& option : command.options) {
      text += begin;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) text += fish_values(values_of(option, completed));
      text += fmt::format(" -d {}\n", fish_text(option.help));
    }
    if (command.arguments.empty()) continue;
    const Values values = values_of(command.arguments.front(), completed);
    if (values.files) text += begin + " -F\n";
    if (!values.words.empty()) text += begin + " -a " + fish_text(joined(values.words, " ")) + "\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const CommandOutline& program,
                              const ValueWords& words) {
  const Completed completed{program, words};
  if (shell == "bash") return bash(completed);
  if (shell == "zsh") return zsh(completed);
  if (shell == "fish") return fish(completed);
  throw InputError(
      fmt::format("SHELL: '{}' is not known; accepted are bash, zsh and fish", printable(shell)));
}

}  // namespace tessera
