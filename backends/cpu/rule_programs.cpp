#include "backends/cpu/rule_programs.h"

#include <algorithm>
#include <limits>

#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"

namespace tessera {

RulePrograms::RulePrograms(const BackendSpec& spec, std::int64_t patience)
    : tables_(neighbourhood_tables(spec.rule, spec.odd_rule)),
      searched_(std::ranges::all_of(
          tables_, [](const auto& table) { return known_program(table).has_value(); })),
      patience_(patience),
      between_looks_(patience / 16) {
  const auto add = [&](const Rule& rule) {
    entries_.push_back({rule, state_program(rule, ready_program(rule))});
  };
  add(spec.rule);
  if (spec.odd_rule) add(*spec.odd_rule);
}

std::int64_t RulePrograms::patience() const {
  return searched_ ? std::numeric_limits<std::int64_t>::max() : patience_;
}

// Patience may be the largest number there is.
std::int64_t RulePrograms::generations_until_then(std::int64_t most, std::int64_t gates,
                                                  std::int64_t pass) const {
  const std::int64_t passes = patience() / gates / pass + 1;
  return passes > most / pass ? most : passes * pass;
}

bool RulePrograms::search_when_due() {
  if (patience() > 0) return false;
  if (!known_or_searched(tables_)) {
    patience_ = between_looks_;
    return false;
  }
  searched_ = true;
  for (Entry& entry : entries_)
    entry.program = state_program(entry.rule, ready_program(entry.rule));
  return true;
}

}  // namespace tessera
