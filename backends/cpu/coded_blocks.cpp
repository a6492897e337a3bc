#include "backends/cpu/coded_blocks.h"

#include <cstddef>
#include <limits>
#include <new>

#include "backends/cpu/box_kernel.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/row_code.h"

namespace tessera {
namespace {

// Cells at the edges of a neighbourhood, at most: code for more would no longer stay in the caches.
constexpr std::size_t kMostEdges = 4096;

enum Part : std::size_t { first_row, next_row, next_rows };

std::int64_t frame_groups(const RangeCode& code) { return ceil_div(code.frame_words(), kBoxLanes); }

}  // namespace

CodedBlocks::CodedBlocks(const RangeRule& rule, const BoxLayout& layout, const EndProgram& end,
                         int lanes)
    : layout_(layout),
      bits_(end.bits),
      columns_(columns_for(layout, (2 * rule.radius + 1 + end.bits) * kBoxLanes * 8)) {
  const CountEdges down(rule, CountEdges::Step::down), right(rule, CountEdges::Step::right);
  cost_ = next_rows_cost(end, down);
  at_once_ = rows_at_once(end, down, code_registers(lanes));
  for (const CellOffset& each : counted_cells(rule))
    distances_.push_back(each.dy * layout.row_words() + each.dx * kBoxLanes);
  const bool three = has_three_input_gates(lanes);
  code_ = RangeCode::of({first_row_code(end, right, three), next_rows_code(end, down, 1, three),
                         next_rows_code(end, down, at_once_, three)},
                        {layout.row_words(), columns_ * kBoxLanes}, lanes);
}

bool CodedBlocks::takes(const RangeRule& rule, std::int64_t row_words) {
  // Instructions hold distances of 32 bits.
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int32_t>::max() / 8;
  if (row_words > kFarthest / (2 * rule.radius + kMostRowsAtOnce)) return false;
  for (const auto step : {CountEdges::Step::down, CountEdges::Step::right}) {
    const CountEdges edges(rule, step);
    if (edges.cells.plus.size() + edges.cells.minus.size() > kMostEdges) return false;
  }
  return true;
}

// The frame, the counts of the first column, and then all of a row.
std::int64_t CodedBlocks::scratch_words() const {
  return (frame_groups(*code_) + bits_ + bits_ * columns_) * kBoxLanes;
}

void CodedBlocks::step(const BoxBlock& block, const BoxPlanes& from, const BoxPlanes& to,
                       std::uint64_t* scratch) const {
  auto& frame = *new (scratch) RangeCodeFrame{};
  std::uint64_t* const start = scratch + frame_groups(*code_) * kBoxLanes;
  frame.start = start;
  frame.sums = start + bits_ * kBoxLanes;
  frame.end = (block.last_column - block.first_column) * kBoxLanes * 8;
  place(frame, from, to, block.first_row, block.first_column);
  count_cells(frame.cells, distances_, static_cast<int>(bits_), start);
  code_->run(first_row, frame);
  for (std::int64_t y = block.first_row + 1; y < block.last_row;) {
    const bool many = block.last_row - y >= at_once_;
    place(frame, from, to, y, block.first_column);
    code_->run(many ? next_rows : next_row, frame);
    y += many ? at_once_ : 1;
  }
}

void CodedBlocks::place(RangeCodeFrame& frame, const BoxPlanes& from, const BoxPlanes& to,
                        std::int64_t row, std::int64_t column) const {
  const std::int64_t at = layout_.at(row, column);
  frame.cells = from.front().get() + at;
  for (std::size_t p = 0; p < from.size(); p++) frame.planes_in[p] = from[p].get() + at;
  for (std::size_t p = 0; p < to.size(); p++) frame.planes_out[p] = to[p].get() + at;
}

}  // namespace tessera
