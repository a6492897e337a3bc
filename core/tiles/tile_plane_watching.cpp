// What periods the tiles of a plane have.

#include <algorithm>
#include <map>
#include <numeric>

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

// Looks at watched tiles, two generations apart: periods up to the first, seen for the second.
constexpr int kLongWatch = 240, kShortWatch = 100;

// The same of a glance, a step apart.
constexpr int kLongGlance = 96, kShortGlance = 24;
// Few tiles may come to rest before a watch of them has paid: there a glance must promise that it
// will.
constexpr std::size_t kFew = 100;
constexpr std::int64_t kAround = 4 * kFew;
// Tiles of a worklist that are watched, about.
constexpr std::size_t kWatched = 96;

// The period of what was seen, in looks: the least one up to `longest` that all looks after that
// many confirm; 0: none.
int period_of(const std::vector<std::uint64_t>& seen, int longest) {
  const auto latest = seen.begin() + longest;
  for (int p = 1; p <= longest; p++) {
    if (std::equal(latest, seen.end(), latest - p)) return p;
  }
  return 0;
}

// Times TilePlane::kRingBytes that the ring of a period may take that tiles were seen to have.
constexpr std::int64_t kPeriodRings = 8;

}  // namespace

// What tells a tile's cells from others.
std::uint64_t TilePlane::fingerprint(std::span<const TileRows> planes) {
  std::uint64_t hash = 0;
  for (const TileRows& rows : planes) {
    for (const std::uint64_t row : rows) {
      hash = (hash ^ row) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

// Now and then some active tiles are watched for a while: the period that most of them have is that
// of the next schedule.
void TilePlane::begin_watch() {
  const bool few = work_.list.size() <= kFew;
  const std::int64_t most_around = std::min(kAround, 64 + 16 * std::ssize(work_.list));
  // Another ring begins with visits to all tiles, also to those that are free: where they are many,
  // a few do not repay that.
  if (work_.list.empty() || strides_ || (few && table_.count() > most_around)) {
    watch_due_ = later(1000);
    return;
  }
  unwatched_ = schedule_;
  const auto watch_tile = [&](TileId tile) {
    watched_.push_back({{table_[tile].x, table_[tile].y}, {}});
  };
  const std::size_t every = std::max<std::size_t>(1, work_.list.size() / kWatched);
  for (std::size_t i = 0; i < work_.list.size(); i += every) watch_tile(work_.list[i]);
  // Beside few tiles, those count that are free in this ring and would not be in another.
  for (TileId tile = 1; few && tile < table_.end() && watched_.size() < 2 * kWatched; tile++) {
    if (table_[tile].queued != work_.stamp && !still(tile)) watch_tile(tile);
  }
  glancing_ = schedule_.even();
  if (!glancing_) look_closely();
}

// Whether a tile has the same state in all slots. What is not visited shares its states.
bool TilePlane::still(TileId tile) const {
  for (int k = 1; k < schedule_.slots(); k++) {
    if (table_.slot(k)[tile] != table_.slot(0)[tile]) return false;
  }
  return true;
}

// From now on a step has two generations, so that a look sees every even period, and twice every
// odd one; or one.
void TilePlane::look_closely() {
  glancing_ = false;
  for (Watched& tile : watched_) tile.seen.clear();
  restart(Schedule::of_stride(std::min(2, pace_.most), most_slots(ring_bytes_), pace_));
}

// Looks at the watched tiles once.
void TilePlane::watch() {
  Planes scratch;
  const std::span<TileRows> cells = in_use(scratch);
  for (Watched& tile : watched_) {
    cells_of(table_.find(tile.at.x, tile.at.y), cells);
    tile.seen.push_back(fingerprint(cells));
  }
  const std::size_t looks = watched_.front().seen.size();
  if (glancing_) {
    if (looks == kLongGlance + kShortGlance) end_glance();
  } else if (looks == kLongWatch + kShortWatch) {
    end_watch();
  }
}

// The looks of a glance are a step apart. That shows whether there are periods that are not free,
// though not always how long they are, and costs next to nothing.
void TilePlane::end_glance() {
  const int length = schedule_.length(0);
  std::int64_t promising = 0;
  for (Watched& tile : watched_) {
    const int p = period_of(tile.seen, kLongGlance);
    if (p == 0 || schedule_.period() % (p * length) == 0) continue;
    tile.glanced = p * length;
    promising++;
  }
  if (promising * 20 >= std::ssize(watched_)) return look_closely();
  watched_.clear();
  watch_again_at(generation_ < kNever / 4 ? generation_ * 4 : kNever);
}

// A glance comes first, so that what it finds is looked at closely in that generation.
void TilePlane::watch_again_at(std::int64_t generation) {
  watch_due_ = generation - (kLongGlance + kShortGlance) * kTileMargin;
}

void TilePlane::end_watch() {
  // What passes through a long ring is looked at for as long: one is for what many of few tiles do,
  // a longer one for what most of them do.
  constexpr std::int64_t kLongRing = 120, kLongestRing = 2 * kLongWatch;
  const bool few = work_.list.size() <= kFew;
  std::map<std::int64_t, int> votes;
  for (const Watched& tile : watched_) {
    const int p = period_of(tile.seen, kLongWatch);
    if (p > 1) votes[schedule_.length(0) * p]++;
    if (p == 0 && tile.glanced > 0) votes[tile.glanced]++;
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
    if (pace_.even && period % 2 != 0) continue;
    if (period < 24 || period > kTileMargin * kLongGlance ||
        Schedule::of_period(period, pace_).slots() > most)
      continue;
    const int value = served(period);
    if (few && period > kLongRing && 4 * value <= watched) continue;
    if (period > kLongestRing && (!few || 2 * value <= watched)) continue;
    // A tenth more, and more than one in twenty tiles: a change costs a ring of visits to all.
    if (value * 10 > score * 11 + watched / 2 ||
        (value >= score && period < best && score * 20 >= watched)) {
      best = period, score = value;
    }
  }
  watched_.clear();
  restart(best == before ? *unwatched_ : Schedule::of_period(best, pace_));
  watch_again_at(generation_ < kNever / 4 ? generation_ * 4 : kNever);
}

}  // namespace tessera
