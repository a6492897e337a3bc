#include "core/rules/found_programs.h"

#include <array>
#include <cstdint>

#include "core/base/memo.h"
#include "core/rules/counting_program.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

namespace tessera {
namespace {

Memo<std::array<std::uint64_t, 8>, GateProgram>& programs() {
  static Memo<std::array<std::uint64_t, 8>, GateProgram> known;
  return known;
}

// Beside one that knows how to count, where the rule only counts.
GateProgram or_counting(const Rule& rule, GateProgram program) {
  if (!rule.counts_eight()) return program;
  GateProgram counting = counting_program(rule);
  return counting.cost() < program.cost() ? counting : program;
}

}  // namespace

GateProgram found_program(const NeighbourhoodTable& rule) {
  if (std::optional<GateProgram> known = known_program(rule)) return *known;
  return programs().keep(rule.words, compile_rule(rule));
}

std::optional<GateProgram> known_program(const NeighbourhoodTable& rule) {
  return programs().find(rule.words);
}

GateProgram ready_program(const Rule& rule) {
  const NeighbourhoodTable table = neighbourhood_table(rule);
  const std::optional<GateProgram> known = known_program(table);
  return or_counting(rule, known ? *known : first_program(table));
}

GateProgram best_program(const Rule& rule) {
  return or_counting(rule, found_program(neighbourhood_table(rule)));
}

}  // namespace tessera
