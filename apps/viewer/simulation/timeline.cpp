#include "apps/viewer/simulation/timeline.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace tessera {

void Timeline::clear() {
  states_.clear();
  last_ = 0;
}

void Timeline::keep(GridState state, bool edited) {
  const std::int64_t generation = state.generation;
  const auto at = std::ranges::lower_bound(states_, generation, {},
                                           [](const Kept& each) { return each.state.generation; });
  if (at != states_.end() && at->state.generation == generation) {
    *at = {std::move(state), edited || at->edited};
  } else {
    states_.insert(at, {std::move(state), edited});
  }
  reached(generation);
  thin();
}

void Timeline::reached(std::int64_t generation) { last_ = std::max(last_, generation); }

void Timeline::cut(std::int64_t generation) {
  while (!states_.empty() && states_.back().state.generation >= generation) states_.pop_back();
  last_ = std::min(last_, generation);
}

std::int64_t Timeline::edit_between(std::int64_t from, std::int64_t to) const {
  for (const Kept& each : states_) {
    const std::int64_t generation = each.state.generation;
    if (each.edited && generation > from && generation <= to) return generation;
  }
  return -1;
}

const GridState* Timeline::before(std::int64_t generation) const {
  const auto after = std::ranges::upper_bound(
      states_, generation, {}, [](const Kept& each) { return each.state.generation; });
  return after == states_.begin() ? nullptr : &std::prev(after)->state;
}

std::int64_t Timeline::bytes() const {
  std::int64_t sum = 0;
  for (const Kept& each : states_) sum += each.state.bytes();
  return sum;
}

// The state goes without which the gap is the smallest for its distance from the last one, so that
// gaps grow with the distance. The first and the last one stay, and those that only a person can
// make, unless there is nothing else.
void Timeline::thin() {
  std::int64_t sum = bytes();
  while (states_.size() > 1 && (states_.size() > kMost || sum > memory_)) {
    const auto at = [this](std::size_t i) {
      return static_cast<double>(states_[i].state.generation);
    };
    std::size_t drop = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < states_.size(); i++) {
      const double gap = (at(i + 1) - at(i - 1)) / (at(states_.size() - 1) - at(i - 1));
      if (states_[i].edited || gap > least) continue;
      least = gap;
      drop = i;
    }
    sum -= states_[drop].state.bytes();
    states_.erase(states_.begin() + static_cast<std::ptrdiff_t>(drop));
  }
}

}  // namespace tessera
