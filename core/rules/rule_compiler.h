#pragma once

#include <optional>
#include <stop_token>

#include "core/rules/gate_program.h"

namespace tessera {

/// A program for any rule within milliseconds, by decisions alone: about 12 gates for
/// outer-totalistic rules, 20 to 60 for isotropic ones, 110 for random ones.
GateProgram first_program(const NeighbourhoodTable& rule);

/// A shorter one, in about half a second and always the same for the same rule and seed: the
/// shortest of first circuits by decisions in many orders are improved by a fixed number of local
/// changes (CircuitSearch). Isotropic rules that people play with take 9 to 40 gates, random ones
/// 80. Where that is to stop it ends soon, with what it has.
GateProgram search_program(const NeighbourhoodTable& rule, unsigned seed,
                           const std::stop_token& stop = {});

/// That of seed 1. Where it has more than 80 gates other seeds are tried, up to three, and the
/// shortest wins. Nothing, and soon, where that is to stop.
std::optional<GateProgram> compile_rule(const NeighbourhoodTable& rule,
                                        const std::stop_token& stop);
/// The same to its end.
GateProgram compile_rule(const NeighbourhoodTable& rule);

}  // namespace tessera
