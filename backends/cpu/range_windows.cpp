#include "backends/cpu/range_windows.h"

#include <algorithm>
#include <array>

#include "backends/cpu/box_kernel.h"
#include "core/rules/range_rule.h"
#include "core/tiles/tile.h"

namespace tessera {
namespace {

// Groups of eight words: those of a window's rows 8 i + j, where j goes on to the rows above and
// below, a margin each.
constexpr std::int64_t kGroup = kBoxLanes;
constexpr std::int64_t kGroups = 8;
constexpr std::int64_t kAllGroups = kGroups + 2 * kTileMargin;
static_assert(kGroups == kTileMargin && kGroups * kGroup == kWindowWords);

constexpr std::int64_t kWords = kWindowWords;
constexpr std::int64_t kMostBits = 9;  // of a count of 17 x 17 cells

// The groups of a window, with those of the rows above and below; beyond the window are none.
void add_margins(const std::uint64_t* window, std::uint64_t* out) {
  std::copy_n(window, kWords, out + kWords);
  for (std::int64_t j = 0; j < kGroups; j++) {
    for (std::int64_t i = 0; i < kGroup; i++) {
      out[kGroup * j + i] = i > 0 ? window[kGroup * j + i - 1] : 0;
      out[2 * kWords + kGroup * j + i] = i + 1 < kGroup ? window[kGroup * j + i + 1] : 0;
    }
  }
}

// Cells so many columns to the right, of all groups.
void shift(const std::uint64_t* from, int right, std::uint64_t* out) {
  for (std::int64_t i = 0; i < kAllGroups * kGroup; i++)
    out[i] = right < 0 ? from[i] << -right : from[i] >> right;
}

}  // namespace

RangeWindows::RangeWindows(const Rule& rule)
    : radius_(rule.range->radius),
      square_(rule.range->shape == RangeShape::moore),
      end_(rule),
      gates_(end_) {
  for (int dx = -radius_; dx <= radius_; dx++) {
    for (int dy = -radius_; dy <= radius_; dy++) {
      // Counts have the cell itself, whether the rule counts it or not.
      if (rule.range->neighbour(dx, dy) || (dx == 0 && dy == 0))
        seen_.push_back(((dx + radius_) * kAllGroups + dy) * kGroup);
    }
  }
}

// Shifted cells; counts; buffers of gates; and what sums of squares need besides.
std::size_t RangeWindows::scratch_words() const {
  const std::int64_t shifted = (2 * radius_ + 1) * kAllGroups * kGroup;
  return static_cast<std::size_t>(shifted + (kMostBits + gates_.buffers() + kMostBits) * kWords);
}

// Along the groups, which are rows, sums run; the columns of a square are added one by one.
void RangeWindows::sum_squares(const std::uint64_t* cells, std::uint64_t* zeros,
                               std::uint64_t* sums) const {
  const int row_bits = box_row_bits(radius_);
  const BoxFunction add_row = box_function(row_bits, end_.bits);
  std::fill_n(sums, end_.bits * kWords, 0);
  for (std::int64_t at = 0; at <= 2 * radius_; at++) {
    std::fill_n(zeros, row_bits * kWords, 0);  // nothing leaves
    add_row({cells + (at * kAllGroups + kTileMargin) * kGroup, kGroups, radius_, row_bits,
             end_.bits, zeros, sums, kWords});
  }
}

void RangeWindows::step(bool /*odd*/, std::uint64_t* scratch, WindowPlanes& planes) const {
  std::uint64_t* const shifted = scratch;
  std::uint64_t* const sums = shifted + (2 * radius_ + 1) * kAllGroups * kGroup;
  std::uint64_t* const buffers = sums + kMostBits * kWords;
  std::uint64_t* const rest = buffers + gates_.buffers() * kWords;
  std::uint64_t* const middle = shifted + radius_ * kAllGroups * kGroup;
  add_margins(planes.now[0], middle);
  for (int dx = -radius_; dx <= radius_; dx++) {
    if (dx != 0) shift(middle, dx, middle + dx * kAllGroups * kGroup);
  }
  if (square_) {
    sum_squares(shifted, rest, sums);
  } else {
    for (std::int64_t j = 0; j < kGroups; j++) {
      count_cells(shifted + (kTileMargin + j) * kGroup, seen_, end_.bits, rest);
      for (std::int64_t bit = 0; bit < end_.bits; bit++)
        std::copy_n(rest + bit * kGroup, kGroup, sums + bit * kWords + j * kGroup);
    }
  }
  EndGates::Row row{sums, buffers, kWords, {}, {}, kWords};
  const auto count = static_cast<std::size_t>(end_.states.planes);
  for (std::size_t p = 0; p < count; p++) row.from[p] = planes.now[p];
  for (std::size_t p = 0; p < end_.next.size(); p++) row.to[p] = planes.spare[p];
  gates_.run(row);
  advance_window(end_.states, planes);
}

}  // namespace tessera
