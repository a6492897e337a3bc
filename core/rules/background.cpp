#include "core/rules/background.h"

namespace tessera {
namespace {

constexpr int kAllLive = kPatterns - 1;

// The rule whose cells, or whose next states, are the complements of the rule's.
Rule complemented(const Rule& rule, bool cells, bool next) {
  Rule out{0, 0};
  if (rule.outer_totalistic()) {
    for (int n = 0; n <= 8; n++) {
      const int counted = cells ? 8 - n : n;
      if (rule.next(cells, counted) != next)
        out.birth = static_cast<std::uint16_t>(out.birth | 1u << n);
      if (rule.next(!cells, counted) != next)
        out.survival = static_cast<std::uint16_t>(out.survival | 1u << n);
    }
    return out;
  }
  out.family = RuleFamily::map;
  for (int p = 0; p < kPatterns; p++) {
    if (rule.next_of(cells ? p ^ kAllLive : p) != next) out.table.set(p);
  }
  return out;
}

// What far away cells, all dead or all alive, become.
bool uniform_next(const Rule& rule, bool alive) { return rule.next_of(alive ? kAllLive : 0); }

}  // namespace

BackgroundRules background_rules(const Rule& rule) { return *background_rules(rule, rule); }

std::optional<BackgroundRules> background_rules(const Rule& even, const Rule& odd) {
  for (const bool alive : {false, true}) {
    const bool then = uniform_next(even, alive);
    if (uniform_next(odd, then) != alive) continue;
    BackgroundRules rules{complemented(even, alive, then), complemented(odd, then, alive)};
    if (*rules.odd == rules.even) rules.odd.reset();
    return rules;
  }
  return std::nullopt;
}

}  // namespace tessera
