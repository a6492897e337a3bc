#include "backends/cpu/changed_blocks.h"

#include <algorithm>
#include <numeric>

namespace tessera {

ChangedBlocks::ChangedBlocks(std::int64_t width, std::int64_t height)
    : blocks_(ceil_div(width, kCells)),
      rows_(height),
      pitch_(blocks_ + 2),
      now_(static_cast<std::size_t>(pitch_ * (rows_ + 2))),
      next_(now_.size()),
      counts_(static_cast<std::size_t>(rows_ + 2)),
      next_counts_(counts_.size()) {}

std::int64_t ChangedBlocks::bytes_needed(std::int64_t width, std::int64_t height) {
  const auto each = static_cast<std::int64_t>(2 * sizeof(int));
  return (2 * (ceil_div(width, kCells) + 2) + each) * (height + 2);
}

void ChangedBlocks::mark(std::int64_t x, std::int64_t y) {
  // A grid's last block may be cut, and what lies beyond it is the ring all the same.
  const std::int64_t block = x < 0 ? -1 : x / kCells;
  std::uint8_t& flag = now_[static_cast<std::size_t>((y + 1) * pitch_ + block + 1)];
  counts_[static_cast<std::size_t>(y + 1)] += flag == 0;
  flag = 1;
}

void ChangedBlocks::mark_all() {
  for (std::int64_t y = 0; y < rows_; y++) {
    for (std::int64_t block = 0; block < blocks_; block++) mark(block * kCells, y);
  }
}

void ChangedBlocks::begin_row(std::int64_t y) {
  int& count = next_counts_[static_cast<std::size_t>(y + 1)];
  if (count == 0) return;
  std::fill_n(next_.begin() + (y + 1) * pitch_, pitch_, std::uint8_t{0});
  count = 0;
}

void ChangedBlocks::advance() {
  // Nobody tells of the ring's rows.
  begin_row(-1);
  begin_row(rows_);
  std::swap(now_, next_);
  std::swap(counts_, next_counts_);
}

std::int64_t ChangedBlocks::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

std::vector<std::int64_t> ChangedBlocks::shares(int parts) const {
  std::vector<std::int64_t> begins{0};
  const std::int64_t all = total();
  std::int64_t sum = count(-1);
  for (std::int64_t y = 0; y < rows_; y++) {
    while (std::ssize(begins) < parts && sum >= all * std::ssize(begins) / parts)
      begins.push_back(y);
    sum += count(y);
  }
  begins.resize(static_cast<std::size_t>(parts) + 1, rows_);
  return begins;
}

}  // namespace tessera
