#include "core/rules/file_rule.h"

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/rules/file_colours.h"
#include "core/rules/file_lines.h"
#include "core/rules/file_table.h"
#include "core/rules/rule_notation.h"

namespace tessera {
namespace {

// The file's name without folders and its ending.
std::string stem_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name.resize(name.size() - rule_file_ending(name).size());
  return name;
}

// Whether cells of state 0 among others like them stay so.
bool stays_quiet(const FileRule& rule) {
  if (rule.tree) {
    const std::vector<std::uint32_t>& children = rule.tree->children;
    const auto states = static_cast<std::size_t>(rule.states);
    std::size_t node = children.size() / states - 1;
    for (std::size_t i = cells_seen(rule.tree->neighbourhood).size(); i > 1; i--)
      node = children[node * states];
    return children[node * states] == 0;
  }
  const std::size_t inputs = cells_seen(rule.table->neighbourhood).size();
  for (const TableLine& line : rule.table->lines) {
    bool fits = true;
    for (std::size_t i = 0; i < inputs; i++)
      fits = fits && rule.table->choices[line.choice[i]].set[0];
    if (fits) return line.next_bound >= 0 || line.next == 0;
  }
  return true;
}

void read_name(FileLines& lines, std::vector<std::string>& names) {
  const auto state =
      static_cast<std::size_t>(lines.number(lines.word(""), 0, kMostStates - 1, "a state"));
  if (state < names.size()) names[state] = std::string(lines.rest().substr(0, 80));
}

enum class Section { other, colours, names };

// @COLORS and @NAMES, which may stand before the number of states is known.
void read_looks(std::string_view text, const std::string& path, FileRule& rule) {
  FileLines lines(text, path);
  Section section = Section::other;
  while (lines.next()) {
    if (lines.section()) {
      section = lines.line() == "@COLORS"  ? Section::colours
                : lines.line() == "@NAMES" ? Section::names
                                           : Section::other;
    } else if (!lines.line().empty()) {
      if (section == Section::colours) read_colours(lines, rule.colours);
      if (section == Section::names) read_name(lines, rule.names);
    }
  }
}

void check_size(std::string_view text, const std::string& path) {
  if (text.size() > kMostRuleFileBytes) {
    throw InputError(path + ": a rule file of " + std::to_string(text.size()) + " bytes; at most " +
                     std::to_string(kMostRuleFileBytes) + " are accepted");
  }
}

// Whether a rule is known by this name without a file.
bool names_another(const std::string& name) {
  try {
    parse_known_rule(name);
    return true;
  } catch (const ParseError&) {
    return false;
  }
}

}  // namespace

const std::vector<SeenCell>& cells_seen(FileNeighbourhood neighbourhood) {
  static const std::vector<SeenCell> kFour{{0, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}},
      kEight{{0, 0}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}},
      kSix{{0, 0}, {0, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}},
      kTwo{{0, 0}, {-1, 0}, {1, 0}};
  switch (neighbourhood) {
    case FileNeighbourhood::von_neumann:
      return kFour;
    case FileNeighbourhood::moore:
      return kEight;
    case FileNeighbourhood::hexagonal:
      return kSix;
    case FileNeighbourhood::one_dimensional:
      break;
  }
  return kTwo;
}

std::string_view rule_file_ending(std::string_view text) {
  const auto found = std::ranges::find_if(
      kRuleFileEndings, [&](std::string_view each) { return text.ends_with(each); });
  return found == kRuleFileEndings.end() ? std::string_view{} : *found;
}

std::string colours_path(const std::string& path) {
  const std::string_view ending = rule_file_ending(path);
  if (ending != ".table" && ending != ".tree") return "";
  return path.substr(0, path.size() - ending.size()) + ".colors";
}

FileRule parse_rule_file(std::string_view text, const std::string& path,
                         std::string_view old_colours) {
  check_size(text, path);
  FileRule rule;
  rule.name = stem_of(path);
  const std::string_view ending = rule_file_ending(path);
  rule.path = rule.name + std::string(ending.empty() ? ".rule" : ending);
  rule.text = text;
  rule.old_colours = old_colours;
  rule.spelling = rule.name;
  if (names_another(rule.name)) rule.spelling.append(ending.empty() ? ".rule" : ending);
  FileLines lines(text, path);
  const auto read_section = [&](bool tree) {
    const std::size_t begin = lines.begin();
    tree ? read_file_tree(lines, rule) : read_file_table(lines, rule);
    const std::string_view section =
        text.substr(begin, (lines.section() ? lines.begin() : text.size()) - begin);
    rule.checksum = XXH3_64bits(section.data(), section.size());
  };
  if (ending == ".table" || ending == ".tree") {
    read_section(ending == ".tree");
    if (lines.section())
      lines.fail("sections belong into a file NAME.rule, not " + std::string(ending));
  } else {
    while (!rule.table && !rule.tree && lines.next()) {
      const bool tree = lines.line() == "@TREE";
      if (tree || lines.line() == "@TABLE") read_section(tree);
    }
    if (!rule.table && !rule.tree)
      throw ParseError(path + ":1:1", "the rule file has neither a @TABLE nor a @TREE");
  }
  rule.quiet = stays_quiet(rule);
  rule.colours.resize(static_cast<std::size_t>(rule.states));
  rule.names.resize(static_cast<std::size_t>(rule.states));
  read_looks(text, path, rule);
  if (const std::string colours = colours_path(path); !colours.empty()) {
    check_size(old_colours, colours);
    read_old_colours(old_colours, colours, rule.colours);
  }
  return rule;
}

namespace {

// All rules that were read, the last one first.
struct Kept {
  std::mutex mutex;
  std::vector<std::unique_ptr<const FileRule>> rules;
};

Kept& kept() {
  static Kept all;
  return all;
}

Rule rule_of(const FileRule& file) {
  Rule out{0, 0, RuleFamily::file, {}};
  out.state_count = static_cast<std::uint16_t>(file.states);
  out.file = &file;
  return out;
}

}  // namespace

Rule kept_file_rule(FileRule rule) {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const auto same = std::ranges::find_if(all.rules, [&](const auto& each) {
    return each->spelling == rule.spelling && each->checksum == rule.checksum &&
           each->colours == rule.colours && each->names == rule.names;
  });
  if (same == all.rules.end()) {
    all.rules.insert(all.rules.begin(), std::make_unique<const FileRule>(std::move(rule)));
  } else {
    std::rotate(all.rules.begin(), same, same + 1);
  }
  return rule_of(*all.rules.front());
}

std::optional<Rule> last_file_rule(std::string_view spelling) {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const auto found =
      std::ranges::find_if(all.rules, [&](const auto& each) { return each->spelling == spelling; });
  if (found == all.rules.end()) return std::nullopt;
  return rule_of(**found);
}

}  // namespace tessera
