#include "core/tiles/pool_tiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "core/base/error.h"

namespace tessera {

PoolTiles::PoolTiles(std::unique_ptr<TilePool> pool) : pool_(std::move(pool)) {}

// The pool goes with all of its states.
PoolTiles::~PoolTiles() = default;

void PoolTiles::set_copies(const std::vector<TileCopy>& copies) {
  if (!copies.empty()) throw UnsupportedError("tiles of a pool make no copies by themselves");
}

void PoolTiles::reserve(TileId end) {
  if (end <= table_.end()) return;
  nowhere_.resize(end, 0);
  ahead_.resize(end, 0);
  seen_.resize(end, 0);
  drawn_.resize(end, 0);
  table_.extend(end);
}

void PoolTiles::give_back(std::vector<TileState>& states) {
  for (TileState& state : states) pool_->release(std::exchange(state, 0));
}

void PoolTiles::restart(int kept, int slots) {
  std::vector<TileState> first(table_.end(), 0);
  for (TileId tile = 1; kept >= 0 && tile < table_.end(); tile++) {
    if (table_[tile].copy) continue;  // made anew by whoever makes them
    first[tile] = state(kept, tile);
    pool_->hold(first[tile]);
  }
  for (int k = 0; k < table_.slots(); k++) {
    for (TileId tile = 1; tile < table_.end(); tile++) pool_->release(table_.slot(k)[tile]);
  }
  give_back(ahead_);
  give_back(seen_);
  seen_any_ = false;
  if (kept < 0) {
    table_.clear(slots);  // no tile is known any more
    for (std::vector<TileState>* states : {&ahead_, &seen_}) states->assign(1, 0);
    nowhere_.assign(1, 0);
    drawn_.assign(1, 0);
  } else {
    table_.set_slots(slots);
    std::ranges::copy(first, table_.slot(0));
  }
  work_.list.clear();
  work_.stamp++;
  held_.clear();
  clock_ = 0;
  slots_ = slots;
}

void PoolTiles::queue(TileId tile) {
  Tile& at = table_[tile];
  if (at.copy || at.queued == work_.stamp) return;
  at.queued = work_.stamp;
  work_.list.push_back(tile);
}

// What does not change keeps its state from slot to slot, as pools see to it for what they step.
void PoolTiles::draw(int slot, TileId tile, std::span<const TileRows> planes) {
  TileState& state = table_.slot(slot)[tile];
  const TileState before = table_.slot((slot + slots_ - 1) % slots_)[tile];
  std::array<TileRows, kMostTilePlanes> all{};
  const std::span<TileRows> known = std::span(all).first(planes.size());
  if (before) pool_->get_planes(before, known);
  TileState drawn = before;
  if (std::ranges::equal(known, planes)) {
    pool_->hold(before);
  } else {
    drawn = pool_->put_planes(planes);
  }
  pool_->release(std::exchange(state, drawn));
  drawn_[tile] = true;
}

// Those that were to be visited before they were made copies.
void PoolTiles::leave_out_copies() {
  std::erase_if(work_.list, [this](TileId tile) {
    if (table_[tile].copy) table_[tile].queued = 0;
    return table_[tile].copy;
  });
}

void PoolTiles::patch(const TilePatch& patch) {
  for (std::size_t i = 0; i < patch.linked.size(); i++) {
    Tile& tile = table_[patch.linked[i]];
    tile.next = patch.links[i].next;
    tile.frame = patch.links[i].frame;
    tile.copy = patch.links[i].copy;
    nowhere_[patch.linked[i]] = patch.links[i].nowhere;
  }
  if (!patch.linked.empty()) leave_out_copies();
  const auto planes = static_cast<std::size_t>(this->planes());
  for (std::size_t i = 0; i < patch.drawn.size(); i++) {
    draw(patch.slot, patch.drawn[i], std::span(patch.rows).subspan(i * planes, planes));
  }
  for (const TileId tile : patch.held) held_.push_back({tile, clock_ + patch.visit_for - 1});
  for (const TileId tile : patch.queued) queue(tile);
}

// Takes one step; whether it finds a neighbour missing.
bool PoolTiles::take(const DeviceStep& step, std::vector<MissingTiles>& missing,
                     DeviceProgress& done) {
  next_work_.begin_after(work_.stamp);
  pool_->visit(table_, {step.now, step.after, step.generations, step.odd}, work_.list, next_work_);
  done.steps++;
  done.visits += static_cast<double>(work_.list.size()) * step.generations;
  std::swap(work_, next_work_);
  std::erase_if(held_, [&](const auto& held) { return held.second <= clock_; });
  clock_++;
  for (const auto& [tile, until] : held_) queue(tile);
  for (const MissingTiles& each : work_.missing) {
    const std::uint32_t ways = each.ways & ~std::uint32_t{nowhere_[each.tile]};
    if (ways) missing.push_back({each.tile, ways});
  }
  return !missing.empty();
}

DeviceProgress PoolTiles::step(std::span<const DeviceStep> steps,
                               std::vector<MissingTiles>& missing) {
  missing.clear();
  DeviceProgress done;
  for (const DeviceStep& each : steps) {
    try {
      if (take(each, missing, done)) break;
    } catch (const std::bad_alloc&) {
      if (done.steps == 0) throw;
      break;  // the next request begins where memory has ended
    }
  }
  done.active = static_cast<std::int64_t>(work_.list.size());
  return done;
}

void PoolTiles::look_ahead(int now, int generations, bool odd) {
  give_back(ahead_);
  TileStep step;
  step.now = now;
  step.generations = generations;
  step.odd = odd;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (!table_[tile].copy) ahead_[tile] = pool_->peek(table_, step, tile);
  }
}

void PoolTiles::look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) {
  facts.assign(table_.end(), {});
  for (TileId tile = 1; tile < table_.end(); tile++) {
    const TileState now = state(slot, tile);
    unsigned bits = static_cast<unsigned>(pool_->population(now));
    // A state that is held stays what it is.
    if (!seen_any_ || drawn_[tile] || now != seen_[tile]) bits |= 1u << 15;
    if (of_all_slots) {
      bool lived = false;
      for (int k = 0; k < slots_ && !lived; k++) lived = table_.slot(k)[tile] != 0;
      if (lived) bits |= 1u << 13;
      if (!lived && table_[tile].queued != work_.stamp) bits |= 1u << 14;
    }
    facts[tile].bits = static_cast<std::uint16_t>(bits);
  }
  if (!remember) return;
  seen_any_ = true;
  std::ranges::fill(drawn_, 0);
  for (TileId tile = 1; tile < table_.end(); tile++) {
    const TileState now = state(slot, tile);
    pool_->hold(now);
    pool_->release(std::exchange(seen_[tile], now));
  }
}

void PoolTiles::get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) {
  const auto planes = static_cast<std::size_t>(this->planes());
  rows.assign(tiles.size() * planes, {});
  for (std::size_t i = 0; i < tiles.size(); i++) {
    if (const TileState known = state(slot, tiles[i]))
      pool_->get_planes(known, std::span(rows).subspan(i * planes, planes));
  }
}

void PoolTiles::lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) {
  shapes.clear();
  constexpr int kBox = 3;
  const TileState* const states = table_.slot(slot);
  for (const TileId tile : work_.list) {
    if (pool_->population(states[tile]) > most) continue;
    TileWindow window{};
    const auto add = [&](TileId each, int right, int below) {
      TileRows rows;
      if (!states[each]) return;
      pool_->get(states[each], rows);
      add_to_window(rows, right, below, window);
    };
    add(tile, 0, 0);
    for (int d = 0; d < kTileWays; d++) add(table_[tile].next[d], kWayX[d], kWayY[d]);
    int live = 0, top = -1, bottom = 0;
    std::uint64_t columns = 0;
    for (int y = 0; y < static_cast<int>(window.size()); y++) {
      const std::uint64_t row = window[static_cast<std::size_t>(y)];
      if (!row) continue;
      live += std::popcount(row);
      columns |= row;
      if (top < 0) top = y;
      bottom = y;
    }
    if (live > cells && live <= most && states[tile]) shapes.push_back({tile, 0, 0, 0});
    if (live != cells || bottom - top >= kBox) continue;
    const int left = std::countr_zero(columns), right = 63 - std::countl_zero(columns);
    const int x = left - kTileMargin, y = top - kTileMargin;
    if (right - left >= kBox || x < 0 || x >= kTileSide || y < 0 || y >= kTileSide) continue;
    int shape = 0;
    for (int r = 0; r < kBox && top + r < static_cast<int>(window.size()); r++) {
      const std::uint64_t row = window[static_cast<std::size_t>(top + r)] >> left;
      shape |= static_cast<int>(row & 7) << kBox * r;
    }
    shapes.push_back({tile, x, y, shape});
  }
  std::ranges::sort(shapes, {}, &LoneShape::tile);
}

std::int64_t PoolTiles::bytes_per_tile() const {
  // A state in every slot, and one that is remembered.
  return (slots_ + 1) * pool_->bytes_per_state() + table_.bytes_per_tile();
}

}  // namespace tessera
