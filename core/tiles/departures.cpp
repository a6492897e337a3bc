#include "core/tiles/departures.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>
#include <utility>

#include "core/cells/soup.h"

namespace tessera {

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;
// Two gliders, and a glider and anything else, that are so far apart do not touch within a
// generation, whatever their phases.
constexpr std::int64_t kApart = 16;
constexpr std::int64_t kMostBackoff = 4;

// A set of squares of the plane, `side` cells each.
class Squares {
 public:
  explicit Squares(std::int64_t side) : side_(side) {}
  void add(const Cell& at) { set_.insert(key(floor_div(at.x, side_), floor_div(at.y, side_))); }
  // Whether one of the set lies within `reach` squares of the one that holds `at`.
  bool near(const Cell& at, std::int64_t reach) const {
    if (set_.empty()) return false;
    const std::int64_t x = floor_div(at.x, side_), y = floor_div(at.y, side_);
    for (std::int64_t dy = -reach; dy <= reach; dy++) {
      for (std::int64_t dx = -reach; dx <= reach; dx++) {
        if (set_.contains(key(x + dx, y + dy))) return true;
      }
    }
    return false;
  }

 private:
  // Two squares of one key only make somebody stay who could leave.
  static std::uint64_t key(std::int64_t x, std::int64_t y) {
    return mix64(static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u ^
                 static_cast<std::uint64_t>(y));
  }
  std::int64_t side_;
  std::unordered_set<std::uint64_t> set_;
};

// Whether two gliders, both as they are now, never come within kApart cells of each other: along an
// axis they are that near during one interval of time. Those that fly the same way never meet: they
// were apart when they were seen as lone, or they would have been content to each other.
bool never_meet(const Glider& a, const Glider& b) {
  if (a.dx == b.dx && a.dy == b.dy) return true;
  std::int64_t from = 0, to = kFar;
  const std::pair<std::int64_t, int> axes[] = {{a.at.x - b.at.x, a.dx - b.dx},
                                               {a.at.y - b.at.y, a.dy - b.dy}};
  for (const auto& [apart, speed] : axes) {  // speed in quarters of a cell per generation
    if (speed == 0) {
      if (std::abs(apart) > kApart) return true;
      continue;
    }
    if (std::abs(apart) > kFar / 8) return (apart > 0) == (speed > 0);
    const std::int64_t one = (-kApart - apart) * 4 / speed, two = (kApart - apart) * 4 / speed;
    from = std::max(from, std::min(one, two) - 4);
    to = std::min(to, std::max(one, two) + 4);
  }
  return from > to;
}

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
  Squares inhabited(side);
  for (const Content& content : contents) {
    all.add(content.at, content.side);
    // A square of cells lies in up to four of these.
    for (const std::int64_t y : {content.at.y, content.at.y + content.side - 1}) {
      for (const std::int64_t x : {content.at.x, content.at.x + content.side - 1}) {
        inhabited.add({x, y});
      }
    }
  }
  // Nothing inhabited within the squares around: at least `side` cells lie in between.
  const auto alone = [&](const Cell& at) { return !inhabited.near(at, 1); };
  const std::int64_t room = horizon + kApart;
  const std::vector<Glider> away = at(generation);

  // Who stays is content, and in the way of others: so they are asked until nobody else stays.
  std::vector<char> stays(candidates.size(), 0);
  const auto stay = [&](std::size_t i) {
    stays[i] = 1;
    all.add(candidates[i].at, 3);
    inhabited.add(candidates[i].at);
    inhabited.add({candidates[i].at.x + 2, candidates[i].at.y + 2});
  };
  const auto may_leave = [&](const Glider& glider) {
    return all.behind(box_of(glider), glider.dx, glider.dy) > 2 * horizon * backoff_ + 64 ||
           alone(glider.at);
  };
  for (std::size_t i = 0; i < candidates.size(); i++) {
    if (std::ranges::any_of(
            away, [&](const Glider& other) { return !never_meet(candidates[i], other); })) {
      stay(i);
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < candidates.size(); i++) {
      if (stays[i] || may_leave(candidates[i])) continue;
      stay(i);
      again = true;
    }
    if (again) continue;
    for (std::size_t i = 0; i < candidates.size() && !again; i++) {
      for (std::size_t k = i + 1; k < candidates.size() && !stays[i]; k++) {
        if (stays[k] || never_meet(candidates[i], candidates[k])) continue;
        stay(i);
        again = true;
      }
    }
  }

  verdict.free = true;
  std::vector<Glider> remaining;
  for (std::size_t i = 0; i < away.size(); i++) {
    const bool behind = all.behind(box_of(away[i]), away[i].dx, away[i].dy) > room;
    verdict.free &= behind;
    if (behind || alone(away[i].at)) {
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
  for (std::size_t i = 0; i < candidates.size(); i++) {
    if (stays[i]) continue;
    Glider glider = candidates[i];
    verdict.free &= all.behind(box_of(glider), glider.dx, glider.dy) > room;
    glider.generation = generation;
    away_.push_back(glider);
    verdict.leaving.push_back(i);
    left_++;
  }
  return verdict;
}

}  // namespace tessera
