#include "backends/cpu/box_backend.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include "backends/cpu/gate_runner.h"
#include "backends/cpu/moving_planes.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {
namespace {

// Gates of one word each that are worth a task: handing it to another thread takes microseconds.
constexpr std::int64_t kTaskWork = 1 << 16;
// Bytes of the rows' sums that a block keeps, and its fewest columns beside those that it needs
// beyond them.
constexpr std::int64_t kKept = 1 << 18, kFewestColumns = 16;
// Rules of more runs of counts take more gates than a table is worth.
constexpr std::size_t kMostRuns = 32;

constexpr std::int64_t side_of(int radius) { return 2 * radius + 1; }

int bits_of(std::int64_t most) { return std::bit_width(static_cast<unsigned>(most)); }

hwy::AlignedFreeUniquePtr<std::uint64_t[]> dead_words(std::int64_t words) {
  auto out = hwy::AllocateAligned<std::uint64_t>(static_cast<std::size_t>(words));
  if (!out) throw std::bad_alloc();
  std::fill_n(out.get(), words, 0);
  return out;
}

std::int64_t block_columns(int radius, std::int64_t columns) {
  const std::int64_t kept = kKept / (side_of(radius) * bits_of(side_of(radius)) * kBoxLanes * 8);
  const std::int64_t most =
      std::clamp<std::int64_t>(kept, 8, std::max<std::int64_t>(kFewestColumns, radius));
  return ceil_div(columns, ceil_div(columns, most));
}

}  // namespace

BoxBackend::BoxBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                       EndGates end)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning), end.states()),
      radius_(spec.rule.range->radius),
      row_bits_(bits_of(side_of(radius_))),
      box_bits_(bits_of(side_of(radius_) * side_of(radius_))),
      layout_(spec, radius_),
      add_row_(box_function(row_bits_, box_bits_)),
      end_(std::move(end)),
      block_(block_columns(radius_, layout_.columns())),
      stride_(block_ * kBoxLanes + kBoxLanes),
      threads_(usable_threads(tuning)) {
  const StateProgram& program = end_.states();
  for (int plane = 0; plane < program.planes; plane++) {
    planes_.push_back(dead_words(layout_.words()));
    if (program.makes(plane)) spare_.push_back(dead_words(layout_.words()));
  }
}

bool BoxBackend::takes(const Rule& rule) {
  return rule.range->shape == RangeShape::moore && rule.range->birth.runs.size() <= kMostRuns &&
         rule.range->survival.runs.size() <= kMostRuns;
}

std::optional<std::int64_t> BoxBackend::bytes_needed(const BackendSpec& spec) {
  const auto words = BoxLayout::words_of(spec, spec.rule.range->radius);
  // Up to two planes more than bits of a state, and as many again that gates make.
  if (!words) return std::nullopt;
  return *words * 8 * 2 * (spec.rule.planes() + (spec.rule.states() > 2 ? 2 : 0));
}

int BoxBackend::cost() const {
  // A sum along a row takes 2 gates for its first bit and 2 for each other but the last, one; that
  // of boxes 4 for each bit of the row's and 2 for each other, but one less at the end.
  return 2 * row_bits_ - 1 + 2 * row_bits_ + 2 * box_bits_ - 1 + end_.cost();
}

BitGrid BoxBackend::cells_of(int plane, const Rect& rect) const {
  return layout_.take(planes_[static_cast<std::size_t>(plane)].get(), rect);
}

void BoxBackend::set_cells(int plane, const Cell& at, const BitGrid& cells) {
  layout_.put(planes_[static_cast<std::size_t>(plane)].get(), at.x, at.y, cells);
}

void BoxBackend::do_step(std::int64_t generations) {
  const std::int64_t work = layout_.rows() * layout_.columns() * kBoxLanes * cost();
  const int tasks = static_cast<int>(std::clamp<std::int64_t>(work / kTaskWork, 1, threads_));
  const std::int64_t words =
      side_of(radius_) * block_ * row_bits_ * kBoxLanes + (box_bits_ + end_.buffers()) * stride_;
  while (std::ssize(scratch_) < tasks) scratch_.push_back(dead_words(words));
  const auto lead = [&] {
    for (std::int64_t g = 0; g < generations; g++) step_once(tasks);
  };
  if (tasks == 1) {
    lead();
  } else {
    if (!crew_) crew_ = std::make_unique<Crew>(threads_);
    crew_->gather(lead);
  }
}

void BoxBackend::share(int tasks, const std::function<void(int)>& task) {
  tasks == 1 ? task(0) : crew_->share(tasks, task);
}

void BoxBackend::step_once(int tasks) {
  std::uint64_t* const cells = planes_.front().get();
  share(tasks, [&](int task) {
    layout_.fill_columns(cells, layout_.rows() * task / tasks, layout_.rows() * (task + 1) / tasks);
  });
  layout_.fill_rows(cells);
  share(tasks, [&](int task) { step_task(task, tasks); });
  advance_planes(end_.states(), planes_, spare_);
}

// Blocks of columns begin with sums of a few cells, parts of rows with those of 2 * radius rows.
void BoxBackend::step_task(int task, int tasks) const {
  const std::int64_t columns = layout_.columns(), rows = layout_.rows();
  const std::int64_t blocks = ceil_div(columns, block_);
  const bool by_rows = blocks < 2 * tasks && rows / tasks > 2 * radius_;
  const std::int64_t first = by_rows ? rows * task / tasks : 0;
  const std::int64_t last = by_rows ? rows * (task + 1) / tasks : rows;
  for (std::int64_t block = by_rows ? 0 : task; block < blocks; block += by_rows ? 1 : tasks) {
    step_block(first, last, block * block_, std::min(columns, (block + 1) * block_),
               scratch_[static_cast<std::size_t>(task)].get());
  }
}

void BoxBackend::step_block(std::int64_t first_row, std::int64_t last_row,
                            std::int64_t first_column, std::int64_t last_column,
                            std::uint64_t* scratch) const {
  const std::int64_t side = side_of(radius_), kept = block_ * row_bits_ * kBoxLanes;
  std::uint64_t* const sums = scratch + side * kept;
  std::fill(scratch, sums + box_bits_ * stride_, 0);
  BoxRow row{nullptr, last_column - first_column, radius_, row_bits_, box_bits_, nullptr, sums,
             stride_};
  EndGates::Row end{sums, sums + box_bits_ * stride_, stride_, {}, {}, row.columns * kBoxLanes};
  for (std::int64_t y = first_row - radius_; y < last_row + radius_; y++) {
    row.cells = planes_.front().get() + layout_.at(y, first_column);
    row.leaving = scratch + (y - first_row + radius_) % side * kept;
    add_row_(row);
    const std::int64_t done = layout_.at(y - radius_, first_column);
    if (y - radius_ < first_row) continue;
    for (std::size_t p = 0; p < planes_.size(); p++) end.from[p] = planes_[p].get() + done;
    for (std::size_t p = 0; p < spare_.size(); p++) end.to[p] = spare_[p].get() + done;
    end_.run(end);
  }
}

}  // namespace tessera
