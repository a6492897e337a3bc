#pragma once

#include <cstdint>
#include <span>

namespace tessera {

/// Groups of eight 64-bit words, one for each band of rows of a BoxLayout: what the kernel's
/// vectors step over, whatever their length.
inline constexpr std::int64_t kBoxLanes = 8;

/// Bits of a sum of 2 radius + 1 cells.
int box_row_bits(int radius);
/// Gates of three inputs per word of cells for the sums of boxes.
int box_cost(int row_bits, int box_bits);

/// Some columns of one row of a BoxLayout, whose sums go into the running sums of the boxes.
struct BoxRow {
  /// The group of the first column; `radius` groups before the first and behind the last are read.
  const std::uint64_t* cells = nullptr;
  std::int64_t columns = 0;
  int radius = 0;
  int row_bits = 0;  ///< of a sum of 2 radius + 1 cells
  int box_bits = 0;  ///< of a sum of its square
  /// The sums of the row that leaves the boxes, row_bits groups for each column; replaced by this
  /// row's.
  std::uint64_t* leaving = nullptr;
  /// The boxes' sums, a plane of `stride` words for each bit, a group for each column.
  std::uint64_t* sums = nullptr;
  std::int64_t stride = 0;
};

/// Adds a row and takes another away, bit-sliced: each cell's sum along the row is that of its left
/// neighbour plus the cell that enters and less the one that leaves.
using BoxFunction = void (*)(const BoxRow& row);

/// The function for sums of so many bits, for this processor.
BoxFunction box_function(int row_bits, int box_bits);

/// Counts the cells of the groups at some distances from `at`, in words: `bits` groups, the lowest
/// bit of the counts first, at most 20.
void count_cells(const std::uint64_t* at, std::span<const std::int64_t> distances, int bits,
                 std::uint64_t* counts);

/// Cells of a group that are copies of others: those of the group `from`, rotated left by
/// `rotation` bits, where `mask` is.
struct BoxMove {
  std::int64_t to, from;  ///< columns
  int rotation = 0;
  std::uint64_t mask = 0;
  std::uint64_t keep = 0;  ///< what stays of what the group had
};

/// Makes the moves, one after the other, in `rows` rows; column 0 of the first is at `row`, and
/// `stride` words lie from one to the next.
void move_cells(std::uint64_t* row, std::int64_t rows, std::int64_t stride,
                std::span<const BoxMove> moves);

}  // namespace tessera
