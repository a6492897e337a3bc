// How the engine steps: by blocks of generations.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/common/units.h"
#include "apps/viewer/simulation/engine.h"
#include "core/base/error.h"

namespace tessera {
namespace {

// Generations per block without a goal: a universe at rest, which is jumped over, would soon be at
// the last number.
constexpr std::int64_t kMostGenerationsAtOnce = 1 << 20;

double seconds_between(Engine::Clock::time_point a, Engine::Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Pace Engine::new_pace() const {
  const Universe& universe = document_.universe();
  return Pace(16 * universe.cells_per_generation(), universe.info().tuning.generations,
              kBlockSeconds);
}

// What blocks took so far tells nothing of the next ones.
void Engine::pace_anew() {
  pace_ = new_pace();
  leaps_ = Leaps(kBlockSeconds);
  paced_revision_ = document_.revision();
}

// Generations to step at once: not past a goal, nor past a frame of a recording.
std::int64_t Engine::next_block(std::int64_t most) {
  const std::int64_t unseen = leap();
  std::int64_t block = std::min(most, unseen > 0 ? unseen : pace_.generations());
  if (unseen > 0 && goal_) block = std::min(block, most - AgeMap::kMost);
  if (!goal_) block = std::min(block, kMostGenerationsAtOnce);
  if (to_see_ > 0) block = std::min(block, to_see_);
  if (recorder_)
    block = std::min(block, record_every_ - floor_mod(universe().generation(), record_every_));
  return block;
}

void Engine::advance() {
  start_block();
  finish_block();
}

// Queues a block, if one is due.
void Engine::start_block() {
  if (!running_ || document_.stroking() || block_ > 0) return;
  const std::int64_t now = universe().generation();
  const std::int64_t most =
      std::min(kAll - now, goal_ ? *goal_ - now : throttle_.due(Clock::now(), now));
  if (most > 0) {
    document_.before_run();
    if (document_.take_undo_lost()) {
      messages_.push_back(
          {"This universe is too large to keep: running can be neither undone nor reset", false});
    }
    keep_for_rescue(true);
    // A block of an empty universe is a million generations, which take minutes once it is not.
    if (paced_revision_ != document_.revision()) pace_anew();
    chronicle_.notice_edits();
    chronicle_.keep_state();
    block_began_ = Clock::now();
    try {
      const std::int64_t block = next_block(most);
      chronicle_.pass(block);
      step_block(block);
    } catch (const MemoryLimitError& error) {
      running_ = false;
      goal_.reset();
      messages_.push_back({error.what(), true});
    }
    population_known_ = false;
    block_ = universe().generation() - now;
  }
  if (goal_ && universe().generation() >= *goal_) {
    running_ = false;
    goal_.reset();
  } else if (running_ && universe().generation() >= kAll) {  // an empty plane gets there
    running_ = false;
    messages_.push_back(
        {fmt::format("Generation {} is the last one that can be counted", grouped(kAll)), false});
  }
}

void Engine::step_block(std::int64_t generations) {
  const bool ages = view_.history && !view_.cells.empty();
  const bool recorded = recorder_ && recorder_->has_ages();
  if (!ages && !recorded) {
    step_unseen(generations);
    return;
  }
  const std::int64_t first = universe().generation();
  if (leap() > 0) {
    step_unseen(generations);
    universe().synchronize();
    leaps_.leapt(universe().generation() - first, seconds_between(block_began_, Clock::now()));
    return;
  }
  while (universe().generation() < first + generations) {
    chronicle_.step(1);
    if (ages) see_generation();
    if (recorded) recorder_->watch(universe());
    // Looking may take far longer than it has, and then a block as long as the last one would not
    // end for minutes.
    if (seconds_between(block_began_, Clock::now()) > kBlockSeconds) break;
  }
  const std::int64_t seen = universe().generation() - first;
  to_see_ = std::max<std::int64_t>(0, to_see_ - seen);
  leaps_.saw(seen, seconds_between(block_began_, Clock::now()));
}

// On the infinite plane what was quick may take long from one generation to the next: cells spread,
// and what was far away arrives. So a block ends early where it lasts too long.
void Engine::step_unseen(std::int64_t generations) {
  if (universe().spec().bounded()) {
    chronicle_.step(generations);
    return;
  }
  constexpr std::int64_t kPieces = 64;
  const std::int64_t launch = std::max(1, universe().info().tuning.generations);
  std::int64_t piece = ceil_div(ceil_div(generations, kPieces), launch) * launch;
  for (std::int64_t done = 0; done < generations; piece *= 2) {
    const std::int64_t now = std::min(piece, generations - done);
    chronicle_.step(now);
    done += now;
    if (seconds_between(block_began_, Clock::now()) > kBlockSeconds) break;
  }
}

// Whether generations may pass unseen for the speed's sake though their cells have ages: at full
// speed, where no device keeps them, until somebody wants to know the ages; and on the way to a
// goal while it is further away than any age that is told from others.
bool Engine::leaping() const {
  const bool fast = goal_ ? *goal_ - document_.universe().generation() > AgeMap::kMost
                          : speed_.unlimited() && ages_on_device_ != view_;
  return fast && to_see_ == 0 && view_.history && !view_.cells.empty() &&
         !(recorder_ && recorder_->has_ages());
}

// Generations that pass unseen at once; 0: each is seen.
std::int64_t Engine::leap() const {
  if (!leaping()) return 0;
  return goal_ ? leaps_.next() : leaps_.unseen();
}

bool Engine::finish_block() {
  const std::int64_t generations = std::exchange(block_, 0);
  if (generations == 0) return false;
  universe().synchronize();
  chronicle_.reached();
  if (!leapt()) pace_.took(generations, seconds_between(block_began_, Clock::now()));
  record();
  return true;
}

}  // namespace tessera
