#pragma once

#include <optional>
#include <span>

#include "core/rules/gate_program.h"

namespace tessera {

/// A program that was searched for before, with the rules that have a name (named_rules()), so that
/// none of these is searched for when it is run.
struct ShippedProgram {
  const char* rule;  ///< the rule's first name
  const char* text;  ///< program_text()
};

/// One for each function of the nine cells that a named rule is, but those of longer range.
/// shipped_programs.inl has them; the program ship_programs of the tests writes it.
std::span<const ShippedProgram> shipped_programs();

/// The one that computes a rule, however that is spelled. Nothing where none does: the tables that
/// programs are found by are computed from their gates, so that a wrong gate is no wrong rule.
std::optional<GateProgram> shipped_program(const NeighbourhoodTable& rule);

}  // namespace tessera
