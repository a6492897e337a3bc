#include "core/rules/shipped_programs.h"

#include <array>
#include <cstdint>
#include <map>
#include <sstream>

#include "core/rules/program_text.h"

namespace tessera {
namespace {

constexpr ShippedProgram kShipped[] = {
#include "core/rules/shipped_programs.inl"
};

using ProgramsByTable = std::map<std::array<std::uint64_t, 8>, GateProgram>;

ProgramsByTable programs_by_table() {
  ProgramsByTable programs;
  for (const ShippedProgram& each : kShipped) {
    std::istringstream text(each.text);
    if (const std::optional<GateProgram> program = read_program(text))
      programs.emplace(table_of(*program).words, *program);
  }
  return programs;
}

}  // namespace

std::span<const ShippedProgram> shipped_programs() { return kShipped; }

std::optional<GateProgram> shipped_program(const NeighbourhoodTable& rule) {
  static const ProgramsByTable kPrograms = programs_by_table();
  const auto found = kPrograms.find(rule.words);
  if (found == kPrograms.end()) return std::nullopt;
  return found->second;
}

}  // namespace tessera
