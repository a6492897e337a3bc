#pragma once

#include <optional>
#include <span>

#include "core/rules/gate_program.h"
#include "core/rules/rule.h"

namespace tessera {

/// That of a named rule or of one that equals it, which is shipped (shipped_programs.h). Else
/// compile_rule(), which takes some tenths of a second, once per rule: what it found is kept in
/// this process and, for later ones, in the user's cache folder (program_file.h). From any thread.
GateProgram found_program(const NeighbourhoodTable& rule);

/// What is shipped for a rule, or was found in this process or an earlier one; nothing where it was
/// not searched for yet.
std::optional<GateProgram> known_program(const NeighbourhoodTable& rule);

/// Returns whether the programs of all these rules are known. Those that are not are searched for
/// on a thread of its own, one after the other, so that whoever asks can go on with first_program()
/// and ask again later. A process that ends does not wait for it.
bool known_or_searched(std::span<const NeighbourhoodTable> rules);

/// The shortest program for a rule's Rule::next_of that takes milliseconds: one that was found
/// before, or else a first one.
GateProgram ready_program(const Rule& rule);

/// The shortest program that there is for it: found_program, or one that counts neighbours.
GateProgram best_program(const Rule& rule);

}  // namespace tessera
