#include "core/rules/rule_tables.h"

namespace tessera {

SignalTable rule_table(const Rule& rule) {
  SignalTable table = 0;
  for (unsigned i = 0; i < 32; i++) {
    if (!(kSignalsThatOccur >> i & 1)) continue;
    const unsigned total = (i & 1) + 2 * (i >> 1 & 1) + 2 * (i >> 2 & 1) + 4 * (i >> 3 & 1);
    const bool alive = i >> 4 & 1;
    if (rule.next(alive, static_cast<int>(total - alive))) table |= 1u << i;
  }
  return table;
}

NeighbourhoodTable neighbourhood_table(const Rule& rule) {
  NeighbourhoodTable table;
  for (int p = 0; p < kPatterns; p++) {
    if (rule.next_of(p)) table.set(p);
  }
  return table;
}

std::vector<NeighbourhoodTable> neighbourhood_tables(const Rule& rule,
                                                     const std::optional<Rule>& odd_rule) {
  std::vector<NeighbourhoodTable> tables{neighbourhood_table(rule)};
  if (odd_rule) tables.push_back(neighbourhood_table(*odd_rule));
  return tables;
}

}  // namespace tessera
