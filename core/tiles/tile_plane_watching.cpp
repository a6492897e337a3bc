// What periods the tiles of a plane have.

#include <algorithm>
#include <map>
#include <numeric>

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

// Looks at watched tiles, two generations apart: periods up to the first, seen for the second.
constexpr int kLongWatch = 240, kShortWatch = 100;

// Times TilePlane::kRingBytes that the ring of a period may take that tiles were seen to have.
constexpr std::int64_t kPeriodRings = 8;

}  // namespace

// Now and then some active tiles are watched for a while, two generations per step: the period that
// most of them have is that of the next schedule.
void TilePlane::begin_watch() {
  if (work_.list.size() <= 100 || strides_) {
    watch_due_ = later(1000);
    return;
  }
  unwatched_ = schedule_;
  const std::size_t every = std::max<std::size_t>(1, work_.list.size() / 96);
  for (std::size_t i = 0; i < work_.list.size(); i += every) {
    watched_.push_back({{table_[work_.list[i]].x, table_[work_.list[i]].y}, {}});
  }
  restart(Schedule::of_stride(2, most_slots(ring_bytes_)));
}

// Looks at the watched tiles once.
void TilePlane::watch() {
  for (Watched& tile : watched_) {
    std::uint64_t hash = 0;
    for (const std::uint64_t row : rows_of(table_.find(tile.at.x, tile.at.y))) {
      hash = mix64(hash ^ row);
    }
    tile.seen.push_back(hash);
  }
  if (watched_.front().seen.size() == kLongWatch + kShortWatch) end_watch();
}

void TilePlane::end_watch() {
  constexpr std::int64_t kMostPeriod = 2 * kLongWatch;
  std::map<std::int64_t, int> votes;
  for (const Watched& tile : watched_) {
    const auto latest = tile.seen.begin() + kLongWatch;
    for (int p = 1; p <= kLongWatch; p++) {
      if (!std::equal(latest, tile.seen.end(), latest - p)) continue;
      if (p > 1) votes[2 * p]++;
      break;
    }
  }
  const auto served = [&](std::int64_t period) {
    int count = 0;
    for (const auto& [p, votes_for] : votes) count += period % p == 0 ? votes_for : 0;
    return count;
  };
  const std::int64_t before = unwatched_->period();
  std::int64_t best = before;
  int score = served(best);
  std::vector<std::int64_t> candidates{24, 60, 120};
  for (const auto& [p, votes_for] : votes) {
    candidates.push_back(p);
    for (const auto& [q, others] : votes) candidates.push_back(std::lcm(p, q));
    for (const std::int64_t m :
         {std::int64_t{8}, std::int64_t{12}, std::int64_t{24}, std::int64_t{60}, before}) {
      candidates.push_back(std::lcm(p, m));
    }
  }
  const int watched = static_cast<int>(watched_.size());
  // A longer ring pays with time for its memory, within reason.
  const int most = most_slots(kPeriodRings * ring_bytes_);
  for (const std::int64_t period : candidates) {
    if (period < 24 || period > kMostPeriod || Schedule::of_period(period).slots() > most) continue;
    const int value = served(period);
    // A tenth more, and more than one in twenty tiles: a change costs a ring of visits to all.
    if (value * 10 > score * 11 + watched / 2 ||
        (value >= score && period < best && score * 20 >= watched)) {
      best = period, score = value;
    }
  }
  watched_.clear();
  restart(best == before ? *unwatched_ : Schedule::of_period(best));
  watch_due_ = generation_ < kNever / 4 ? generation_ * 4 : kNever;
}

}  // namespace tessera
