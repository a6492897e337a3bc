#include "core/rules/rule.h"

#include <bit>
#include <cstddef>

#include "core/rules/file_rule.h"
#include "core/rules/isotropic_letters.h"
#include "core/rules/range_rule.h"
#include "core/rules/rule_map.h"
#include "core/rules/rule_tables.h"

namespace tessera {
namespace {

// The arrangements of `n` neighbours that make a cell live: those letters, or a minus and the rest.
std::string spelled(int n, std::uint16_t named) {
  const std::string_view letters = arrangement_letters(n);
  const std::uint16_t all = all_arrangements(n);
  if (named == 0) return "";
  std::string text(1, static_cast<char>('0' + n));
  if (named == all) return text;
  const auto count = static_cast<std::size_t>(std::popcount(named));
  const bool minus = count > (letters.size() + 1) / 2;  // as Golly decides
  if (minus) text += '-';
  for (std::size_t i = 0; i < letters.size(); i++) {
    if ((named >> i & 1) != minus) text += letters[i];
  }
  return text;
}

// The counts, and their letters, for which a dead or a live cell lives in the next generation.
std::string part_text(const Rule& rule, bool alive) {
  Arrangements named{};
  const int seen = scattered(~0, cells_of(rule.family));
  for (int p = 0; p < kPatterns; p++) {
    if (centre_lives(p) != alive || (p & ~seen) || !rule.next_of(p)) continue;
    std::uint16_t& mask = named[static_cast<std::size_t>(neighbours_in(p))];
    mask = static_cast<std::uint16_t>(mask | 1u << arrangement_of(p));
  }
  std::string text;
  for (int n = 0; n <= 8; n++) {
    const std::uint16_t mask = named[static_cast<std::size_t>(n)];
    const bool letters = rule.family == RuleFamily::isotropic;
    text += spelled(n, letters || mask == 0 ? mask : all_arrangements(n));
  }
  return text;
}

// The number of a rule of Wolfram's: bit k for the neighbours NW N NE as a number k.
int wolfram_number(const Rule& rule) {
  int number = 0;
  for (int k = 0; k < 8; k++) number |= rule.table.at(k << 6) << k;
  return number;
}

}  // namespace

bool Rule::has_b0() const {
  if (ranged()) return range->birth.has(0);
  if (from_file()) return !file->quiet;
  return counts_eight() ? (birth & 1) != 0 : table.at(0);
}

int Rule::reach() const { return ranged() ? range->radius : 1; }

std::string to_string(const Rule& rule) {
  std::string states;
  if (rule.states() > 2) states.append("/").append(std::to_string(rule.states()));
  switch (rule.family) {
    case RuleFamily::range:
      return range_text(*rule.range, rule.states());
    case RuleFamily::file:
      return rule.file->spelling;
    case RuleFamily::wire_world:
      return "WireWorld";
    case RuleFamily::map:
    case RuleFamily::map_hexagonal:
    case RuleFamily::map_von_neumann:
      return map_text(rule) + states;
    case RuleFamily::wolfram:
      return std::string("W").append(std::to_string(wolfram_number(rule)));
    default:
      break;
  }
  const std::string birth = part_text(rule, false), survival = part_text(rule, true);
  std::string text;  // as Golly spells each
  if (states.empty()) {
    text.append("B").append(birth).append("/S").append(survival);
  } else {
    text.append(survival).append("/").append(birth).append(states);
  }
  if (rule.family == RuleFamily::hexagonal) text += 'H';
  if (rule.family == RuleFamily::von_neumann) text += 'V';
  return text;
}

Rule simplest(const Rule& rule) {
  if (rule.counts_eight() || rule.ranged() || rule.from_file() ||
      rule.family == RuleFamily::wire_world)
    return rule;
  Rule plain{0, 0};
  for (int p = 0; p < kPatterns; p++) {
    if (!rule.table.at(p)) continue;
    std::uint16_t& mask = centre_lives(p) ? plain.survival : plain.birth;
    mask = static_cast<std::uint16_t>(mask | 1u << neighbours_in(p));
  }
  plain.state_count = rule.state_count;
  return neighbourhood_table(plain) == rule.table ? plain : rule;
}

}  // namespace tessera
