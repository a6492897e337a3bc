#include "apps/viewer/simulation/chronicle.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

using namespace std::chrono_literals;

// What the states may hold that are kept for going back, and how often one is kept.
constexpr std::int64_t kTimelineMemory = std::int64_t{1} << 28;
constexpr auto kKeepInterval = 50ms;
// Where more cells are stepped per generation, blocks are not cut for the graph: it has what the
// status counts.
constexpr double kMostCounted = 1 << 18;

}  // namespace

Chronicle::Chronicle(Document& document) : document_(document), timeline_(kTimelineMemory) {}

void Chronicle::clear() {
  log_.clear(document_.universe().generation());
  timeline_.clear();
  period_.clear();
  arrived(true);
}

// What was known from the generation of an edit on.
void Chronicle::forget_from(std::int64_t edit) {
  log_.cut(edit - 1);
  timeline_.cut(edit);
  period_.clear();
}

void Chronicle::notice_edits() {
  if (std::exchange(revision_, document_.revision()) == document_.revision()) return;
  forget_from(document_.universe().generation());
  edited_ = true;
}

// A state to go back to: after every edit, and now and then, for at most a twentieth of the time.
void Chronicle::keep_state() {
  const Clock::time_point now = Clock::now();
  if (!edited_ && now < keep_due_) return;
  Universe& universe = document_.universe();
  if (universe.memory() > kTimelineMemory) {
    timeline_.clear();
    return;
  }
  timeline_.keep(capture(universe), std::exchange(edited_, false));
  const Clock::time_point after = Clock::now();
  keep_due_ = after + std::max<Clock::duration>(kKeepInterval, 20 * (after - now));
}

void Chronicle::pass(std::int64_t generations) {
  const std::int64_t now = document_.universe().generation();
  const std::int64_t edit = timeline_.edit_between(now, now + generations);
  if (edit >= 0) forget_from(edit);
}

void Chronicle::step(std::int64_t generations) {
  Universe& universe = document_.universe();
  if (log_.samples().empty()) log_.add(universe.generation(), universe.population());
  const std::int64_t end = universe.generation() + generations;
  while (universe.generation() < end) {
    if (universe.cells_per_generation() > kMostCounted) {
      universe.step(end - universe.generation());
      return;
    }
    const std::int64_t sample = log_.next(universe.generation());
    universe.step(std::min(sample, end) - universe.generation());
    if (universe.generation() != sample) continue;
    const bool hashed = !period_.period() && log_.counts_each(sample);
    const Survey survey = universe.survey({.population = true, .hash = hashed});
    log_.add(sample, survey.population);
    if (!hashed) continue;
    // Under two rules in turns cells do not repeat after an odd number of generations.
    const bool odd = universe.spec().odd_rule && sample % 2 != 0;
    period_.see_each(sample, survey.hash ^ (odd ? ~std::uint64_t{0} : 0));
  }
}

void Chronicle::reached() { timeline_.reached(document_.universe().generation()); }

void Chronicle::counted(std::int64_t population) {
  log_.add(document_.universe().generation(), population);
}

// Before going back to a generation, or to a later one by way of a kept state.
void Chronicle::leave_for(std::int64_t generation) {
  notice_edits();
  const std::int64_t now = document_.universe().generation();
  if (edited_ && generation <= now) keep_state();
  if (timeline_.edit_between(generation, now) >= 0) period_.clear();
}

// After that. What was gone to is no edit; `edited` says whether it is yet to be kept.
void Chronicle::arrived(bool edited) {
  revision_ = document_.revision();
  edited_ = edited;
}

bool Chronicle::travel(std::int64_t generation) {
  leave_for(generation);
  const std::int64_t now = document_.universe().generation();
  const GridState* const kept = timeline_.before(generation);
  if (!kept || (generation >= now && kept->generation <= now)) return false;
  document_.travel(GridState(*kept));
  arrived(false);
  return true;
}

void Chronicle::reset() {
  leave_for(document_.start_generation());
  document_.reset();
  arrived(timeline_.empty());
}

std::int64_t Chronicle::first() const {
  return timeline_.empty() ? document_.universe().generation() : timeline_.first();
}

std::int64_t Chronicle::last() const {
  return std::max(document_.universe().generation(), timeline_.last());
}

}  // namespace tessera
