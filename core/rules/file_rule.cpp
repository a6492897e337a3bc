#include "core/rules/file_rule.h"

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/error.h"
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

// A line of @COLORS: "state red green blue", or the colours of state 1 and of the last one, between
// which the others lie.
void read_colours(FileLines& lines, std::vector<std::optional<FileColour>>& colours) {
  std::vector<int> numbers;
  for (std::string_view word = lines.word(","); FileLines::digits(word) && numbers.size() < 6;
       word = lines.word(","))
    numbers.push_back(static_cast<int>(lines.number(word, 0, 255, "a state or part of a colour")));
  if (numbers.size() < 4) {
    lines.fail(
        "a colour is spelled as state, red, green and blue, or as two colours that others "
        "lie between; numbers of 0 to 255 are accepted");
  }
  const auto colour = [&](std::size_t from) {
    const auto part = [&](std::size_t i) { return static_cast<std::uint8_t>(numbers[from + i]); };
    return FileColour{part(0), part(1), part(2)};
  };
  if (numbers.size() < 6) {
    const auto state = static_cast<std::size_t>(numbers[0]);
    if (state < colours.size()) colours[state] = colour(1);
    return;
  }
  const int last = static_cast<int>(colours.size()) - 1;
  for (int s = 1; s <= last; s++) {
    const auto between = [&](std::size_t i) {
      const int from = numbers[i], to = numbers[i + 3];
      return static_cast<std::uint8_t>(last > 1 ? from + (to - from) * (s - 1) / (last - 1) : from);
    };
    colours[static_cast<std::size_t>(s)] = FileColour{between(0), between(1), between(2)};
  }
}

void read_name(FileLines& lines, std::vector<std::string>& names) {
  const auto state =
      static_cast<std::size_t>(lines.number(lines.word(""), 0, kMostStates - 1, "a state"));
  if (state < names.size()) names[state] = std::string(lines.rest().substr(0, 80));
}

enum class Section { other, colours, names };

// @COLORS and @NAMES, which may stand before the number of states is known.
void read_looks(std::string_view text, const std::string& path, FileRule& rule) {
  rule.colours.resize(static_cast<std::size_t>(rule.states));
  rule.names.resize(static_cast<std::size_t>(rule.states));
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

FileRule parse_rule_file(std::string_view text, const std::string& path) {
  if (text.size() > kMostRuleFileBytes) {
    throw InputError(path + ": a rule file of " + std::to_string(text.size()) + " bytes; at most " +
                     std::to_string(kMostRuleFileBytes) + " are accepted");
  }
  FileRule rule;
  rule.name = stem_of(path);
  const std::string_view ending = rule_file_ending(path);
  rule.path = rule.name + std::string(ending.empty() ? ".rule" : ending);
  rule.text = text;
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
  read_looks(text, path, rule);
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
