#pragma once

#include <optional>

#include "core/rules/gate_program.h"

namespace tessera {

/// compile_rule(), which takes some tenths of a second, once per rule in this process. From any
/// thread.
GateProgram found_program(const NeighbourhoodTable& rule);

/// What found_program found for a rule; nothing where it was not asked yet.
std::optional<GateProgram> known_program(const NeighbourhoodTable& rule);

}  // namespace tessera
