#include "backends/cpu/summed_blocks.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tessera {

SummedBlocks::SummedBlocks(const RangeRule& rule, const BoxLayout& layout, const EndProgram& end)
    : layout_(layout),
      radius_(rule.radius),
      row_bits_(box_row_bits(radius_)),
      box_bits_(end.bits),
      add_row_(box_function(row_bits_, box_bits_)),
      end_(end),
      end_cost_(end.cost()),
      columns_(columns_for(layout, (2 * radius_ + 1) * row_bits_ * kBoxLanes * 8)),
      stride_(columns_ * kBoxLanes + kBoxLanes) {}

std::int64_t SummedBlocks::scratch_words() const {
  return (2 * radius_ + 1) * columns_ * row_bits_ * kBoxLanes +
         (box_bits_ + end_.buffers()) * stride_;
}

int SummedBlocks::cost() const { return box_cost(row_bits_, box_bits_) + end_cost_; }

void SummedBlocks::step(const BoxBlock& block, const BoxPlanes& from, const BoxPlanes& to,
                        std::uint64_t* scratch) const {
  const std::int64_t side = 2 * radius_ + 1, kept = columns_ * row_bits_ * kBoxLanes;
  std::uint64_t* const sums = scratch + side * kept;
  std::fill(scratch, sums + box_bits_ * stride_, 0);
  BoxRow row{
      nullptr, block.last_column - block.first_column, radius_, row_bits_, box_bits_, nullptr, sums,
      stride_};
  EndGates::Row end{sums, sums + box_bits_ * stride_, stride_, {}, {}, row.columns * kBoxLanes};
  for (std::int64_t y = block.first_row - radius_; y < block.last_row + radius_; y++) {
    row.cells = from.front().get() + layout_.at(y, block.first_column);
    row.leaving = scratch + (y - block.first_row + radius_) % side * kept;
    add_row_(row);
    const std::int64_t done = layout_.at(y - radius_, block.first_column);
    if (y - radius_ < block.first_row) continue;
    for (std::size_t p = 0; p < from.size(); p++) end.from[p] = from[p].get() + done;
    for (std::size_t p = 0; p < to.size(); p++) end.to[p] = to[p].get() + done;
    end_.run(end);
  }
}

}  // namespace tessera
