#include "apps/measure/draw_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/rules/file_rule.h"

namespace tessera {
namespace {

struct Kind {
  const char* neighbourhood;
  int cells;
  std::vector<const char*> symmetries;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll = {
      {"vonNeumann", 5, {"none", "rotate4", "rotate4reflect", "reflect_horizontal", "permute"}},
      {"Moore",
       9,
       {"none", "rotate4", "rotate8", "rotate4reflect", "rotate8reflect", "reflect_horizontal",
        "permute"}},
      {"hexagonal", 7, {"none", "rotate2", "rotate3", "rotate6", "rotate6reflect", "permute"}},
      {"oneDimensional", 3, {"none", "reflect", "permute"}},
  };
  return kAll;
}

std::string table_text(Draw& draw, int states, bool quiet) {
  const Kind& kind = kinds()[static_cast<std::size_t>(draw.below(std::ssize(kinds())))];
  const char* symmetry =
      kind.symmetries[static_cast<std::size_t>(draw.below(std::ssize(kind.symmetries)))];
  std::string text = fmt::format("@TABLE\nn_states:{}\nneighborhood:{}\nsymmetries:{}\n", states,
                                 kind.neighbourhood, symmetry);
  std::vector<std::string> names;
  for (std::int64_t v = draw.between(0, 4); v > 0; v--) {
    // Later names need not come later.
    const std::string name = fmt::format("{}{}", "badc"[v - 1], draw.below(3));
    text += fmt::format("var {}={{", name);
    for (std::int64_t s = draw.between(1, std::min(states, 6)); s > 0; s--) {
      const bool other = !names.empty() && draw.chance(15);
      text += other ? names[static_cast<std::size_t>(draw.below(std::ssize(names)))]
                    : std::to_string(draw.below(states));
      text += s > 1 ? "," : "}\n";
    }
    names.push_back(name);
  }
  std::string empty;
  for (int i = 0; i < kind.cells; i++) empty += "0,";
  if (quiet) text += empty + "0\n";
  for (std::int64_t line = draw.between(1, 14); line > 0; line--) {
    std::vector<std::string> words;
    for (int i = 0; i < kind.cells; i++) {
      words.push_back(!names.empty() && draw.chance(60)
                          ? names[static_cast<std::size_t>(draw.below(std::ssize(names)))]
                          : std::to_string(draw.chance(50) ? 0 : draw.below(states)));
    }
    // What follows is a state, or one of the variables that the line has.
    const std::string& some = words[static_cast<std::size_t>(draw.below(kind.cells))];
    words.push_back(draw.chance(60) ? std::to_string(draw.below(states)) : some);
    text += fmt::format("{}\n", fmt::join(words, ","));
  }
  return text;
}

// A few nodes on each level; of quiet trees the first of each is passed by cells of state 0.
std::string tree_text(Draw& draw, int states, bool quiet) {
  const bool moore = draw.chance(50);
  const int neighbours = moore ? 8 : 4;
  std::string nodes;
  std::int64_t count = 0, below = states;
  for (int level = 1; level <= neighbours + 1; level++) {
    const std::int64_t here = level == neighbours + 1 ? 1 : draw.between(1, 4);
    const std::int64_t first = level == 1 ? 0 : count - below;
    for (std::int64_t node = 0; node < here; node++) {
      nodes += std::to_string(level);
      for (int s = 0; s < states; s++) {
        const bool zero = quiet && s == 0 && node == 0;
        nodes += fmt::format(" {}", first + (zero ? 0 : draw.below(below)));
      }
      nodes += "\n";
    }
    count += here;
    below = here;
  }
  return fmt::format("@TREE\nnum_states={}\nnum_neighbors={}\nnum_nodes={}\n{}", states, neighbours,
                     count, nodes);
}

}  // namespace

std::string draw_rule_file(Draw& draw, bool quiet) {
  const int states = static_cast<int>(draw.chance(85)   ? draw.between(2, 6)
                                      : draw.chance(80) ? draw.between(7, 40)
                                                        : draw.between(200, kMostStates));
  return draw.chance(75) ? table_text(draw, states, quiet) : tree_text(draw, states, quiet);
}

Rule draw_file_rule(Draw& draw, bool quiet) {
  // Named by what it says, so that it is found again by its name.
  FileRule rule = parse_rule_file(draw_rule_file(draw, quiet), "drawn.rule");
  rule.name = rule.spelling = fmt::format("drawn-{:016x}", rule.checksum);
  return kept_file_rule(std::move(rule));
}

}  // namespace tessera
