// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time. The loops over words are left to the compiler.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/range_windows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "backends/cpu/moving_planes.h"
#include "backends/cpu/range_windows.h"
#include "core/rules/range_rule.h"
#include "core/tiles/tile.h"

#ifndef TESSERA_RANGE_WINDOWS
#define TESSERA_RANGE_WINDOWS
namespace tessera {

// Groups of eight words: those of a window's rows 8 i + j, where j goes on to the rows above and
// below, a margin each.
constexpr std::int64_t kWindowGroups = 8;
constexpr std::int64_t kAllGroups = kWindowGroups + 2 * kTileMargin;
static_assert(kWindowGroups == kTileMargin && kWindowGroups * kBoxLanes == kWindowWords);

}  // namespace tessera
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {

// The groups of a window, with those of the rows above and below, once for each of the columns that
// a cell sees, from the left one. Beyond the window there are no cells.
void spread_window(const std::uint64_t* window, int radius, std::uint64_t* out) {
  constexpr std::int64_t kAll = kAllGroups * kBoxLanes;
  std::uint64_t* const middle = out + radius * kAll;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(kWindowWords); i++)
    middle[kTileMargin * kBoxLanes + i] = window[i];
  std::uint64_t* const below = middle + (kTileMargin + kWindowGroups) * kBoxLanes;
  for (std::int64_t j = 0; j < radius; j++) {
    std::uint64_t* const above = middle + (kTileMargin - radius + j) * kBoxLanes;
    const std::uint64_t* const last = window + (kWindowGroups - radius + j) * kBoxLanes;
    const std::uint64_t* const first = window + j * kBoxLanes;
    above[0] = below[j * kBoxLanes + kBoxLanes - 1] = 0;
    for (std::int64_t i = 0; i + 1 < kBoxLanes; i++) above[i + 1] = last[i];
    for (std::int64_t i = 0; i + 1 < kBoxLanes; i++) below[j * kBoxLanes + i] = first[i + 1];
  }
  const std::int64_t begin = (kTileMargin - radius) * kBoxLanes;
  for (int dx = 1; dx <= radius; dx++) {
    std::uint64_t* const left = middle - dx * kAll;
    std::uint64_t* const right = middle + dx * kAll;
    for (std::int64_t i = begin; i < kAll - begin; i++) left[i] = middle[i] << dx;
    for (std::int64_t i = begin; i < kAll - begin; i++) right[i] = middle[i] >> dx;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {
namespace {

constexpr std::int64_t kMostBits = 9;  // of a count of 17 x 17 cells

}  // namespace

HWY_EXPORT(spread_window);

RangeWindows::RangeWindows(const Rule& rule)
    : radius_(rule.range->radius),
      row_bits_(box_row_bits(radius_)),
      add_row_(box_function(row_bits_, count_bits(*rule.range))),
      square_(rule.range->shape == RangeShape::moore),
      end_(rule),
      gates_(end_) {
  for (int dx = -radius_; dx <= radius_; dx++) {
    for (int dy = -radius_; dy <= radius_; dy++) {
      // Counts have the cell itself, whether the rule counts it or not.
      if (rule.range->neighbour(dx, dy) || (dx == 0 && dy == 0))
        seen_.push_back(((dx + radius_) * kAllGroups + dy) * kBoxLanes);
    }
  }
}

// Shifted cells; counts; buffers of gates; and what sums of squares need besides.
std::size_t RangeWindows::scratch_words() const {
  const std::int64_t shifted = (2 * radius_ + 1) * kAllGroups * kBoxLanes;
  return static_cast<std::size_t>(shifted +
                                  (kMostBits + gates_.buffers() + kMostBits) * kWindowWords);
}

// Along the groups, which are rows, sums run; the columns of a square are added one by one.
void RangeWindows::sum_squares(const std::uint64_t* cells, std::uint64_t* zeros,
                               std::uint64_t* sums) const {
  std::fill_n(sums, end_.bits * kWindowWords, 0);
  for (std::int64_t at = 0; at <= 2 * radius_; at++) {
    std::fill_n(zeros, row_bits_ * kWindowWords, 0);  // nothing leaves
    add_row_({cells + (at * kAllGroups + kTileMargin) * kBoxLanes, kWindowGroups, radius_,
              row_bits_, end_.bits, zeros, sums, kWindowWords});
  }
}

void RangeWindows::step(bool /*odd*/, std::uint64_t* scratch, WindowPlanes& planes) const {
  std::uint64_t* const shifted = scratch;
  std::uint64_t* const sums = shifted + (2 * radius_ + 1) * kAllGroups * kBoxLanes;
  std::uint64_t* const buffers = sums + kMostBits * kWindowWords;
  std::uint64_t* const rest = buffers + gates_.buffers() * kWindowWords;
  HWY_DYNAMIC_DISPATCH(spread_window)(planes.now[0], radius_, shifted);
  if (square_) {
    sum_squares(shifted, rest, sums);
  } else {
    for (std::int64_t j = 0; j < kWindowGroups; j++) {
      count_cells(shifted + (kTileMargin + j) * kBoxLanes, seen_, end_.bits, rest);
      for (std::int64_t bit = 0; bit < end_.bits; bit++)
        std::copy_n(rest + bit * kBoxLanes, kBoxLanes, sums + bit * kWindowWords + j * kBoxLanes);
    }
  }
  EndGates::Row row{sums, buffers, kWindowWords, {}, {}, kWindowWords};
  const auto count = static_cast<std::size_t>(end_.states.planes);
  for (std::size_t p = 0; p < count; p++) row.from[p] = planes.now[p];
  for (std::size_t p = 0; p < end_.next.size(); p++) row.to[p] = planes.spare[p];
  gates_.run(row);
  advance_planes<std::uint64_t*>(end_.states, planes.now, planes.spare);
}

}  // namespace tessera
#endif
