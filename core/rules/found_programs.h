#pragma once

#include <optional>

#include "core/rules/gate_program.h"
#include "core/rules/rule.h"

namespace tessera {

/// compile_rule(), which takes some tenths of a second, once per rule in this process. From any
/// thread.
GateProgram found_program(const NeighbourhoodTable& rule);

/// What found_program found for a rule; nothing where it was not asked yet.
std::optional<GateProgram> known_program(const NeighbourhoodTable& rule);

/// The shortest program for a rule's Rule::next_of that takes milliseconds: one that was found
/// before, or else a first one.
GateProgram ready_program(const Rule& rule);

/// The shortest program that there is for it: found_program, or one that counts neighbours.
GateProgram best_program(const Rule& rule);

}  // namespace tessera
