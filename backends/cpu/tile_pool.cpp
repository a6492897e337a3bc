#include "backends/cpu/tile_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

namespace tessera {

CpuTilePool::CpuTilePool(const Rule& rule, std::int64_t limit, int threads,
                         std::size_t worth_sharing)
    : rule_(rule),
      limit_(limit),
      worth_sharing_(worth_sharing),
      lanes_(static_cast<std::size_t>(threads)) {}

void CpuTilePool::set_frames(const std::vector<TileFrame>& frames) {
  masks_.clear();
  for (const TileFrame& frame : frames) {
    WindowMask& mask = masks_.emplace_back();
    const auto low = [](int n) {
      return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    };
    for (int y = 0; y < 64; y++) {
      const bool inside = y >= frame.top && y < frame.bottom;
      mask.rows[8 * (y % 8) + y / 8] = inside ? low(frame.right) & ~low(frame.left) : 0;
    }
  }
}

// A long list in the order of the tiles' numbers, which most of the time are neighbours where their
// places are: then what a visit reads of them is in the cache since a visit before. Short lists
// stay as they are.
std::span<const TileId> CpuTilePool::in_order(const TileTable& table,
                                              std::span<const TileId> list) {
  constexpr std::size_t kLong = 4096;
  const std::size_t words = table.end() / 64 + 1;
  if (list.size() < std::max(kLong, words)) return list;
  ordered_.reserve(list.size());
  ordered_.clear();
  listed_.assign(words, 0);
  for (const TileId tile : list) listed_[tile / 64] |= std::uint64_t{1} << tile % 64;
  for (std::size_t i = 0; i < words; i++) {
    for (std::uint64_t bits = listed_[i]; bits; bits &= bits - 1) {
      ordered_.push_back(static_cast<TileId>(64 * i) + static_cast<TileId>(std::countr_zero(bits)));
    }
  }
  return ordered_;
}

void CpuTilePool::visit(TileTable& table, const TileStep& step, std::span<const TileId> unordered,
                        TileWork& next) {
  const std::span<const TileId> list = in_order(table, unordered);
  const std::size_t lanes = list.size() < worth_sharing_ ? 1 : lanes_.size();
  if (!states_.has(list.size(), lanes)) {
    // Many are written anew where they are: so many more would be a waste of memory.
    const TileState* after = table.slot(step.after);
    states_.reserve(static_cast<std::size_t>(std::ranges::count_if(
                        list, [&](TileId tile) { return !states_.rewritable(after[tile]); })),
                    lanes);
  }
  // Room for whatever a thread may find, so that none needs memory.
  for (std::size_t i = 0; i < lanes; i++) {
    lanes_[i].list.clear();
    lanes_[i].list.reserve(std::min<std::size_t>(table.end(), list.size() * (kTileWays + 1)));
    lanes_[i].missing.clear();
    lanes_[i].missing.reserve(list.size());
  }
  TileVisit visit;
  visit.tiles = table.tiles();
  visit.now = table.slot(step.now);
  visit.before = table.slot(step.before);
  visit.after = table.slot(step.after);
  visit.generations = step.generations;
  visit.repeats = step.repeats;
  visit.rule = rule_;
  visit.masks = masks_.data();
  visit.states = &states_;
  visit.stamp = next.stamp;
  visit.alone = lanes == 1;
  if (lanes == 1) {
    tile_visit(visit, lanes_[0], list.data(), list.size());
  } else {
    share(visit, list);
  }
  for (std::size_t i = 0; i < lanes; i++) {
    next.list.insert(next.list.end(), lanes_[i].list.begin(), lanes_[i].list.end());
    next.missing.insert(next.missing.end(), lanes_[i].missing.begin(), lanes_[i].missing.end());
  }
}

// Threads take handfuls of tiles, because some tiles take much longer than others.
void CpuTilePool::share(const TileVisit& visit, std::span<const TileId> list) {
  constexpr std::size_t kHandful = 64;
  std::atomic<std::size_t> taken{0};
  const auto run = [&](int lane) {
    for (;;) {
      const std::size_t first = taken.fetch_add(kHandful, std::memory_order_relaxed);
      if (first >= list.size()) return;
      tile_visit(visit, lanes_[static_cast<std::size_t>(lane)], list.data() + first,
                 std::min(kHandful, list.size() - first));
    }
  };
  const int threads = static_cast<int>(lanes_.size());
  if (!crew_) crew_ = std::make_unique<Crew>(threads);
  crew_->gather([&] { crew_->share(threads, run); });
}

TileState CpuTilePool::peek(TileTable& table, int now, TileId tile, int generations) {
  TileVisit visit;
  visit.tiles = table.tiles();
  visit.now = table.slot(now);
  visit.generations = generations;
  visit.rule = rule_;
  visit.masks = masks_.data();
  visit.states = &states_;
  return tile_peek(visit, tile);
}

}  // namespace tessera
