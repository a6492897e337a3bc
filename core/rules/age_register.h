#pragma once

#include <cstddef>
#include <vector>

#include "core/rules/gate_program.h"

namespace tessera {

/// The ages of dying cells as codes of a shift register: the first dying state has bit 0 alone,
/// each step moves all bits up and puts what `feedback` says into bit 0, and behind the highest bit
/// alone comes nothing. So all planes of a code but one just move on.
///
/// Where a bit is the exclusive or of the highest one and a function of others, steps permute the
/// codes (Golomb, Shift Register Sequences, 1967, chapter VI), and the cycle that begins with bit 0
/// alone ends with the highest one: nearly any length is that of some function of three or
/// five bits.
struct AgeRegister {
  int bits = 1;
  /// Up to three gates, the last of which is what comes into bit 0; none where nothing does. They
  /// read bits of the register; signal `bits`, whether a bit below the highest one is set; and
  /// from signal bits + 1 on the gates before.
  std::vector<ProgramGate> feedback{};
  std::vector<unsigned> codes{};  ///< of the dying states in order

  /// A register for so many dying states, 1 to 254, with as few bits as can hold them; but for 125,
  /// 253 and 254 with one more. The same one for the same number.
  static AgeRegister of(std::size_t dying);
};

}  // namespace tessera
