#include "backends/cpu/box_backend.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "backends/cpu/gate_runner.h"
#include "backends/cpu/moving_planes.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {
namespace {

// Gates of one word each that are worth a task: handing it to another thread takes microseconds.
constexpr std::int64_t kBoxTask = 1 << 16;
// Rules of more runs of counts take more gates than a table is worth.
constexpr std::size_t kMostRuns = 32;

BoxPlanes::value_type dead_words(std::int64_t words) {
  auto out = hwy::AllocateAligned<std::uint64_t>(static_cast<std::size_t>(words));
  if (!out) throw std::bad_alloc();
  std::fill_n(out.get(), words, 0);
  return out;
}

}  // namespace

BoxBackend::BoxBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning, int lanes,
                       EndProgram end)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning), end.states),
      layout_(spec, spec.rule.range->radius),
      end_(std::move(end)),
      stepper_(BlockStepper::of(spec, layout_, end_, lanes)),
      threads_(usable_threads(tuning)) {
  for (int plane = 0; plane < end_.states.planes; plane++) {
    planes_.push_back(dead_words(layout_.words() + kBoxLanes));
    if (end_.states.makes(plane)) spare_.push_back(dead_words(layout_.words() + kBoxLanes));
  }
}

bool BoxBackend::takes(const BackendSpec& spec, int lanes) {
  if (spec.odd_rule) return false;
  const RangeRule& rule = *spec.rule.range;
  if (rule.birth.runs.size() > kMostRuns || rule.survival.runs.size() > kMostRuns) return false;
  return rule.shape == RangeShape::moore || BlockStepper::codes(spec, lanes);
}

std::optional<std::int64_t> BoxBackend::bytes_needed(const BackendSpec& spec) {
  const auto words = BoxLayout::words_of(spec, spec.rule.range->radius);
  // Up to two planes more than bits of a state, and as many again that gates make.
  if (!words) return std::nullopt;
  return *words * 8 * 2 * (spec.rule.planes() + (spec.rule.states() > 2 ? 2 : 0));
}

BitGrid BoxBackend::cells_of(int plane, const Rect& rect) const {
  return layout_.take(planes_[static_cast<std::size_t>(plane)].get(), rect);
}

void BoxBackend::set_cells(int plane, const Cell& at, const BitGrid& cells) {
  layout_.put(planes_[static_cast<std::size_t>(plane)].get(), at.x, at.y, cells);
}

void BoxBackend::do_step(std::int64_t generations) {
  const std::int64_t work = layout_.rows() * layout_.columns() * kBoxLanes * cost();
  const int tasks = static_cast<int>(std::clamp<std::int64_t>(work / kBoxTask, 1, threads_));
  while (std::ssize(scratch_) < tasks) scratch_.push_back(dead_words(stepper_->scratch_words()));
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
  advance_planes(end_.states, std::span(planes_), std::span(spare_));
}

// Blocks of columns begin with counts of a few cells, parts of rows with those of a few rows.
void BoxBackend::step_task(int task, int tasks) const {
  const std::int64_t columns = layout_.columns(), rows = layout_.rows();
  const std::int64_t most = stepper_->columns(), blocks = ceil_div(columns, most);
  const bool by_rows = blocks < 2 * tasks && rows / tasks > 2 * layout_.reach();
  const std::int64_t first = by_rows ? rows * task / tasks : 0;
  const std::int64_t last = by_rows ? rows * (task + 1) / tasks : rows;
  for (std::int64_t block = by_rows ? 0 : task; block < blocks; block += by_rows ? 1 : tasks) {
    stepper_->step({first, last, block * most, std::min(columns, (block + 1) * most)}, planes_,
                   spare_, scratch_[static_cast<std::size_t>(task)].get());
  }
}

}  // namespace tessera
