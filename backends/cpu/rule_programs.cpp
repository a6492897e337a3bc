#include "backends/cpu/rule_programs.h"

#include <algorithm>
#include <limits>

#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"

namespace tessera {

RulePrograms::RulePrograms(const BackendSpec& spec, std::int64_t patience)
    : patience_(patience), between_looks_(patience / 16) {
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
  std::vector<NeighbourhoodTable> tables;
  for (const Entry& entry : entries_) tables.push_back(neighbourhood_table(entry.rule));
  if (!known_or_searched(tables)) {
    patience_ = between_looks_;
    return false;
  }
  for (Entry& entry : entries_) {
    if (!entry.searched) entry.program = state_program(entry.rule, ready_program(entry.rule));
    entry.searched = true;
  }
  return true;
}

}  // namespace tessera
