#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/row_code.h"
#include "core/rules/state_program.h"

namespace tessera {

/// What compiled code of rules of longer range reads and writes: pointers to the first column, in
/// the first of the rows that go at a time. Slots for values that find no register follow in
/// memory.
struct alignas(64) RangeCodeFrame {
  const std::uint64_t* cells;  ///< CodeBase::cells: of plane 0
  std::uint64_t* sums;         ///< CodeBase::sums: counts, a plane for each bit
  std::array<const std::uint64_t*, kMostProgramPlanes> planes_in;
  std::array<std::uint64_t*, kMostProgramPlanes> planes_out;
  const std::uint64_t* start;  ///< CodeBase::start: groups, one for each value
  std::int64_t end;            ///< 64 times the columns
  std::int64_t lane;           ///< bytes from a group's first lane to those that are stepped
};

/// Where rows and planes are for a RangeCode, in 64-bit words.
struct RangeCodeStrides {
  std::int64_t row = 0;   ///< from a row of cells to the next
  std::int64_t sums = 0;  ///< from a bit's plane of counts to the next
};

/// Machine code for groups of a BoxLayout, for AVX-512 or AVX2: RowCode, put into registers by
/// RegisterPlan. Immutable; any thread may run it.
class RangeCode {
 public:
  virtual ~RangeCode() = default;
  /// 64-bit words of a frame with its slots.
  virtual std::int64_t frame_words() const = 0;
  /// Steps the columns of a frame with one of the parts; writes their `lane`.
  virtual void run(std::size_t part, RangeCodeFrame& frame) const = 0;

  /// The code of some parts, for vectors of `lanes` lanes. Throws UnsupportedError with what
  /// missing_machine_code says, or where the system refuses executable memory.
  static std::unique_ptr<const RangeCode> of(const std::vector<RowCode>& parts,
                                             const RangeCodeStrides& strides, int lanes);
};

}  // namespace tessera
