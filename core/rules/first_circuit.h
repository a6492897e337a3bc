#pragma once

#include <random>
#include <vector>

#include "core/rules/gate_net.h"

namespace tessera {

/// A circuit by decisions on the nine cells in the order given (numbers as in GateProgram, each
/// once): one selection for each different function that is left after some decisions, up to
/// complement (Bryant's ordered decision diagrams).
GateNet decide_in_order(const NeighbourhoodTable& wanted, const std::vector<int>& order);

/// A circuit by decisions on whatever tells most about the result: cells, or bits of the sum of all
/// nine. Patterns that earlier decisions exclude are free, gates made so far are used again, and a
/// rest that one gate over three of these signals can tell takes that gate. `noise` of 0 is
/// deterministic; above it, choices vary by this share.
GateNet decide_by_entropy(const NeighbourhoodTable& wanted, double noise, std::mt19937_64& random);

}  // namespace tessera
