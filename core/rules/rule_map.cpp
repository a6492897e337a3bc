#include "core/rules/rule_map.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

constexpr int kMoore[] = {8, 7, 6, 5, 4, 3, 2, 1, 0};
constexpr int kHexagonal[] = {1, 0, 5, 4, 3, 8, 7};  // S SE W C E NW N
constexpr int kOfAges[] = {8, 7, 5, 4, 3, 1, 0};     // NW N W C E S SE
constexpr int kVonNeumann[] = {7, 5, 4, 3, 1};       // N W C E S

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Characters that hold the 2^cells bits of a map.
std::size_t map_length(RuleFamily family) {
  return ((std::size_t{1} << cells_of(family).size()) + 5) / 6;
}

// The order in which a map counts the cells.
std::span<const int> map_order(RuleFamily family, bool generations) {
  if (generations && family == RuleFamily::map_hexagonal) return kOfAges;
  return cells_of(family);
}

}  // namespace

std::span<const int> cells_of(RuleFamily family) {
  switch (family) {
    case RuleFamily::hexagonal:
    case RuleFamily::map_hexagonal:
      return kHexagonal;
    case RuleFamily::von_neumann:
    case RuleFamily::map_von_neumann:
      return kVonNeumann;
    default:
      return kMoore;
  }
}

int gathered(int pattern, std::span<const int> cells) {
  int number = 0;
  for (const int cell : cells) number = number << 1 | (pattern >> cell & 1);
  return number;
}

int scattered(int number, std::span<const int> cells) {
  int pattern = 0;
  int bit = static_cast<int>(cells.size());
  for (const int cell : cells) pattern |= (number >> --bit & 1) << cell;
  return pattern;
}

bool parse_map(std::string_view text, bool generations, Rule& rule, MapFault& fault) {
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view rest = text.substr(digits);
  if (!rest.empty() && rest != "==") {
    fault = {digits, "base64 has letters, digits, + and /, and may end with =="};
    return false;
  }
  for (const RuleFamily family :
       {RuleFamily::map, RuleFamily::map_hexagonal, RuleFamily::map_von_neumann}) {
    if (digits != map_length(family)) continue;
    rule = {0, 0, family, {}};
    const std::span<const int> order = map_order(family, generations);
    for (int pattern = 0; pattern < kPatterns; pattern++) {
      const auto bit = static_cast<std::size_t>(gathered(pattern, order));
      if (kDigits.find(text[bit / 6]) >> (5 - bit % 6) & 1) rule.table.set(pattern);
    }
    return true;
  }
  fault = {digits,
           "behind MAP 86 characters are expected, 22 for the hexagonal neighbourhood or 6 "
           "for von Neumann's, and there are " +
               std::to_string(digits)};
  return false;
}

std::string map_text(const Rule& rule) {
  const std::span<const int> cells = map_order(rule.family, rule.states() > 2);
  std::vector<unsigned> sextets(map_length(rule.family));
  for (std::size_t bit = 0; bit < std::size_t{1} << cells.size(); bit++) {
    if (rule.table.at(scattered(static_cast<int>(bit), cells))) {
      sextets[bit / 6] |= 1u << (5 - bit % 6);
    }
  }
  std::string text = "MAP";
  for (const unsigned sextet : sextets) text += kDigits[sextet];
  return text;
}

}  // namespace tessera
