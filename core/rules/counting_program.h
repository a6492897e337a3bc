#pragma once

#include "core/rules/gate_program.h"
#include "core/rules/rule.h"

namespace tessera {

/// A program for a rule that counts eight neighbours, within milliseconds: row codes, the bits of
/// their sum and the circuit of find_rule_circuit, 8 to 13 gates where all are needed. `lives` of
/// Generations, too.
GateProgram counting_program(const Rule& rule);

}  // namespace tessera
