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

// The rule as one that counts neighbours up to some range, where it is: nothing of those that look
// at how neighbours lie.
std::optional<RangeRule> counting_rule(const Rule& rule) {
  if (rule.ranged()) return *rule.range;
  RangeRule out;
  switch (rule.family) {
    case RuleFamily::outer_totalistic:
      out.shape = RangeShape::moore;
      break;
    case RuleFamily::hexagonal:
      out.shape = RangeShape::hexagonal;
      break;
    case RuleFamily::von_neumann:
      out.shape = RangeShape::von_neumann;
      break;
    default:
      return std::nullopt;
  }
  // A pattern for each count: one neighbour more in each.
  std::vector<CountSet::Run> birth, survival;
  int pattern = 0, count = 0;
  const auto add = [&] {
    if (rule.next_of(pattern)) birth.push_back({count, count});
    if (rule.next_of(pattern | 1 << kCentreBit)) survival.push_back({count, count});
  };
  add();
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      if (!out.neighbour(dx, dy)) continue;
      pattern |= 1 << (kCentreBit - 3 * dy - dx);
      count++;
      add();
    }
  }
  out.birth = CountSet::of(std::move(birth));
  out.survival = CountSet::of(std::move(survival));
  return out;
}

}  // namespace

SpanBackend::Counting::Counting(const RangeRule& rule)
    : radius(rule.radius),
      spans(spans_of(rule)),
      born(table_of(rule.birth, rule.most())),
      stays(table_of(rule.survival, rule.most())) {}

SpanBackend::SpanBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning)),
      threads_(usable_threads(tuning)),
      planes_(static_cast<std::size_t>(spec.rule.planes()), BitGrid(spec.width, spec.height)),
      next_(planes_) {
  countings_.emplace_back(counting_rule(spec.rule).value());
  if (spec.odd_rule) countings_.emplace_back(counting_rule(*spec.odd_rule).value());
}

std::optional<Rule> SpanBackend::refusal(const BackendSpec& spec) {
  if (!counting_rule(spec.rule)) return spec.rule;
  if (spec.odd_rule && !counting_rule(*spec.odd_rule)) return spec.odd_rule;
  return std::nullopt;
}

std::int64_t SpanBackend::bytes_needed(const BackendSpec& spec) {
  const std::int64_t grids =
      BitGrid::bytes(spec.width, spec.height).value_or(std::int64_t{1} << 56);
  const std::int64_t rows = 2 * std::int64_t{spec.reach()} + 2;
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
  std::int64_t spans = 0;
  for (const Counting& each : countings_) spans = std::max(spans, std::ssize(each.spans));
  const std::int64_t work = rows * spec().width * (1 + spans);
  const std::int64_t least = std::max<std::int64_t>(1, rows / (2 * spec().reach()));
  const int tasks = static_cast<int>(
      std::clamp<std::int64_t>(work / kSpanTask, 1, std::min<std::int64_t>(threads_, least)));
  const auto lead = [&] {
    for (std::int64_t g = 0; g < generations; g++) {
      const Counting& counting = countings_[&rule_of(g) == &spec().rule ? 0 : 1];
      const auto band = [&](int task) {
        step_rows(counting, rows * task / tasks, rows * (task + 1) / tasks);
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

void SpanBackend::step_rows(const Counting& counting, std::int64_t first, std::int64_t last) {
  const int radius = counting.radius;
  const std::int64_t side = 2 * std::int64_t{radius} + 1, length = spec().width + side;
  std::vector<std::int32_t> sums(static_cast<std::size_t>(side * length)),
      counts(static_cast<std::size_t>(spec().width));
  const auto row = [&](std::int64_t y) { return sums.data() + floor_mod(y, side) * length; };
  for (std::int64_t y = first - radius; y < last + radius; y++) {
    sum_row(radius, y, row(y));
    const std::int64_t done = y - radius;
    if (done < first) continue;
    std::ranges::fill(counts, 0);
    for (const RangeSpan& span : counting.spans) {
      const std::int32_t* const from = row(done + span.dy) + radius;
      add_differences(counts.data(), from + span.last + 1, from + span.first, spec().width);
    }
    write_row(counting, done, counts.data());
  }
}

// For each cell from `radius_` left of row y on, how many cells of state 1 stand before it; and
// behind the last of them, `radius_` right of the row, how many there are. `y` may be outside.
void SpanBackend::sum_row(int radius, std::int64_t y, std::int32_t* sums) const {
  const std::int64_t width = spec().width, height = spec().height;
  const bool torus = spec().boundary == Boundary::torus;
  const bool outside = y < 0 || y >= height;
  if (outside && !torus) {
    std::fill_n(sums, width + 2 * radius + 1, 0);
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
  for (std::int64_t x = -radius; x < width + radius; x++) {
    *sums++ = sum;
    sum += lives(x);
  }
  *sums = sum;
}

void SpanBackend::write_row(const Counting& counting, std::int64_t y, const std::int32_t* counts) {
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
      if (state > 1 || (state == 1 && !counting.stays[count])) {
        next = (state + 1) % static_cast<unsigned>(states);
      } else {
        next = state == 1 || counting.born[count];
      }
      for (std::size_t p = 0; p < planes; p++) words[p] |= std::uint64_t{next >> p & 1} << i;
    }
    for (std::size_t p = 0; p < planes; p++) next_[p].row(y)[x / 64] = words[p];
  }
}

}  // namespace tessera
