#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "backends/cpu/strip_layout.h"
#include "core/rules/state_program.h"

namespace tessera {

/// What compiled code reads and writes. Pointers are to the word of the first column; slots for
/// values that find no register follow in memory.
struct alignas(64) StripCodeFrame {
  std::array<std::uint64_t, kMaxLanes> left_a, left_b;  ///< CodeBase has the meanings
  const std::uint64_t *in, *above_a, *above_b, *keep_a, *keep_b;
  std::uint64_t *out, *state_a, *state_b;
  std::int64_t stride;  ///< bytes from a row to the next
  std::int64_t rows;    ///< of input and of output; a multiple of kRowStep
  std::array<const std::uint64_t*, kMostProgramPlanes> planes_in;  ///< in the first row of output
  std::array<std::uint64_t*, kMostProgramPlanes> planes_out;
};

/// Machine code of a rule's program for groups of strips: ColumnCode, put into registers by
/// RegisterPlan, for AVX-512 or AVX2. Its memory is written first and made executable then, never
/// both at a time. Immutable; any thread may run it.
class StripCode {
 public:
  virtual ~StripCode() = default;
  /// Columns that one call steps, at most.
  virtual int columns() const = 0;
  /// 64-bit words of a frame with its slots.
  virtual std::int64_t frame_words() const = 0;
  /// Steps `columns` columns of a group.
  virtual void run(int columns, StripCodeFrame& frame) const = 0;

  /// The code of a program for vectors of `lanes` lanes, 8 or 4: made once in this process while
  /// anybody has it, and kept for a while. Throws UnsupportedError with what missing_machine_code
  /// says, or where the system refuses executable memory.
  static std::shared_ptr<const StripCode> of(const StateProgram& program, int lanes);
};

}  // namespace tessera
