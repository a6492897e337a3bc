#include "core/tiles/departures.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/cells/soup.h"

namespace tessera {

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;
// Two gliders, and a glider and anything else, that are so far apart do not touch within a
// generation, whatever their phases.
constexpr std::int64_t kApart = 16;
constexpr std::int64_t kMostBackoff = 4;
// Looks at streams of gliders, none of which can leave, take as long as stepping them.
constexpr std::int64_t kMostPause = 7;
// A glider that leaves is worth a look at so many candidates.
constexpr std::int64_t kWorth = 8;

// A set of squares of the plane, `side` cells each.
class Squares {
 public:
  explicit Squares(std::int64_t side) : side_(side), keys_(64) {}
  std::int64_t of(std::int64_t at) const { return floor_div(at, side_); }
  void add(std::int64_t x, std::int64_t y) {
    std::uint64_t& there = keys_[place(key(x, y))];
    if (there) return;
    there = key(x, y);
    if (++count_ * 2 > keys_.size()) grow();
  }
  // Whether one of the set is the square that holds `at`, or a neighbour of it.
  bool near(const Cell& at) const {
    const std::int64_t x = of(at.x), y = of(at.y);
    for (std::int64_t dy = -1; dy <= 1; dy++) {
      for (std::int64_t dx = -1; dx <= 1; dx++) {
        if (keys_[place(key(x + dx, y + dy))]) return true;
      }
    }
    return false;
  }

 private:
  // Never 0. Two squares of one key only make somebody stay who could leave.
  static std::uint64_t key(std::int64_t x, std::int64_t y) {
    return mix64(static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u ^
                 static_cast<std::uint64_t>(y)) |
           1;
  }
  // Where a key stands, or would: open addressing with linear probing.
  std::size_t place(std::uint64_t key) const {
    const std::size_t mask = keys_.size() - 1;
    std::size_t at = (key >> 1) & mask;
    while (keys_[at] && keys_[at] != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    const std::vector<std::uint64_t> old = std::exchange(keys_, {});
    keys_.assign(2 * old.size(), 0);
    for (const std::uint64_t each : old) {
      if (each) keys_[place(each)] = each;
    }
  }
  std::int64_t side_;
  std::vector<std::uint64_t> keys_;  // 0: free
  std::size_t count_ = 0;
};

// Whether two gliders, both as they are now, come within kApart cells of each other in so many
// generations, if nothing else does: along an axis they are that near during one interval of time.
// Those that fly the same way never meet: they were apart when they were seen as lone, or they
// would have been content to each other.
bool may_meet(const Glider& a, const Glider& b, std::int64_t within) {
  if (a.dx == b.dx && a.dy == b.dy) return false;
  std::int64_t from = 0, to = within;
  const std::pair<std::int64_t, int> axes[] = {{a.at.x - b.at.x, a.dx - b.dx},
                                               {a.at.y - b.at.y, a.dy - b.dy}};
  for (const auto& [apart, speed] : axes) {  // speed in quarters of a cell per generation
    if (speed == 0) {
      if (std::abs(apart) > kApart) return false;
      continue;
    }
    if (std::abs(apart) > kFar / 8) return (apart > 0) != (speed > 0);
    const std::int64_t one = (-kApart - apart) * 4 / speed, two = (kApart - apart) * 4 / speed;
    from = std::max(from, std::min(one, two) - 4);
    to = std::min(to, std::max(one, two) + 4);
  }
  return from <= to;
}

constexpr std::int64_t kEver = kFar;

// The gliders that might be met soon, by place: of two that meet within `horizon` generations,
// neither stands further away now than a square of these and its neighbours reach.
class Crowd {
 public:
  Crowd(const std::vector<Glider>& gliders, std::int64_t horizon)
      : gliders_(&gliders), horizon_(horizon), side_(2 * kApart + horizon) {
    for (std::size_t i = 0; i < gliders.size(); i++) places_.push_back({square(gliders[i].at), i});
    std::ranges::sort(places_);
  }
  // Whether a glider meets one of them within the horizon.
  bool meets(const Glider& glider) const {
    const auto [row, column] = square(glider.at);
    for (std::int64_t y = row - 1; y <= row + 1; y++) {
      auto at = std::ranges::lower_bound(places_, Place{{y, column - 1}, 0});
      for (; at != places_.end() && at->first <= std::pair{y, column + 1}; ++at) {
        if (may_meet(glider, (*gliders_)[at->second], horizon_)) return true;
      }
    }
    return false;
  }

 private:
  using Square = std::pair<std::int64_t, std::int64_t>;  // (y, x)
  using Place = std::pair<Square, std::size_t>;
  Square square(const Cell& at) const { return {floor_div(at.y, side_), floor_div(at.x, side_)}; }

  const std::vector<Glider>* gliders_;
  std::int64_t horizon_, side_;
  std::vector<Place> places_;
};

Octagon box_of(const Glider& glider) {
  Octagon box;
  box.add(glider.at, 3);
  return box;
}

}  // namespace

Octagon::Octagon() {
  std::fill_n(least, 4, kFar);
  std::fill_n(most, 4, -kFar);
}

void Octagon::add(const Cell& at, std::int64_t side) {
  const std::int64_t low[4] = {at.x, at.y, at.x - at.y - side + 1, at.x + at.y};
  const std::int64_t high[4] = {at.x + side - 1, at.y + side - 1, at.x + side - 1 - at.y,
                                at.x + at.y + 2 * side - 2};
  for (int i = 0; i < 4; i++) {
    least[i] = std::min(least[i], low[i]);
    most[i] = std::max(most[i], high[i]);
  }
}

std::int64_t Octagon::behind(const Octagon& other, int dx, int dy) const {
  if (empty()) return kFar;
  const int ways[4] = {dx, dy, dx - dy, dx + dy};
  std::int64_t best = -1;
  for (int i = 0; i < 4; i++) {
    if (ways[i] == 0) continue;
    const std::int64_t gap = ways[i] > 0 ? other.least[i] - most[i] : least[i] - other.most[i];
    best = std::max(best, i < 2 ? gap : gap / 2);  // a cell along a diagonal is two of x + y
  }
  return best;
}

std::int64_t Departures::next_look(std::int64_t generation, std::int64_t horizon,
                                   std::size_t candidates, std::int64_t gained) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const auto later = [&](std::int64_t generations) {
    return generations < kLast - generation ? generation + generations : kLast;
  };
  if (generation >= pause_until_) {
    const bool pays = gained * kWorth > static_cast<std::int64_t>(candidates);
    pause_ = pays ? 0 : std::min(2 * pause_ + 1, kMostPause);
    pause_until_ = later(horizon * (1 + pause_));
  }
  const std::int64_t calm = away_.empty() ? pause_until_ : std::min(pause_until_, safe_until_);
  return std::max(later(horizon), calm);
}

std::vector<Glider> Departures::at(std::int64_t generation) const {
  std::vector<Glider> out;
  out.reserve(away_.size());
  for (const Glider& glider : away_) out.push_back(kind_->later(glider, generation));
  return out;
}

Departures::Verdict Departures::review(std::int64_t generation, std::int64_t horizon,
                                       const std::vector<Content>& contents,
                                       const std::vector<Glider>& candidates) {
  Verdict verdict;
  Octagon all;
  const std::int64_t side = std::max<std::int64_t>(192, 2 * horizon * backoff_ + 64);
  // A square of cells lies in up to four of these.
  Squares inhabited(side);
  std::array<std::int64_t, 4> last{1, 1, 0, 0};  // squares of the content before: none
  const auto inhabit = [&](const Cell& at, std::int64_t cells) {
    all.add(at, cells);
    const std::int64_t left = inhabited.of(at.x), right = inhabited.of(at.x + cells - 1);
    const std::int64_t top = inhabited.of(at.y), bottom = inhabited.of(at.y + cells - 1);
    // Contents that follow each other mostly lie in the same squares.
    const std::array<std::int64_t, 4> these{left, top, right, bottom};
    if (these == std::exchange(last, these)) return;
    for (std::int64_t y = top; y <= bottom; y++) {
      for (std::int64_t x = left; x <= right; x++) inhabited.add(x, y);
    }
  };
  for (const Content& content : contents) inhabit(content.at, content.side);
  // Nothing inhabited within the squares around: at least `side` cells lie in between.
  const auto alone = [&](const Cell& at) { return !inhabited.near(at); };
  const std::int64_t room = horizon + kApart;
  const std::vector<Glider> away = at(generation);

  // Candidates are lone until what lives otherwise reaches them; but what comes of two that meet
  // lives otherwise.
  const Crowd crowd(candidates, horizon);
  std::vector<char> stays(candidates.size(), 0);
  for (std::size_t i = 0; i < candidates.size(); i++) {
    stays[i] = crowd.meets(candidates[i]);
    if (stays[i]) inhabit(candidates[i].at, 3);
  }
  Octagon everyone = all;
  for (const Glider& candidate : candidates) everyone.add(candidate.at, 3);
  verdict.free = true;
  safe_until_ = kFar;
  std::vector<Glider> remaining;
  for (std::size_t i = 0; i < away.size(); i++) {
    const Octagon box = box_of(away[i]);
    const std::int64_t apart = everyone.behind(box, away[i].dx, away[i].dy);
    safe_until_ = std::min(safe_until_, generation + apart - kApart);
    if (apart > room) {
      remaining.push_back(away_[i]);
      continue;
    }
    const bool behind = all.behind(box, away[i].dx, away[i].dy) > room;
    verdict.free &= behind;
    if ((behind || alone(away[i].at)) && !crowd.meets(away[i])) {
      remaining.push_back(away_[i]);
    } else {
      verdict.returning.push_back(away[i]);
      if (++returned_ > left_ / 4 + 16) backoff_ = std::min(backoff_ * 2, kMostBackoff);
    }
  }
  away_ = std::move(remaining);
  if (!verdict.returning.empty()) {  // they are new content: nothing leaves now
    verdict.free = false;
    return verdict;
  }
  if (generation < pause_until_) return verdict;
  for (std::size_t i = 0; i < candidates.size(); i++) {
    Glider glider = candidates[i];
    const std::int64_t apart = all.behind(box_of(glider), glider.dx, glider.dy);
    if (stays[i] || (apart <= 2 * horizon * backoff_ + 64 && !alone(glider.at))) continue;
    const auto meets = [&](const Glider& other) { return may_meet(glider, other, kEver); };
    if (std::ranges::any_of(away, meets)) continue;
    if (std::ranges::any_of(verdict.leaving,
                            [&](std::size_t other) { return meets(candidates[other]); })) {
      continue;
    }
    verdict.free &= apart > room;
    safe_until_ = generation;
    glider.generation = generation;
    away_.push_back(glider);
    verdict.leaving.push_back(i);
    left_++;
  }
  return verdict;
}

}  // namespace tessera
