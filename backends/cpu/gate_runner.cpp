#include "backends/cpu/gate_runner.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "backends/cpu/usable_threads.h"

namespace tessera {
namespace {

// Gates of one word each that are worth a task: handing it to another thread takes microseconds.
constexpr std::int64_t kGateTask = 1 << 16;

// The cells of a row of an array from word `column` on, and their neighbours on either side. What
// lies beyond the ends of a row only decides about the ring.
void load_row(const GatePlan& plan, const BitGrid& array, std::int64_t y, std::int64_t column,
              std::uint64_t* to) {
  const std::int64_t columns = plan.columns, stride = plan.stride;
  const std::int64_t whole = whole_vectors(columns);
  const std::uint64_t* from = array.row(y) + column;
  const std::int64_t before = from - array.words().data();
  const std::int64_t behind = std::ssize(array.words()) - before;
  if (before > 0 && behind > whole) {
    load_triples(from, whole, to, to + stride, to + 2 * stride);
    return;
  }
  for (std::int64_t i = 0; i < columns; i++) {
    const std::uint64_t west = before + i > 0 ? from[i - 1] : 0,
                        east = i + 1 < behind ? from[i + 1] : 0;
    to[i] = from[i] << 1 | west >> 63;
    to[stride + i] = from[i];
    to[2 * stride + i] = from[i] >> 1 | east << 63;
  }
}

}  // namespace

GateRunner::GateRunner(const BackendSpec& spec, const Tuning& tuning, std::int64_t patience)
    : words_(ceil_div(spec.width + 2, 64)),
      rows_(spec.height),
      threads_(usable_threads(tuning)),
      programs_(spec, patience) {
  make_plans();
}

BackendInfo GateRunner::tuned(BackendInfo info, const Tuning& tuning) {
  info.tuning = {};
  info.tuning.threads = tuning.threads == 0 ? all_threads() : tuning.threads;
  return info;
}

void GateRunner::make_plans() {
  plans_.clear();
  for (int odd = 0; odd <= static_cast<int>(programs_.alternate()); odd++)
    plans_.emplace_back(programs_.of(odd != 0), words_, rows_);
  scratch_.clear();
}

std::optional<std::string> GateRunner::refusal(const BackendSpec& spec) {
  if (!spec.odd_rule) return std::nullopt;
  const auto wires = [](const Rule& rule) { return rule.family == RuleFamily::wire_world; };
  if (wires(spec.rule) == wires(*spec.odd_rule)) return std::nullopt;
  return "WireWorld, whose states have bits of their own, in turns with another rule";
}

std::size_t GateRunner::most_made() const {
  std::size_t most = 0;
  for (const bool odd : {false, true}) {
    const StateProgram& program = programs_.of(odd && programs_.alternate());
    std::size_t made = 0;
    for (int plane = 0; plane < program.planes; plane++) made += program.makes(plane);
    most = std::max(most, made);
  }
  return most;
}

std::int64_t GateRunner::work_of(bool odd) const {
  return rows_ * words_ * programs_.of(odd).cost();
}

int GateRunner::tasks_of(bool odd) const {
  return static_cast<int>(std::clamp<std::int64_t>(
      std::min(work_of(odd) / kGateTask, rows_ / plans_[odd].rows), 1, threads_));
}

void GateRunner::make_scratch(int tasks) {
  std::int64_t words = 0;
  for (const GatePlan& plan : plans_) words = std::max(words, plan.scratch_words());
  const auto count = static_cast<std::size_t>(words);
  while (std::ssize(scratch_) < tasks) {
    scratch_.push_back(hwy::AllocateAligned<std::uint64_t>(count));
    if (!scratch_.back()) throw std::bad_alloc();
    std::fill_n(scratch_.back().get(), count, 0);
  }
}

void GateRunner::run(std::int64_t generations, bool begins_odd,
                     const std::function<Arrays(const StateProgram&)>& begin,
                     const std::function<void(const StateProgram&)>& end) {
  const int tasks = std::max(tasks_of(false), tasks_of(programs_.alternate()));
  const auto step = [&] {
    for (std::int64_t g = 0; g < generations; g++) {
      if (programs_.search_when_due()) make_plans();
      const bool odd = programs_.alternate() && (g + begins_odd) % 2 == 1;
      programs_.did(work_of(odd));
      make_scratch(tasks);
      const Arrays arrays = begin(programs_.of(odd));
      const auto band = [&](int task) {
        step_band(plans_[odd], arrays, 1 + rows_ * task / tasks, 1 + rows_ * (task + 1) / tasks,
                  scratch_[static_cast<std::size_t>(task)].get());
      };
      if (tasks == 1) {
        band(0);
      } else {
        crew_->share(tasks, band);
      }
      end(programs_.of(odd));
    }
  };
  if (tasks == 1) {
    step();
  } else {
    if (!crew_) crew_ = std::make_unique<Crew>(threads_);
    crew_->gather(step);
  }
}

// Rows `first` to `last` - 1 of the arrays, in blocks. Where the last block would be cut, it begins
// earlier and computes some words again.
void GateRunner::step_band(const GatePlan& plan, const Arrays& arrays, std::int64_t first,
                           std::int64_t last, std::uint64_t* scratch) const {
  const std::int64_t columns = plan.columns;
  for (std::int64_t y = first; y < last; y += plan.rows) {
    const std::int64_t rows = std::min(plan.rows, last - y);
    for (std::int64_t column = 0; column < words_; column += columns)
      step_block(plan, arrays, y, rows, std::min(column, words_ - columns), scratch);
  }
}

void GateRunner::step_block(const GatePlan& plan, const Arrays& arrays, std::int64_t y,
                            std::int64_t rows, std::int64_t column, std::uint64_t* scratch) const {
  const std::int64_t columns = plan.columns;
  const auto bytes = static_cast<std::size_t>(columns) * 8;
  for (std::int64_t row = -1; row <= rows; row++)
    load_row(plan, *arrays.from[0], y + row, column, scratch + (row + 1) * columns);
  for (const GatePlan::Place& in : plan.in) {
    const BitGrid& from = *arrays.from[static_cast<std::size_t>(in.plane)];
    for (std::int64_t row = 0; row < rows; row++)
      std::memcpy(scratch + in.at + row * columns, from.row(y + row) + column, bytes);
  }
  const std::int64_t inner = whole_vectors(rows * columns),
                     outer = whole_vectors((rows + 2) * columns);
  for (const GatePlan::Step& step : plan.steps) {
    step.function(scratch + step.in[0], scratch + step.in[1], scratch + step.in[2],
                  scratch + step.out, step.of_rows ? outer : inner);
  }
  for (const GatePlan::Place& out : plan.out) {
    BitGrid& to = *arrays.to[static_cast<std::size_t>(out.plane)];
    for (std::int64_t row = 0; row < rows; row++)
      std::memcpy(to.row(y + row) + column, scratch + out.at + row * columns, bytes);
  }
}

}  // namespace tessera
