#pragma once

#include <cstdint>

#include "core/rules/rule_spec.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// What a backend is asked for so that it steps `width` x `height` cells of a universe: its edges
/// are joined as those of the universe are, and on planes the outside is dead. On the infinite
/// plane rules with B0 become BackgroundRules. `max_memory`: as BackendSpec has it.
BackendSpec backend_spec(const RuleSpec& universe, std::int64_t width, std::int64_t height,
                         std::int64_t max_memory = 0);

/// The whole of a bounded universe.
BackendSpec backend_spec(const RuleSpec& universe);

/// Whether the circuit of one outer-totalistic rule steps all generations; others are programs.
bool has_one_circuit(const BackendSpec& spec);

}  // namespace tessera
