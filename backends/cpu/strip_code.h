#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "backends/cpu/strip_layout.h"
#include "core/rules/state_program.h"

namespace tessera {

/// The constants of a frame that close rows, one vector each: all ones in the lanes whose segment
/// has another to its left in the row, and to its right; the bits of the longer strips.
enum class StripSeam : std::uint8_t { inner_left, inner_right, long_strips, count };

/// What compiled code reads and writes. Pointers are to the word of the first column; slots for
/// values that find no register follow in memory.
struct alignas(64) StripCodeFrame {
  std::array<std::uint64_t, kMaxLanes> left_a, left_b;  ///< CodeBase has the meanings
  std::array<std::array<std::uint64_t, kMaxLanes>, static_cast<std::size_t>(StripSeam::count)>
      seams;
  const std::uint64_t *in, *above_a, *above_b, *keep_a, *keep_b;
  std::uint64_t *out, *state_a, *state_b;
  std::int64_t stride;  ///< bytes from a row to the next
  std::int64_t to_row;  ///< bytes from `out` to word 0 of its row; of code that closes rows
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
  /// Steps `columns` columns of a group. `closes`: they end their rows, of at least two words, and
  /// the code closes these rows; it reads `seams` and `to_row`.
  virtual void run(int columns, bool closes, StripCodeFrame& frame) const = 0;

  /// The code of a program for vectors of `lanes` lanes, 8 or 4, and rows closed like this: made
  /// once in this process while anybody has it, and kept for a while. Throws UnsupportedError with
  /// what missing_machine_code says, or where the system refuses executable memory.
  static std::shared_ptr<const StripCode> of(const StateProgram& program, int lanes,
                                             const RowClosing& closing);
};

}  // namespace tessera
