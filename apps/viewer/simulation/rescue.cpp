#include "apps/viewer/simulation/rescue.h"

#include <algorithm>

namespace tessera {
namespace {

using namespace std::chrono_literals;

constexpr auto kRescueInterval = 10s;

}  // namespace

void Rescue::keep(Universe& universe, std::uint64_t revision, bool before_step) {
  const Clock::time_point now = Clock::now();
  const bool edited = revision_ != revision;
  const bool must = edited && before_step;
  if (state_ && !must && now < (edited ? edit_due_ : due_)) return;
  if (universe.memory() > most_memory_) {
    state_.reset();
    return;
  }
  state_ = capture(universe);
  revision_ = revision;
  const Clock::time_point after = Clock::now();
  due_ = after + std::max<Clock::duration>(kRescueInterval, 100 * (after - now));
  edit_due_ = after + 10 * (after - now);
}

}  // namespace tessera
