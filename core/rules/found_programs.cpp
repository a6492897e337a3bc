#include "core/rules/found_programs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "core/rules/counting_program.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

namespace tessera {
namespace {

constexpr std::size_t kMost = 1000;

struct Programs {
  std::mutex mutex;
  std::map<std::array<std::uint64_t, 8>, GateProgram> all;
};

Programs& programs() {
  static Programs known;
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
  GateProgram program = compile_rule(rule);
  Programs& known = programs();
  const std::lock_guard lock(known.mutex);
  if (known.all.size() >= kMost) known.all.clear();
  return known.all[rule.words] = std::move(program);
}

std::optional<GateProgram> known_program(const NeighbourhoodTable& rule) {
  Programs& known = programs();
  const std::lock_guard lock(known.mutex);
  const auto found = known.all.find(rule.words);
  if (found == known.all.end()) return std::nullopt;
  return found->second;
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
