#include "backends/cuda/program_search.h"

#include <algorithm>

#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

ProgramSearch::ProgramSearch(const BackendSpec& spec) {
  if (!has_one_circuit(spec)) rules_ = neighbourhood_tables(spec.rule, spec.odd_rule);
}

void ProgramSearch::loaded() {
  short_ = std::ranges::all_of(
      rules_, [](const NeighbourhoodTable& table) { return known_program(table).has_value(); });
}

bool ProgramSearch::due(double seconds) {
  constexpr double kBetweenLooks = 0.05;
  if (short_) return false;
  patience_ -= seconds;
  if (patience_ > 0) return false;
  if (known_or_searched(rules_)) return true;
  patience_ = kBetweenLooks;
  return false;
}

}  // namespace tessera::cuda
