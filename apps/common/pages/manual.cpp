#include "apps/common/pages/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace tessera {
namespace {

// Text that roff prints as it is: backslashes and hyphens are escaped, and so are the characters
// that make a line a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.')) out.insert(0, "\\&");
  return out;
}

std::string bold(const std::string& text) { return fmt::format("\\fB{}\\fR", roff(text)); }
std::string italic(const std::string& text) { return fmt::format("\\fI{}\\fR", roff(text)); }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string item(const OptionOutline& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", bold(name));
  if (!option.value.empty())
    names += fmt::format("{}{}", names.empty() ? "" : " ", italic(option.value));
  return fmt::format(".TP\n{}\n{}\n", names, roff(option.help));
}

std::string options_text(const CommandOutline& command) {
  std::string text, group;
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n";
  for (const OptionOutline& each : command.arguments) text += item(each);
  if (!command.options.empty()) text += ".SH OPTIONS\n";
  std::vector<std::string> groups;
  for (const OptionOutline& each : command.options) {
    if (std::find(groups.begin(), groups.end(), each.group) == groups.end())
      groups.push_back(each.group);
  }
  for (const std::string& name : groups) {
    if (groups.size() > 1 && name != "Options") text += fmt::format(".SS {}\n", roff(name));
    for (const OptionOutline& each : command.options) {
      if (each.group == name) text += item(each);
    }
  }
  return text;
}

// The footer of --help: paragraphs, and under "Examples:" lines that are kept as they are.
std::string footer_text(const std::string& footer) {
  std::istringstream lines(footer);
  std::string line, text, examples;
  bool in_examples = false;
  while (std::getline(lines, line)) {
    if (line == "Examples:") {
      in_examples = true;
    } else if (in_examples) {
      const std::size_t start = line.find_first_not_of(' ');
      if (start != std::string::npos) examples += roff(line.substr(start)) + "\n";
    } else if (line.starts_with(' ')) {
      text += fmt::format(".nf\n{}\n.fi\n", roff(line));  // a row of a table
    } else {
      text += line.empty() ? ".PP\n" : roff(line) + "\n";
    }
  }
  while (text.ends_with(".PP\n")) text.resize(text.size() - 4);
  if (!text.empty()) text.insert(0, ".SH NOTES\n");
  if (!examples.empty()) text += fmt::format(".SH EXAMPLES\n.nf\n{}.fi\n", examples);
  return text;
}

std::string synopsis(const CommandOutline& command, const std::string& program) {
  std::string text = bold(program);
  if (command.name != program) text += fmt::format(" {}", bold(command.name));
  text += fmt::format(" [{}]", italic("OPTIONS"));
  for (const OptionOutline& each : command.arguments) {
    const std::string name = italic(each.value) + (each.repeated ? "..." : "");
    text += each.required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  return text + "\n";
}

}  // namespace

std::string manual_page(const CommandOutline& command, const CommandOutline& program,
                        const std::vector<std::string>& see_also, const std::string& version) {
  const bool whole = command.name == program.name;
  const bool outer = whole && !program.subcommands.empty();  // what is done is a subcommand's
  const std::string page = whole ? program.name : program.name + "-" + command.name;
  std::string text = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n", roff(upper(page)),
                                 program.name, version);
  // What is looked up has a first letter in lower case and no full stop.
  std::string what = command.help;
  what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  if (what.ends_with('.')) what.pop_back();
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", roff(page), roff(what));
  text += outer ? fmt::format("{} {} [{}]\n", bold(program.name), italic("SUBCOMMAND"),
                              italic("OPTIONS"))
                : synopsis(command, program.name);
  text += fmt::format(".SH DESCRIPTION\n{}{}\n", roff(command.help),
                      command.help.ends_with('.') || command.help.ends_with('?') ? "" : ".");
  if (outer) {
    text += ".SH SUBCOMMANDS\n";
    for (const CommandOutline& each : program.subcommands) {
      text += fmt::format(".TP\n{}\n{}\n", bold(each.name), roff(each.help));
    }
  }
  text += options_text(command);
  text += footer_text(command.footer);
  if (!outer) {
    text +=
        ".SH EXIT STATUS\n0 done, 1 a failure while running, 2 bad usage or bad input, 3 a "
        "comparison that differs;\n130, 143 or 129 after SIGINT, SIGTERM or SIGHUP, everything "
        "asked for written.\n";
  }
  std::vector<std::string> pages = see_also;
  if (!whole) pages.push_back(program.name);
  for (const CommandOutline& each : program.subcommands) {
    if (each.name != command.name) pages.push_back(program.name + "-" + each.name);
  }
  std::string also;
  for (const std::string& each : pages)
    also += fmt::format("{}{}(1)", also.empty() ? "" : ",\n", bold(each));
  return also.empty() ? text : text + ".SH SEE ALSO\n" + also + "\n";
}

}  // namespace tessera
