#include "backends/cpu/rule_programs.h"

#include <algorithm>
#include <limits>

#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"

namespace tessera {

RulePrograms::RulePrograms(const BackendSpec& spec, std::int64_t patience) : patience_(patience) {
  const auto add = [&](const Rule& rule) {
    entries_.push_back({rule, state_program(rule, ready_program(rule)),
                        known_program(neighbourhood_table(rule)).has_value()});
  };
  add(spec.rule);
  if (spec.odd_rule) add(*spec.odd_rule);
}

std::int64_t RulePrograms::patience() const {
  const bool all = std::all_of(entries_.begin(), entries_.end(),
                               [](const Entry& entry) { return entry.searched; });
  return all ? std::numeric_limits<std::int64_t>::max() : patience_;
}

bool RulePrograms::search_when_due() {
  if (patience() > 0) return false;
  for (Entry& entry : entries_) {
    // An infinite plane replaces its grid again and again: it is searched for once.
    if (!entry.searched) entry.program = state_program(entry.rule, best_program(entry.rule));
    entry.searched = true;
  }
  return true;
}

}  // namespace tessera
