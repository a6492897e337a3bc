#pragma once

#include <cstdint>
#include <vector>

#include "core/rules/gate_program.h"
#include "core/rules/range_rule.h"

namespace tessera {

/// Gates from a count to whether a cell is in state 1 in the next generation, unless it is dying.
/// Signals 0 to bits - 1 are the count's bits, the lowest first; signal `bits` says whether the
/// cell is in state 1; signal bits + 1 + k is the output of gate k. A gate reads only signals
/// before its own; the last one is the answer.
struct RangeGates {
  int bits = 0;
  std::vector<ProgramGate> gates;  ///< at least 1
};

/// Bits of a count of the neighbours and the cell itself.
int count_bits(const RangeRule& rule);

/// Those of a rule for counts that include the cell itself, whether the rule counts it or not: of
/// count_bits bits.
/// Limits of runs are compared bit by bit, those of births and of survivals in one chain, and gates
/// are then joined as far as three inputs hold them.
RangeGates range_gates(const RangeRule& rule);

/// Whether its counts are better looked up in a table than compared by gates.
bool takes_table(const RangeRule& rule);

/// That table: two bits for every number of count_bits bits, whether a cell that is not in state 1
/// and one that is live with that count, which includes the cell itself.
std::vector<std::uint32_t> count_table(const RangeRule& rule);
/// Its length where the rule takes it, otherwise 0.
std::int64_t count_table_words(const RangeRule& rule);

}  // namespace tessera
