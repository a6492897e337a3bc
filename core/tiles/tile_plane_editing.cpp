#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "core/cells/soup.h"
#include "core/tiles/tile_plane.h"

namespace tessera {

// The cells of a tile in slot(); those of tile 0 are dead.
TileRows TilePlane::rows_of(TileId tile) const {
  TileRows rows{};
  if (const TileState state = table_.slot(slot())[tile]) pool_->get(state, rows);
  return rows;
}

// Puts other cells into a tile's present state.
void TilePlane::replace(TileId tile, const TileRows& rows) {
  TileState& state = table_.slot(slot())[tile];
  pool_->release(state);
  state = pool_->put(rows);
  touched(tile);
}

std::int64_t TilePlane::bytes_per_tile() const {
  // Its state, and places for it and some of its neighbours.
  return kTileSide * 8 + 3 * table_.bytes_per_tile();
}

std::int64_t TilePlane::bytes_for(const Cell& at, const BitGrid& cells) const {
  const std::int64_t left = floor_div(at.x, kTileSide), top = floor_div(at.y, kTileSide);
  const std::int64_t right = floor_div(at.x + cells.width() - 1, kTileSide);
  std::int64_t tiles = 0;
  std::vector<bool> live;
  for (std::int64_t y = 0, row = top; y < cells.height(); row++) {
    live.assign(static_cast<std::size_t>(right - left + 1), false);
    const std::int64_t end = std::min(cells.height(), (row + 1) * kTileSide - at.y);
    for (; y < end; y++) {
      for (std::int64_t word = 0; word < cells.words_per_row(); word++) {
        if (cells.row(y)[word] == 0) continue;
        const std::int64_t first = floor_div(at.x + word * 64, kTileSide) - left;
        const std::int64_t last =
            floor_div(at.x + std::min(word * 64 + 63, cells.width() - 1), kTileSide) - left;
        for (std::int64_t x = first; x <= last; x++) live[static_cast<std::size_t>(x)] = true;
      }
    }
    tiles += std::ranges::count(live, true);
  }
  // A state for each, and places in the table for them and their neighbours.
  const std::int64_t rows = ceil_div(cells.height(), kTileSide) + 3;
  const auto most = static_cast<double>(right - left + 3) * static_cast<double>(rows);
  const std::int64_t places =
      most < 9.0 * static_cast<double>(tiles) ? static_cast<std::int64_t>(most) : 9 * tiles;
  return tiles * kTileSide * 8 + places * table_.bytes_per_tile();
}

// The present generation into a slot, and all gliders onto the plane.
void TilePlane::prepare_edit() {
  if (ahead_) restart(schedule_);
  if (departures_.away()) {
    const std::vector<Glider> all = departures_.at(generation_);
    departures_.clear();
    return_gliders(all);
  }
  if (gliders_leave_) gliders_due_ = generation_;
}

void TilePlane::edit(const Cell& at, const BitGrid& cells) {
  prepare_edit();
  for (const Cell& by : table_.layout().repetitions({at.x, at.y, cells.width(), cells.height()})) {
    draw({at.x + by.x, at.y + by.y}, cells, false);
  }
}

// Replaces the cells of a rectangle where it lies in tiles that are stepped; those that are alive
// stay so if `keep`.
void TilePlane::draw(const Cell& at, const BitGrid& cells, bool keep) {
  const std::int64_t left = floor_div(at.x, kTileSide), top = floor_div(at.y, kTileSide);
  std::int64_t right = floor_div(at.x + cells.width() - 1, kTileSide);
  std::int64_t bottom = floor_div(at.y + cells.height() - 1, kTileSide);
  if (table_.layout().bounded()) {
    const Rect all = table_.layout().tiles();
    right = std::min(right, all.width - 1);
    bottom = std::min(bottom, all.height - 1);
  }
  for (std::int64_t y = top; y <= bottom; y++) {
    for (std::int64_t x = left; x <= right; x++) {
      TileId tile = table_.find(x, y);
      const TileRows before = rows_of(tile);
      TileRows rows = before;
      for (int r = 0; r < kTileSide; r++) {
        const std::int64_t gy = y * kTileSide + r - at.y, gx = x * kTileSide - at.x;
        if (gy < 0 || gy >= cells.height()) continue;
        const std::int64_t ends = std::min<std::int64_t>(kTileSide, cells.width() - gx);
        std::uint64_t inside = ends >= kTileSide ? kWholeTileRow : (std::uint64_t{1} << ends) - 1;
        if (gx < 0) inside &= ~std::uint64_t{0} << -gx;
        const std::uint64_t bits = gx < 0 ? cells.bits(0, gy) << -gx : cells.bits(gx, gy);
        rows[r] = (keep ? rows[r] : rows[r] & ~inside) | (bits & inside);
      }
      if (rows == before) continue;
      if (!tile) tile = table_.make(x, y);
      replace(tile, rows);
    }
  }
}

void TilePlane::add(const std::vector<PlacedTile>& tiles) {
  prepare_edit();
  const TileLayout& layout = table_.layout();
  for (const PlacedTile& added : tiles) {
    const Cell at{added.at.x * kTileSide, added.at.y * kTileSide};
    BitGrid cells(kTileSide, kTileSide);
    for (int r = 0; r < kTileSide; r++) *cells.row(r) = added.rows[r];
    for (const Cell& by : layout.repetitions({at.x, at.y, kTileSide, kTileSide})) {
      draw({at.x + by.x, at.y + by.y}, cells, true);
    }
  }
}

// Cells of a glider onto the plane, or off it.
void TilePlane::add_cells(const Glider& glider, bool alive) {
  std::map<std::pair<std::int64_t, std::int64_t>, TileRows> changed;
  for_each_cell(glider, [&](const Cell& at) {
    const std::int64_t x = floor_div(at.x, kTileSide), y = floor_div(at.y, kTileSide);
    const auto [entry, fresh] = changed.try_emplace({y, x}, TileRows{});
    if (fresh) entry->second = rows_of(table_.find(x, y));
    const std::uint64_t bit = std::uint64_t{1} << floor_mod(at.x, kTileSide);
    std::uint64_t& row = entry->second[static_cast<std::size_t>(floor_mod(at.y, kTileSide))];
    row = alive ? row | bit : row & ~bit;
  });
  for (const auto& [place, rows] : changed) {
    replace(table_.make(place.second, place.first), rows);
  }
}

void TilePlane::return_gliders(const std::vector<Glider>& gliders) {
  for (const Glider& glider : gliders) add_cells(glider, true);
}

// Sees which gliders may leave the plane and which must come back, until the next time.
void TilePlane::check_gliders() {
  const TileState* states = table_.slot(slot());
  std::vector<Glider> candidates;
  TileRows rows;
  for (const TileId tile : work_.list) {
    const TileState state = states[tile];
    if (!state || pool_->population(state) > kGliderCells) continue;
    // The window of 64 x 64 cells around the tile.
    std::array<std::uint64_t, 64> window{};
    const auto put = [&](TileState each, int down, int across) {
      if (!each) return;
      pool_->get(each, rows);
      for (int r = 0; r < kTileSide; r++) {
        const int y = r + down + kTileMargin;
        if (y < 0 || y >= 64) continue;
        const int shift = across + kTileMargin;
        window[static_cast<std::size_t>(y)] |= shift >= 0 ? rows[r] << shift : rows[r] >> -shift;
      }
    };
    put(state, 0, 0);
    for (int d = 0; d < kTileWays; d++) {
      put(states[table_[tile].next[d]], kWayY[d] * kTileSide, kWayX[d] * kTileSide);
    }
    int live = 0, top = -1, bottom = 0;
    std::uint64_t columns = 0;
    for (int y = 0; y < 64; y++) {
      if (!window[y]) continue;
      live += std::popcount(window[y]);
      columns |= window[y];
      if (top < 0) top = y;
      bottom = y;
    }
    if (live != kGliderCells) continue;
    const int left = std::countr_zero(columns), right = 63 - std::countl_zero(columns);
    // The box begins in this tile, so that no glider is found twice.
    const auto mine = [](int at) { return at >= kTileMargin && at < kTileMargin + kTileSide; };
    if (bottom - top != 2 || right - left != 2 || !mine(top) || !mine(left)) continue;
    int shape = 0;
    for (int i = 0; i < 9; i++) {
      shape |= static_cast<int>(window[top + i / 3] >> (left + i % 3) & 1) << i;
    }
    std::optional<Glider> glider = kind_.of(shape);
    if (!glider) continue;
    glider->at = {table_[tile].x * kTileSide + left - kTileMargin,
                  table_[tile].y * kTileSide + top - kTileMargin};
    glider->generation = generation_;
    candidates.push_back(*glider);
  }

  // The more there is to look at, the less often.
  const std::int64_t horizon =
      kTileMargin * std::max<std::int64_t>({4, table_.count() / 512, departures_.away() / 64});
  gliders_due_ = generation_ + horizon;
  if (candidates.empty() && departures_.away() == 0) {
    rest_known_ = rest_free_ = work_.list.empty();
    return;
  }
  const auto each_tile_of = [&](const Glider& glider, const auto& visit) {
    for_each_cell(glider, [&](const Cell& at) {
      visit(table_.find(floor_div(at.x, kTileSide), floor_div(at.y, kTileSide)));
    });
  };
  for (const Glider& glider : candidates) {
    each_tile_of(glider, [&](TileId tile) { table_[tile].marks++; });
  }
  // What is at rest may have been elsewhere in another slot.
  const int seen_slots = work_.list.empty() ? schedule_.slots() : 1;
  std::vector<Departures::Content> contents;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    const Tile& at = table_[tile];
    if (!at.used) continue;
    bool live = false;
    for (int k = 0; k < seen_slots && !live; k++) {
      live = table_.slot((slot() + k) % schedule_.slots())[tile] != 0;
    }
    if (!live) continue;
    if (at.marks && static_cast<int>(at.marks) == pool_->population(states[tile])) continue;
    contents.push_back({{at.x * kTileSide, at.y * kTileSide}, kTileSide});
  }
  for (const Glider& glider : candidates) {
    each_tile_of(glider, [&](TileId tile) { table_[tile].marks = 0; });
  }
  const bool still = work_.list.empty();
  const Departures::Verdict verdict =
      departures_.review(generation_, horizon, contents, candidates);
  return_gliders(verdict.returning);
  for (const std::size_t i : verdict.leaving) add_cells(candidates[i], false);
  rest_known_ = still && verdict.returning.empty() && verdict.leaving.empty();
  rest_free_ = verdict.free;
}

// Now and then some active tiles are watched for a while, two generations per step: the period that
// most of them have is that of the next schedule.
void TilePlane::watch_period(std::int64_t generations) {
  constexpr int kLong = 240, kSeen = 100;  // periods up to 480, seen for 200 generations
  constexpr std::int64_t kMostPeriod = 2 * kLong;
  if (work_.list.size() <= 100 || generations <= 2000 || strides_) {
    watch_due_ = generation_ + 1000;
    return;
  }
  watching_ = true;
  const Schedule before = schedule_;
  std::vector<Cell> sample;
  const std::size_t every = std::max<std::size_t>(1, work_.list.size() / 96);
  for (std::size_t i = 0; i < work_.list.size(); i += every) {
    sample.push_back({table_[work_.list[i]].x, table_[work_.list[i]].y});
  }
  std::vector<std::vector<std::uint64_t>> seen(sample.size());
  restart(Schedule::of_stride(2));
  for (int g = 0; g < kLong + kSeen; g++) {
    while (generation_ + schedule_.length(slot()) > gliders_due_) check_gliders();
    one_step();
    for (std::size_t i = 0; i < sample.size(); i++) {
      const TileRows rows = rows_of(table_.find(sample[i].x, sample[i].y));
      std::uint64_t hash = 0;
      for (const std::uint64_t row : rows) hash = mix64(hash ^ row);
      seen[i].push_back(hash);
    }
  }
  std::map<std::int64_t, int> votes;
  for (const std::vector<std::uint64_t>& history : seen) {
    for (int p = 1; p <= kLong; p++) {
      if (!std::equal(history.begin() + kLong, history.end(), history.begin() + kLong - p))
        continue;
      if (p > 1) votes[2 * p]++;
      break;
    }
  }
  const auto served = [&](std::int64_t period) {
    int count = 0;
    for (const auto& [p, votes_for] : votes) count += period % p == 0 ? votes_for : 0;
    return count;
  };
  std::int64_t best = before.period();
  int score = served(best);
  std::vector<std::int64_t> candidates{24, 60, 120};
  for (const auto& [p, votes_for] : votes) {
    candidates.push_back(p);
    for (const auto& [q, others] : votes) candidates.push_back(std::lcm(p, q));
    for (const std::int64_t m :
         {std::int64_t{8}, std::int64_t{12}, std::int64_t{24}, std::int64_t{60}, before.period()}) {
      candidates.push_back(std::lcm(p, m));
    }
  }
  const int watched = static_cast<int>(seen.size());
  for (const std::int64_t period : candidates) {
    if (period < 24 || period > kMostPeriod) continue;
    const int value = served(period);
    // A tenth more, and more than one in twenty tiles: a change costs a ring of visits to all.
    if (value * 10 > score * 11 + watched / 2 ||
        (value >= score && period < best && score * 20 >= watched)) {
      best = period, score = value;
    }
  }
  restart(best == before.period() ? before : Schedule::of_period(best));
  watch_due_ = generation_ * 4;
  watching_ = false;
}

}  // namespace tessera
