#include "core/cells/cell_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"

namespace tessera {
namespace {

// A packed run starts with a tag.
//   0ggglllll... below 0x80: same row as the previous run; 3 bits of gap - 1, 4 bits of length - 1.
//   0x80 .. 0xbf: the next row; 4 bits of 8 + x relative to the first run of the previous row, 2
//   bits of length - 1. kSameRow: varints of gap, length. kNewRow: varints of rows down, zigzag x
//   relative to the first run of the previous row, length.
// Differences are taken modulo 2^64, so that no pair of coordinates overflows.
constexpr std::uint8_t kNextRow = 0x80;
constexpr std::uint8_t kSameRow = 0xfe;
constexpr std::uint8_t kNewRow = 0xff;

constexpr std::uint64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

constexpr std::int64_t advance(std::int64_t a, std::uint64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + by);
}

constexpr std::uint64_t zigzag(std::uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }
constexpr std::uint64_t unzigzag(std::uint64_t v) { return v >> 1 ^ (0 - (v & 1)); }

void check_place(std::int64_t x, std::int64_t y, std::int64_t length) {
  if (length < 1) throw std::invalid_argument("a run of cells has at least one cell");
  if (x < -kMaxCoordinate || x > kMaxCoordinate || y < -kMaxCoordinate || y > kMaxCoordinate ||
      static_cast<std::uint64_t>(length - 1) > difference(kMaxCoordinate, x)) {
    throw std::invalid_argument("a run of cells lies within 2^62 of the origin");
  }
}

// Not a function, because sorting would call it by its address.
constexpr auto in_reading_order = [](const CellRun& a, const CellRun& b) {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
};

// Appends a run that starts in reading order but may overlap earlier ones; `end` is one past the
// last cell of the last run of row `y`.
void append_overlapping(CellRuns& runs, CellRun run, std::int64_t& y, std::int64_t& end) {
  if (!runs.empty() && run.y == y && run.x < end) {
    if (run.x + run.length <= end) return;
    run.length -= end - run.x;
    run.x = end;
  }
  runs.append(run.x, run.y, run.length);
  y = run.y;
  end = run.x + run.length;
}

// Sorts digit by digit, the lowest first: many times as fast as by comparison where runs lie close
// together or repeat.
void sort_runs(std::vector<CellRun>& runs) {
  constexpr unsigned kDigit = 11;
  Bounds box{runs[0].x, runs[0].y, runs[0].x, runs[0].y};
  for (const CellRun& run : runs) {
    box.xmin = std::min(box.xmin, run.x);
    box.xmax = std::max(box.xmax, run.x);
    box.ymin = std::min(box.ymin, run.y);
    box.ymax = std::max(box.ymax, run.y);
  }
  const auto row_bits = static_cast<unsigned>(std::bit_width(difference(box.xmax, box.xmin)));
  const auto bits =
      row_bits + static_cast<unsigned>(std::bit_width(difference(box.ymax, box.ymin)));
  if (bits > 64 || runs.size() < std::size_t{1} << kDigit) {
    std::sort(runs.begin(), runs.end(), in_reading_order);
    return;
  }
  const auto key = [&](const CellRun& run) {
    return difference(run.y, box.ymin) << row_bits % 64 | difference(run.x, box.xmin);
  };
  std::vector<CellRun> sorted(runs.size());
  for (unsigned shift = 0; shift < bits; shift += kDigit) {
    constexpr std::uint64_t kMask = (1 << kDigit) - 1;
    std::array<std::size_t, kMask + 1> places{};
    for (const CellRun& run : runs) places[key(run) >> shift & kMask]++;
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
    for (const CellRun& run : runs) sorted[places[key(run) >> shift & kMask]++] = run;
    runs.swap(sorted);
  }
}

// Sorts runs and appends their union.
CellRuns sorted_union(std::vector<CellRun>& runs) {
  if (!std::is_sorted(runs.begin(), runs.end(), in_reading_order)) sort_runs(runs);
  CellRuns result;
  std::int64_t y = 0, end = 0;
  for (const CellRun& run : runs) append_overlapping(result, run, y, end);
  return result;
}

}  // namespace

void CellRuns::append(std::int64_t x, std::int64_t y, std::int64_t length) {
  check_place(x, y, length);
  if (length > std::numeric_limits<std::int64_t>::max() - population_) {
    throw InputError("more than 2^63-1 live cells; at most 2^63-1 are accepted");
  }
  const std::int64_t end = x + length;
  if (last_.length == 0) {
    last_ = {x, y, length};
    xmin_ = x;
    xmax_ = end - 1;
    ymin_ = y;
  } else {
    const std::int64_t last_end = last_.x + last_.length;
    if (y == last_.y && x == last_end) {
      last_.length += length;
    } else {
      if (y < last_.y || (y == last_.y && x < last_end)) {
        throw std::invalid_argument("runs of cells must be appended in reading order");
      }
      pack_last();
      last_ = {x, y, length};
      xmin_ = std::min(xmin_, x);
    }
    xmax_ = std::max(xmax_, end - 1);
  }
  population_ += length;
}

void CellRuns::pack_last() {
  const std::uint64_t length = static_cast<std::uint64_t>(last_.length);
  if (!packed_.empty() && last_.y == packed_last_.y) {
    const std::uint64_t gap = difference(last_.x, packed_last_.x + packed_last_.length);
    if (gap <= 8 && length <= 16) {
      packed_.push_back(static_cast<std::uint8_t>((gap - 1) << 4 | (length - 1)));
    } else {
      packed_.push_back(kSameRow);
      push_varint(gap);
      push_varint(length);
    }
  } else {
    const std::uint64_t down = difference(last_.y, packed_last_.y);
    const std::uint64_t right = difference(last_.x, row_x_);
    if (down == 1 && right + 8 < 16 && length <= 4) {
      packed_.push_back(static_cast<std::uint8_t>(kNextRow | (right + 8) << 2 | (length - 1)));
    } else {
      packed_.push_back(kNewRow);
      push_varint(down);
      push_varint(zigzag(right));
      push_varint(length);
    }
    row_x_ = last_.x;
  }
  packed_last_ = last_;
}

void CellRuns::push_varint(std::uint64_t value) {
  while (value >= 0x80) {
    packed_.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  packed_.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t CellRuns::Reader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = runs_->packed_[at_++];
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

std::optional<CellRun> CellRuns::Reader::next() {
  if (at_ == runs_->packed_.size()) {
    if (last_done_ || runs_->last_.length == 0) return std::nullopt;
    last_done_ = true;
    return runs_->last_;
  }
  const std::uint8_t tag = runs_->packed_[at_++];
  if (tag < kNextRow) {
    run_.x += run_.length + (tag >> 4) + 1;
    run_.length = (tag & 15) + 1;
  } else if (tag == kSameRow) {
    run_.x = advance(run_.x + run_.length, varint());
    run_.length = static_cast<std::int64_t>(varint());
  } else {
    const bool next_row = tag != kNewRow;
    run_.y = advance(run_.y, next_row ? 1 : varint());
    const std::uint64_t right = next_row ? (tag >> 2 & 15u) - std::uint64_t{8} : unzigzag(varint());
    run_.x = row_x_ = advance(row_x_, right);
    run_.length = next_row ? (tag & 3) + 1 : static_cast<std::int64_t>(varint());
  }
  return run_;
}

std::optional<Bounds> CellRuns::bounds() const {
  if (empty()) return std::nullopt;
  return Bounds{xmin_, ymin_, xmax_, last_.y};
}

CellRuns CellRuns::moved(std::int64_t dx, std::int64_t dy) const {
  CellRuns result;
  result.packed_.reserve(packed_.size());
  Reader from = reader();
  while (const std::optional<CellRun> run = from.next()) {
    result.append(run->x + dx, run->y + dy, run->length);
  }
  return result;
}

CellRuns unite(const CellRuns& a, const CellRuns& b) {
  CellRuns result;
  std::int64_t y = 0, end = 0;
  CellRuns::Reader from_a = a.reader();
  CellRuns::Reader from_b = b.reader();
  std::optional<CellRun> next_a = from_a.next();
  std::optional<CellRun> next_b = from_b.next();
  while (next_a || next_b) {
    const bool take_a = next_a && (!next_b || in_reading_order(*next_a, *next_b));
    append_overlapping(result, take_a ? *next_a : *next_b, y, end);
    if (take_a) {
      next_a = from_a.next();
    } else {
      next_b = from_b.next();
    }
  }
  return result;
}

void CellCollector::add(std::int64_t x, std::int64_t y, std::int64_t length) {
  constexpr std::size_t kLoose = std::size_t{1} << 17;
  check_place(x, y, length);
  if (!loose_.empty()) {
    CellRun& last = loose_.back();
    if (last.y == y && last.x + last.length == x) {
      last.length += length;
      return;
    }
  }
  if (loose_.size() == kLoose) flush();
  loose_.push_back({x, y, length});
}

// Works like adding one to a binary counter: full levels carry into the next, so that every run is
// merged only as often as the counter has digits.
void CellCollector::flush() {
  CellRuns carry = sorted_union(loose_);
  loose_.clear();
  for (CellRuns& level : levels_) {
    if (level.empty()) {
      level = std::move(carry);
      return;
    }
    carry = unite(std::exchange(level, {}), carry);
  }
  levels_.push_back(std::move(carry));
}

CellRuns CellCollector::take() {
  CellRuns result = sorted_union(loose_);
  loose_.clear();
  for (CellRuns& level : levels_) result = unite(std::exchange(level, {}), result);
  levels_.clear();
  return result;
}

}  // namespace tessera
