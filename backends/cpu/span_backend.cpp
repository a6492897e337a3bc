#include "backends/cpu/span_backend.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backends/cpu/gate_runner.h"
#include "backends/cpu/span_sums.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {
namespace {

// Cells times runs of neighbours that are worth a task.
constexpr std::int64_t kSpanTask = 1 << 18;

std::vector<std::uint8_t> table_of(const CountSet& counts, int most) {
  std::vector<std::uint8_t> table(static_cast<std::size_t>(most) + 1);
  for (const CountSet::Run& run : counts.runs)
    std::fill(table.begin() + run.first, table.begin() + std::min(run.last, most) + 1, 1);
  return table;
}

}  // namespace

SpanBackend::SpanBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning)),
      spans_(spans_of(*spec.rule.range)),
      born_(table_of(spec.rule.range->birth, spec.rule.range->most())),
      stays_(table_of(spec.rule.range->survival, spec.rule.range->most())),
      radius_(spec.rule.range->radius),
      threads_(usable_threads(tuning)),
      planes_(static_cast<std::size_t>(spec.rule.planes()), BitGrid(spec.width, spec.height)),
      next_(planes_) {}

std::int64_t SpanBackend::bytes_needed(const BackendSpec& spec) {
  const std::int64_t grids =
      BitGrid::bytes(spec.width, spec.height).value_or(std::int64_t{1} << 56);
  const std::int64_t rows = 2 * std::int64_t{spec.rule.range->radius} + 2;
  return 2 * spec.rule.planes() * grids + rows * 4 * (spec.width + rows);
}

BitGrid SpanBackend::cells_of(int plane, const Rect& rect) const {
  return planes_[static_cast<std::size_t>(plane)].window(rect);
}

void SpanBackend::set_cells(int plane, const Cell& at, const BitGrid& cells) {
  planes_[static_cast<std::size_t>(plane)].paste(at.x, at.y, cells);
}

void SpanBackend::do_step(std::int64_t generations) {
  const std::int64_t rows = spec().height;
  const std::int64_t work = rows * spec().width * (1 + std::ssize(spans_));
  const std::int64_t least = std::max<std::int64_t>(1, rows / (2 * radius_));
  const int tasks = static_cast<int>(
      std::clamp<std::int64_t>(work / kSpanTask, 1, std::min<std::int64_t>(threads_, least)));
  const auto lead = [&] {
    for (std::int64_t g = 0; g < generations; g++) {
      const auto band = [&](int task) {
        step_rows(rows * task / tasks, rows * (task + 1) / tasks);
      };
      tasks == 1 ? band(0) : crew_->share(tasks, band);
      std::swap(planes_, next_);
    }
  };
  if (tasks == 1) {
    lead();
  } else {
    if (!crew_) crew_ = std::make_unique<Crew>(threads_);
    crew_->gather(lead);
  }
}

void SpanBackend::step_rows(std::int64_t first, std::int64_t last) {
  const std::int64_t side = 2 * std::int64_t{radius_} + 1, length = spec().width + side;
  std::vector<std::int32_t> sums(static_cast<std::size_t>(side * length)),
      counts(static_cast<std::size_t>(spec().width));
  const auto row = [&](std::int64_t y) { return sums.data() + floor_mod(y, side) * length; };
  for (std::int64_t y = first - radius_; y < last + radius_; y++) {
    sum_row(y, row(y));
    const std::int64_t done = y - radius_;
    if (done < first) continue;
    std::ranges::fill(counts, 0);
    for (const RangeSpan& span : spans_) {
      const std::int32_t* const from = row(done + span.dy) + radius_;
      add_differences(counts.data(), from + span.last + 1, from + span.first, spec().width);
    }
    write_row(done, counts.data());
  }
}

// For each cell from `radius_` left of row y on, how many cells of state 1 stand before it; and
// behind the last of them, `radius_` right of the row, how many there are. `y` may be outside.
void SpanBackend::sum_row(std::int64_t y, std::int32_t* sums) const {
  const std::int64_t width = spec().width, height = spec().height;
  const bool torus = spec().boundary == Boundary::torus;
  const bool outside = y < 0 || y >= height;
  if (outside && !torus) {
    std::fill_n(sums, width + 2 * radius_ + 1, 0);
    return;
  }
  const std::int64_t row = floor_mod(y, height);
  const auto lives = [&](std::int64_t x) {
    if (x < 0 || x >= width) {
      if (!torus) return false;
      x = floor_mod(x, width);
    }
    bool one = planes_.front().get(x, row);
    for (std::size_t p = 1; p < planes_.size(); p++) one = one && !planes_[p].get(x, row);
    return one;
  };
  std::int32_t sum = 0;
  for (std::int64_t x = -radius_; x < width + radius_; x++) {
    *sums++ = sum;
    sum += lives(x);
  }
  *sums = sum;
}

void SpanBackend::write_row(std::int64_t y, const std::int32_t* counts) {
  const int states = spec().rule.states();
  const std::size_t planes = planes_.size();
  for (std::int64_t x = 0; x < spec().width; x += 64) {
    const std::int64_t cells = std::min<std::int64_t>(64, spec().width - x);
    std::uint64_t words[8] = {};
    for (std::int64_t i = 0; i < cells; i++) {
      unsigned state = 0;
      for (std::size_t p = 0; p < planes; p++)
        state |= static_cast<unsigned>(planes_[p].row(y)[x / 64] >> i & 1) << p;
      const auto count = static_cast<std::size_t>(counts[x + i]);
      unsigned next = 0;
      if (state > 1 || (state == 1 && !stays_[count])) {
        next = (state + 1) % static_cast<unsigned>(states);
      } else {
        next = state == 1 || born_[count];
      }
      for (std::size_t p = 0; p < planes; p++) words[p] |= std::uint64_t{next >> p & 1} << i;
    }
    for (std::size_t p = 0; p < planes; p++) next_[p].row(y)[x / 64] = words[p];
  }
}

}  // namespace tessera
