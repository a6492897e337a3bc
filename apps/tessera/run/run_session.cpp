#include "apps/tessera/run/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "apps/common/outputs.h"
#include "apps/common/stop_signal.h"
#include "backends/distributed/rank_team.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/png.h"

namespace tessera {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// As if every cell looked at all that it sees, which the slowest kernels do.
Pace pace_for(const Universe& universe) {
  const double side = 2.0 * universe.spec().reach() + 1;
  return Pace(universe.cells_per_generation() * side * side / 9,
              universe.info().tuning.generations);
}

}  // namespace

RunSession::RunSession(Universe& universe, CheckpointInfo from, RunPlan plan)
    : universe_(universe),
      from_(std::move(from)),
      plan_(std::move(plan)),
      first_(universe.generation()),
      end_(plan_.end.value_or(kForever)),
      schedule_{from_.start_generation, plan_.every},
      pace_(pace_for(universe)),
      began_(Clock::now()) {
  if (plan_.stats.empty()) return;
  if (plan_.resumed) {
    stats_.emplace(plan_.stats, universe.spec().rule.states(), first_, schedule_);
  } else {
    stats_.emplace(plan_.stats, universe.spec().rule.states());
  }
}

RunReport RunSession::run() {
  try {
    return run_to_end();
  } catch (const DeviceError& error) {
    if (!checkpointed_) throw;
    throw DeviceError(fmt::format("{}; {}", error.what(), way_back()));
  }
}

// How to go on after a failure, once there is a checkpoint.
std::string RunSession::way_back() const {
  const std::string file = printable(plan_.checkpoint);
  return fmt::format("the last checkpoint is {} at generation {}: --resume {} continues from there",
                     file, checkpointed_.value(), file);
}

RunReport RunSession::run_to_end() {
  if (stats_ && (stats_->empty() || schedule_.has(first_))) stats_->add(universe_);
  if (plan_.painter) plan_.painter->watch(universe_);
  if (plan_.frames && schedule_.has(first_))
    plan_.frames->add(plan_.painter->draw(universe_), first_);

  RunReport report;
  report.stopped = step_all();
  if (stats_) stats_->add(universe_);
  if (!plan_.checkpoint.empty() && checkpointed_ != universe_.generation()) save_checkpoint();
  if (plan_.frames) plan_.frames->finish();
  write_outputs();

  report.rule = universe_.spec();
  report.generation = universe_.generation();
  report.generations = universe_.generation() - first_;
  report.cells = universe_.survey();
  report.space = universe_.space();
  report.space_switches = universe_.space_switches();
  report.backend = universe_.info();
  report.seconds = seconds_;
  report.cells_stepped = universe_.cells_stepped();
  report.source = from_.source;
  report.max_seconds = plan_.max_seconds;
  return report;
}

Stopped RunSession::step_all() {
  Progress progress("generation", plan_.progress, first_, plan_.end);
  while (left() > 0) {
    if (stop_signal() != 0) return Stopped::signal;
    if (plan_.max_seconds && elapsed() >= *plan_.max_seconds) return Stopped::time;
    try {
      step_block();
    } catch (const MemoryLimitError& error) {
      memory_message_ = error.what();
      return Stopped::memory;
    }
    progress.update(universe_.generation(), seconds_, universe_.cells_stepped());
    sample();
    if (checkpoint_due()) save_checkpoint();
  }
  return Stopped::done;
}

// Generations until there is something else to do.
std::int64_t RunSession::next_block() const {
  std::int64_t block = std::min(left(), pace_.generations());
  if (plan_.max_seconds) block = std::min(block, pace_.within(*plan_.max_seconds - elapsed()));
  const std::int64_t now = universe_.generation();
  if (stats_ || plan_.frames) block = std::min(block, schedule_.until_next(now));
  if (!plan_.checkpoint.empty() && plan_.checkpoint_every.generations) {
    block = std::min(
        block, Schedule{schedule_.start, *plan_.checkpoint_every.generations}.until_next(now));
  }
  return block;
}

void RunSession::step_block() {
  const std::int64_t block = next_block();
  const std::int64_t before = universe_.generation();
  const Clock::time_point start = Clock::now();
  const auto account = [&] {
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    seconds_ += took;
    if (universe_.generation() > before) pace_.took(universe_.generation() - before, took);
  };
  try {
    step(block);
    universe_.synchronize();
  } catch (const MemoryLimitError&) {
    account();
    throw;
  }
  account();
}

// Ages look at every generation.
void RunSession::step(std::int64_t generations) {
  if (!plan_.painter || !plan_.painter->has_ages()) {
    universe_.step(generations);
    return;
  }
  for (std::int64_t i = 0; i < generations; i++) {
    universe_.step(1);
    plan_.painter->watch(universe_);
  }
}

void RunSession::sample() {
  const std::int64_t now = universe_.generation();
  if (!schedule_.has(now)) return;
  if (stats_) stats_->add(universe_);
  if (plan_.frames) plan_.frames->add(plan_.painter->draw(universe_), now);
}

void RunSession::write_outputs() {
  for (const std::string& path : plan_.outputs) {
    if (!plan_.framed_outputs || !path.ends_with(".png")) {
      write_output("--out", path, universe_, from_);
      continue;
    }
    const DensityImage& frame = plan_.painter->draw(universe_);
    if (const std::optional<FrameLook>& look = plan_.painter->look()) {
      write_png(path, frame, look->palette());
    } else {
      write_png(path, frame);
    }
  }
}

bool RunSession::checkpoint_due() const {
  if (plan_.checkpoint.empty()) return false;
  const Interval& every = plan_.checkpoint_every;
  if (every.generations)
    return Schedule{schedule_.start, *every.generations}.has(universe_.generation());
  return elapsed() - last_checkpoint_seconds_ >= every.seconds.value();
}

void RunSession::save_checkpoint() {
  if (stats_) stats_->sync();
  write_checkpoint_of(universe_, from_, plan_.checkpoint);
  checkpointed_ = universe_.generation();
  last_checkpoint_seconds_ = elapsed();
  if (RankTeam* const team = rank_team()) team->worker.note(way_back());
}

}  // namespace tessera
