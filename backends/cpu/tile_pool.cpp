#include "backends/cpu/tile_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tessera {

CpuTilePool::CpuTilePool(const Rule& rule, std::int64_t limit, int threads,
                         std::size_t worth_sharing)
    : rule_(rule),
      limit_(limit),
      worth_sharing_(worth_sharing),
      lanes_(static_cast<std::size_t>(threads)),
      segments_(static_cast<std::size_t>(threads)) {}

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
// stay as they are, and so do most long ones: a list loses its order slowly.
std::span<const TileId> CpuTilePool::in_order(const TileTable& table,
                                              std::span<const TileId> list) {
  constexpr std::size_t kLong = 4096;
  constexpr int kUnordered = 3;
  const std::size_t words = table.end() / 64 + 1;
  if (list.size() < std::max(kLong, words)) return list;
  if (unordered_ < kUnordered) {
    unordered_++;
    return list;
  }
  unordered_ = 0;
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

int CpuTilePool::parts(std::size_t tiles) const {
  if (tiles < worth_sharing_) return 1;
  const std::size_t share = std::max<std::size_t>(1, worth_sharing_ / 4);
  return static_cast<int>(std::min(lanes_.size(), std::max<std::size_t>(2, tiles / share)));
}

void CpuTilePool::share(int parts, const std::function<void(int)>& run) {
  if (parts == 1) return run(0);
  if (!crew_) crew_ = std::make_unique<Crew>(static_cast<int>(lanes_.size()));
  crew_->gather([&] { crew_->share(parts, run); });
}

// Tiles whose next state cannot be written where their oldest one is.
std::size_t CpuTilePool::new_states(const TileState* after, std::span<const TileId> list,
                                    std::size_t lanes) {
  std::atomic<std::size_t> count{0};
  share(static_cast<int>(lanes), [&](int lane) {
    const auto at = static_cast<std::size_t>(lane);
    const std::size_t from = list.size() * at / lanes, to = list.size() * (at + 1) / lanes;
    count += static_cast<std::size_t>(
        std::ranges::count_if(list.subspan(from, to - from),
                              [&](TileId tile) { return !states_.rewritable(after[tile]); }));
  });
  return count;
}

void CpuTilePool::visit(TileTable& table, const TileStep& step, std::span<const TileId> unordered,
                        TileWork& next) {
  const std::span<const TileId> list = in_order(table, unordered);
  const auto lanes = static_cast<std::size_t>(parts(list.size()));
  if (!states_.has(list.size(), lanes)) {
    // Many are written anew where they are: so many more would be a waste of memory.
    states_.reserve(new_states(table.slot(step.after), list, lanes), lanes);
  }
  // Room for whatever a thread may find, so that none needs memory.
  for (std::size_t i = 0; i < lanes; i++) {
    lanes_[i].list.clear();
    lanes_[i].list.reserve(std::min<std::size_t>(table.end(), list.size() * (kTileWays + 1)));
    lanes_[i].copied.clear();
    if (table.layout().has_copies()) lanes_[i].copied.reserve(list.size());
    lanes_[i].missing.clear();
    lanes_[i].missing.reserve(list.size());
  }
  prepare(list.size(), step.generations);
  TileVisit visit = visit_of(table, step);
  visit.after = table.slot(step.after);
  visit.stamp = next.stamp;
  visit.alone = lanes == 1;
  if (lanes == 1) {
    visit_tiles(visit, 0, list.data(), list.size());
  } else {
    share_visits(visit, list, lanes);
  }
  for (std::size_t i = 0; i < lanes; i++) {
    next.list.insert(next.list.end(), lanes_[i].list.begin(), lanes_[i].list.end());
    next.copied.insert(next.copied.end(), lanes_[i].copied.begin(), lanes_[i].copied.end());
    next.missing.insert(next.missing.end(), lanes_[i].missing.begin(), lanes_[i].missing.end());
  }
}

// Threads take handfuls of tiles, because some tiles take much longer than others.
void CpuTilePool::share_visits(const TileVisit& visit, std::span<const TileId> list,
                               std::size_t lanes) {
  const std::size_t handful = std::clamp<std::size_t>(list.size() / lanes / 16, 1, 64);
  for (std::size_t i = 0; i < lanes; i++) {
    segments_[i].taken.store(list.size() * i / lanes, std::memory_order_relaxed);
    segments_[i].end = list.size() * (i + 1) / lanes;
  }
  share(static_cast<int>(lanes), [&](int lane) {
    const auto own = static_cast<std::size_t>(lane);
    for (std::size_t i = 0; i < lanes; i++) {
      Segment& segment = segments_[(own + i) % lanes];
      for (;;) {
        const std::size_t first = segment.taken.fetch_add(handful, std::memory_order_relaxed);
        if (first >= segment.end) break;
        visit_tiles(visit, own, list.data() + first, std::min(handful, segment.end - first));
      }
    }
  });
}

TileVisit CpuTilePool::visit_of(TileTable& table, const TileStep& step) {
  TileVisit visit;
  visit.tiles = table.tiles();
  visit.now = table.slot(step.now);
  visit.generations = step.generations;
  visit.odd = step.odd;
  visit.rule = rule_;
  visit.masks = masks_.data();
  visit.states = &states_;
  return visit;
}

TileState CpuTilePool::peek(TileTable& table, const TileStep& step, TileId tile) {
  return peek_tile(visit_of(table, step), tile);
}

void CpuTilePool::visit_tiles(const TileVisit& visit, std::size_t lane, const TileId* list,
                              std::size_t count) {
  tile_visit(visit, lanes_[lane], list, count);
}

TileState CpuTilePool::peek_tile(const TileVisit& visit, TileId tile) {
  return tile_peek(visit, tile);
}

}  // namespace tessera
