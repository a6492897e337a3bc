#include "apps/tessera/run/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

#include "apps/common/console.h"
#include "apps/common/pace.h"
#include "apps/common/stop_signal.h"
#include "apps/common/units.h"
#include "apps/tessera/progress.h"
#include "apps/tessera/run/batch_report.h"
#include "apps/tessera/run/row_file.h"
#include "apps/tessera/run/stats_file.h"
#include "backends/batches.h"
#include "backends/cpu/cpu_driver.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/base/paths.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/period_finder.h"
#include "core/stepping/survey.h"

namespace tessera {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// The universes before the first generation.
struct BatchStart {
  RuleSpec rule;
  BatchSource source;
  Soup soup;                    // of soups: of universe 0
  std::vector<CellGrid> cells;  // of patterns
  std::int64_t generation = 0;
};

// A pattern's cells in a universe of their own.
CellGrid placed(const Start& start) {
  Universe universe(start.rule, make_factory("cpu", "auto", {}), 0, SpaceChoice::grid);
  place_start(start, universe);
  return universe.window(universe.extent());
}

void add_pattern(BatchStart& out, const Start& start) {
  const std::int64_t generation = std::get<Pattern>(start.cells).generation;
  if (out.cells.empty()) {
    out.rule = start.rule;
    out.generation = generation;
  }
  if (start.rule != out.rule || generation != out.generation) {
    throw InputError(fmt::format(
        "{}: it begins with generation {} of {}, {} with generation {} of {}; the universes of a "
        "batch have one generation, and one rule and size, which --rule and --size name for all",
        printable(start.source), generation, to_string(start.rule),
        printable(out.source.patterns.front()), out.generation, to_string(out.rule)));
  }
  out.source.patterns.push_back(start.source);
  out.cells.push_back(placed(start));
}

BatchStart begin(const BatchPlan& plan) {
  BatchStart out;
  const Start first = resolve_start(plan.start);
  if (!first.rule.bounded()) {
    throw InputError(
        fmt::format("--batch needs a bounded universe: add --size 64x64 or --rule {}:P64,64",
                    rules_text(first.rule)));
  }
  if (const Soup* soup = std::get_if<Soup>(&first.cells)) {
    if (!plan.patterns.empty())
      throw InputError(
          fmt::format("a PATTERN ({}) and --soup were both given; a batch starts from "
                      "one kind of them",
                      printable(plan.patterns.front())));
    out.rule = first.rule;
    out.soup = *soup;
    out.source.first_seed = soup->seed;
    const std::uint64_t last = soup->seed + static_cast<std::uint64_t>(plan.universes) - 1;
    out.source.text = fmt::format("soups {} of seeds {} to {}{}", plan.start.soup, soup->seed, last,
                                  soup->states > 2 ? ", all states" : "");
    return out;
  }
  add_pattern(out, first);
  StartOptions next = plan.start;
  for (const std::string& path : plan.patterns) {
    next.pattern = path;
    add_pattern(out, resolve_start(next));
  }
  if (plan.universes < std::ssize(out.cells)) {
    throw InputError(fmt::format("--batch {}: there are {} patterns; that or more is accepted",
                                 plan.universes, out.cells.size()));
  }
  out.source.text = out.cells.size() == 1 ? out.source.patterns.front()
                                          : fmt::format("{} patterns in turns", out.cells.size());
  return out;
}

// Bytes that the universes take on the host besides their cells: surveys, those before, and what
// finds their periods. Throws UnsupportedError when that is too much.
std::int64_t watching_bytes(std::int64_t universes, std::int64_t limit) {
  const std::int64_t machine = cpu_driver().devices().devices.front().memory;
  limit = limit > 0 ? std::min(limit, machine) : machine;
  const std::int64_t needed =
      universes * static_cast<std::int64_t>(2 * sizeof(Survey) + sizeof(PeriodFinder));
  if (needed < limit) return needed;
  throw UnsupportedError(fmt::format("to watch {} universes takes {}; {} is the limit", universes,
                                     memory_text(needed), memory_text(limit)));
}

std::unique_ptr<Batch> batch_for(const BatchPlan& plan, const BatchStart& start) {
  BatchSpec spec{plan.universes, backend_spec(start.rule)};
  const std::int64_t limit = memory_limit(plan.device),
                     watching = watching_bytes(plan.universes, limit);
  spec.each.max_memory = limit > 0 ? limit - watching : 0;
  Tuning tuning;
  if (!plan.device.threads.empty())
    tuning.threads = static_cast<int>(parse_count("--threads", plan.device.threads, 1, 4096));
  std::unique_ptr<Batch> batch =
      make_batch(on_ranks(plan.device.backend), plan.device.kernel, spec, tuning);
  if (start.source.first_seed) {
    batch->fill(start.soup);
  } else {
    batch->load([&](std::int64_t universe) {
      return start.cells[static_cast<std::size_t>(universe % std::ssize(start.cells))];
    });
  }
  return batch;
}

// Steps a batch, looks at it on the way, and writes rows.
class BatchSession {
 public:
  BatchSession(const BatchPlan& plan, BatchStart start)
      : plan_(plan),
        rule_(start.rule),
        source_(start.source),
        batch_(batch_for(plan, start)),
        schedule_{start.generation, plan.every.value_or(kBatchEvery)},
        now_(start.generation) {
    constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
    if (plan.end && *plan.end > kForever - now_) {
      throw InputError(fmt::format("--gens {}: from generation {} on, at most {} are accepted",
                                   *plan.end, now_, kForever - now_));
    }
    end_ = plan.end ? now_ + *plan.end : kForever;
    state_.repeats.resize(static_cast<std::size_t>(batch_->universes()));
    if (plan.stats.empty()) return;
    rows_ = std::make_unique<RowFile>(plan.stats, RowFile::Begin::anew);
    rows_->append(batch_heading(source_));
  }

  BatchReport run() {
    const std::int64_t first = now_;
    look(plan_.every.has_value());
    const Stopped stopped = step_all();
    if (state_.generation != now_) look(false);
    if (rows_ && written_ != now_) write_rows();
    BatchReport report;
    report.rule = rule_;
    report.source = source_;
    report.state = std::move(state_);
    report.info = batch_->info();
    report.generations = now_ - first;
    report.seconds = batch_->device_seconds().value_or(seconds_);
    report.stopped = stopped;
    report.max_seconds = plan_.max_seconds;
    return report;
  }

 private:
  Stopped step_all() {
    const auto began = SteadyClock::now();
    const double cells = static_cast<double>(rule_.width) * static_cast<double>(rule_.height) *
                         static_cast<double>(batch_->universes());
    Pace pace(cells, batch_->info().by.tuning.generations);
    Progress progress("generation", !plan_.quiet, now_,
                      plan_.end ? std::optional(end_) : std::nullopt);
    const std::int64_t first = now_;
    while (now_ < end_) {
      if (stop_signal() != 0) return Stopped::signal;
      if (plan_.max_seconds && seconds_since(began) >= *plan_.max_seconds) return Stopped::time;
      std::int64_t block = std::min({end_ - now_, pace.generations(), schedule_.until_next(now_)});
      if (plan_.max_seconds)
        block = std::min(block, pace.within(*plan_.max_seconds - seconds_since(began)));
      const auto begin = SteadyClock::now();
      batch_->step(block, now_ % 2 != 0);
      batch_->synchronize();
      const double took = seconds_since(begin);
      seconds_ += took;
      pace.took(block, took);
      now_ += block;
      progress.update(now_, seconds_, cells * static_cast<double>(now_ - first));
      if (schedule_.has(now_)) look(plan_.every.has_value());
    }
    return Stopped::done;
  }

  void look(bool write) {
    state_.generation = now_;
    state_.cells = batch_->survey(kWholeSurvey);
    const Cell origin = rule_.origin();
    for (std::size_t i = 0; i < state_.cells.size(); i++) {
      // Two rules in turns repeat only where the same one follows.
      const std::uint64_t turn = rule_.odd_rule && now_ % 2 != 0 ? ~std::uint64_t{0} : 0;
      state_.repeats[i].see(now_, state_.cells[i].hash ^ turn);
      std::optional<Bounds>& box = state_.cells[i].bounds;
      if (box) box = box->shifted(origin.x, origin.y);
    }
    if (write && rows_) write_rows();
  }

  void write_rows() {
    rows_->append(batch_rows(source_, state_));
    written_ = now_;
  }

  const BatchPlan& plan_;
  RuleSpec rule_;
  BatchSource source_;
  std::unique_ptr<Batch> batch_;
  Schedule schedule_;
  std::int64_t now_, end_ = 0;
  double seconds_ = 0;
  BatchState state_;
  std::unique_ptr<RowFile> rows_;
  std::optional<std::int64_t> written_;
};

}  // namespace

int run_batch(const BatchPlan& plan) {
  BatchStart start = begin(plan);
  catch_stop_signals();
  const BatchReport report = BatchSession(plan, std::move(start)).run();
  if (plan.json) print(batch_json(report));
  if (plan.quiet) return 0;
  if (report.stopped != Stopped::done) {
    print_status(fmt::format(
        "tessera: stopped at generation {} by {}\n", report.state.generation,
        report.stopped == Stopped::time ? "--max-time" : stop_signal_name(stop_signal())));
  }
  if (plan.json) return 0;
  if (plan.stats == "-") {
    print_status(batch_text(report));
  } else {
    print(batch_text(report));
  }
  return 0;
}

}  // namespace tessera
