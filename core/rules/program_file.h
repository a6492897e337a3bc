#pragma once

#include <optional>

#include "core/rules/gate_program.h"

namespace tessera {

/// The program that compile_rule() found for a rule in an earlier run, from the user's cache folder
/// (core/files/cache_folder.h). Whatever the file holds, a program that is returned computes the
/// rule: it is tried on all 512 patterns. Nothing where there is no such file, or it is damaged, or
/// of another version of the search.
std::optional<GateProgram> stored_program(const NeighbourhoodTable& rule);

/// Keeps it for later runs. Where the folder cannot be written they search again.
void store_program(const NeighbourhoodTable& rule, const GateProgram& program);

}  // namespace tessera
