#include "backends/cpu/gates_backend.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "backends/cpu/usable_threads.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

namespace tessera {
namespace {

// Gates of one word each that are worth a task: handing it to another thread takes microseconds.
constexpr std::int64_t kTaskWork = 1 << 16;

}  // namespace

KernelInfo GatesBackend::kernel_info() {
  KernelInfo info{
      "gates",
      "any rule of range 1, compiled to gates that are interpreted over vectors, bands "
      "over threads",
      {{&Tuning::threads, "threads", "threads that share a pass", {}, 1, kMostThreads}}};
  info.any_rule = info.any_edges = info.two_rules = true;
  return info;
}

GatesBackend::GatesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                           std::int64_t patience)
    : RingedBackend(spec,
                    [&] {
                      info.tuning = {};
                      info.tuning.threads = tuning.threads == 0 ? all_threads() : tuning.threads;
                      return std::move(info);
                    }()),
      threads_(usable_threads(tuning)),
      patience_(patience) {
  add_program(spec.rule);
  if (spec.odd_rule) add_program(*spec.odd_rule);
}

void GatesBackend::add_program(const Rule& rule) {
  Program program{neighbourhood_table(rule)};
  const std::optional<GateProgram> known = known_program(program.table);
  program.searched = known.has_value();
  use(known ? *known : first_program(program.table), program);
  programs_.push_back(std::move(program));
}

void GatesBackend::use(const GateProgram& found, Program& program) {
  program.plan.emplace(found, front_.words_per_row(), spec().height);
  program.gates = found.cost();
  scratch_.clear();
}

void GatesBackend::search_when_due() {
  if (patience_ > 0) return;
  for (Program& program : programs_) {
    if (program.searched) continue;
    program.searched = true;
    // An infinite plane replaces its grid again and again: it is searched for once.
    use(found_program(program.table), program);
  }
}

std::int64_t GatesBackend::work_of(const Program& program) const {
  return spec().height * front_.words_per_row() * program.gates;
}

int GatesBackend::tasks_of(const Program& program) const {
  return static_cast<int>(std::clamp<std::int64_t>(
      std::min(work_of(program) / kTaskWork, spec().height / program.plan->rows), 1, threads_));
}

void GatesBackend::make_scratch(int tasks) {
  std::int64_t words = 0;
  for (const Program& program : programs_) words = std::max(words, program.plan->scratch_words());
  const auto count = static_cast<std::size_t>(words);
  while (std::ssize(scratch_) < tasks) {
    scratch_.push_back(hwy::AllocateAligned<std::uint64_t>(count));
    if (!scratch_.back()) throw std::bad_alloc();
    std::fill_n(scratch_.back().get(), count, 0);
  }
}

void GatesBackend::step_once(const Program& program, int tasks) {
  const std::int64_t h = spec().height;
  patience_ -= std::min(patience_, work_of(program));
  make_scratch(tasks);
  write_ring();
  plan_ = &*program.plan;
  const auto band = [&](int task) {
    step_band(1 + h * task / tasks, 1 + h * (task + 1) / tasks,
              scratch_[static_cast<std::size_t>(task)].get());
  };
  if (tasks == 1) {
    band(0);
  } else {
    crew_->share(tasks, band);
  }
  std::swap(front_, back_);
}

void GatesBackend::do_step(std::int64_t generations) {
  const int tasks = std::max(tasks_of(programs_.front()), tasks_of(programs_.back()));
  const auto step = [&] {
    for (std::int64_t g = 0; g < generations; g++) {
      search_when_due();
      const bool odd = programs_.size() > 1 && (g + begins_odd()) % 2 == 1;
      step_once(programs_[odd], tasks);
    }
  };
  if (tasks == 1) {
    step();
  } else {
    if (!crew_) crew_ = std::make_unique<Crew>(threads_);
    crew_->gather(step);
  }
}

// Rows `first` to `last` - 1 of the array, in blocks. Where the last block would be cut, it begins
// earlier and computes some words again.
void GatesBackend::step_band(std::int64_t first, std::int64_t last, std::uint64_t* scratch) {
  const std::int64_t words = front_.words_per_row(), columns = plan_->columns;
  for (std::int64_t y = first; y < last; y += plan_->rows) {
    const std::int64_t rows = std::min(plan_->rows, last - y);
    for (std::int64_t column = 0; column < words; column += columns)
      step_block(y, rows, std::min(column, words - columns), scratch);
  }
}

void GatesBackend::step_block(std::int64_t y, std::int64_t rows, std::int64_t column,
                              std::uint64_t* scratch) {
  const std::int64_t columns = plan_->columns;
  for (std::int64_t row = -1; row <= rows; row++)
    load_row(y + row, column, scratch + (row + 1) * columns);
  const std::int64_t inner = whole_vectors(rows * columns),
                     outer = whole_vectors((rows + 2) * columns);
  for (const GatePlan::Step& step : plan_->steps) {
    step.function(scratch + step.in[0], scratch + step.in[1], scratch + step.in[2],
                  scratch + step.out, step.of_rows ? outer : inner);
  }
  const std::uint64_t* next = scratch + plan_->out();
  for (std::int64_t row = 0; row < rows; row++, next += columns)
    std::memcpy(back_.row(y + row) + column, next, static_cast<std::size_t>(columns) * 8);
}

// The cells of a row of the array from word `column` on, and their neighbours on either side. What
// lies beyond the ends of a row only decides about the ring.
void GatesBackend::load_row(std::int64_t y, std::int64_t column, std::uint64_t* to) {
  const std::int64_t columns = plan_->columns, stride = plan_->stride;
  const std::int64_t whole = whole_vectors(columns);
  const std::uint64_t* from = front_.row(y) + column;
  const std::int64_t before = from - front_.words().data();
  const std::int64_t behind = std::ssize(front_.words()) - before;
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

}  // namespace tessera
