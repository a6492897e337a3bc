#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "core/cells/soup.h"
#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

// Looks at watched tiles, two generations apart: periods up to the first, seen for the second.
constexpr int kLongWatch = 240, kShortWatch = 100;

// Steps between two looks at the gliders while a device steps: each look waits for it.
constexpr std::int64_t kDeviceSteps = 16;

}  // namespace

// The cells of a tile in slot(); those of tile 0 are dead.
TileRows TilePlane::rows_of(TileId tile) {
  if (device_) return device_->rows(slot(), tile);
  TileRows rows{};
  if (const TileState state = table_.slot(slot())[tile]) store_->get(state, rows);
  return rows;
}

// Puts other cells into a tile's present state.
void TilePlane::replace(TileId tile, const TileRows& rows) {
  if (device_) {
    touched(tile);  // at first, so that a device without room for it has both for another try
    device_->draw(slot(), tile, rows);
    return;
  }
  TileState& state = table_.slot(slot())[tile];
  store_->release(state);
  state = store_->put(rows);
  sum_again(tile);
  touched(tile);
}

// Tiles whose cells are wanted soon, so that a device need not be asked for each.
void TilePlane::fetch(const std::vector<TileId>& tiles) {
  if (device_) device_->fetch(slot(), tiles);
}

std::int64_t TilePlane::bytes_per_tile() const {
  // Its state, and places for it and some of its neighbours.
  return device_ ? 3 * device_->bytes_per_tile() : kTileSide * 8 + 3 * table_.bytes_per_tile();
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
  if (device_) return places * device_->bytes_per_tile();
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
  std::vector<TileId> known;
  for (std::int64_t y = top; y <= bottom; y++) {
    known.clear();
    for (std::int64_t x = left; x <= right; x++) {
      if (const TileId tile = table_.find(x, y)) known.push_back(tile);
    }
    fetch(known);
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
  std::vector<TileId> known;
  for (const PlacedTile& added : tiles) {
    if (const TileId tile = table_.find(added.at.x, added.at.y)) known.push_back(tile);
  }
  fetch(known);
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

// Gliders with nothing near them, of the tiles that the next step visits.
std::vector<Glider> TilePlane::lone_gliders() {
  std::vector<Glider> out;
  if (device_) {
    std::vector<LoneShape> shapes;
    device_->lone_shapes(slot(), kGliderCells, shapes);
    for (const LoneShape& lone : shapes) {
      std::optional<Glider> glider = kind_.of(lone.shape);
      if (!glider) continue;
      const Tile& tile = table_[lone.tile];
      glider->at = {tile.x * kTileSide + lone.x, tile.y * kTileSide + lone.y};
      glider->generation = generation_;
      out.push_back(*glider);
    }
    return out;
  }
  const TileState* states = table_.slot(slot());
  TileRows rows;
  for (const TileId tile : work_.list) {
    const TileState state = states[tile];
    // Several may fly side by side.
    if (!state || store_->population(state) > 4 * kGliderCells) continue;
    // The window of 64 x 64 cells around the tile.
    std::array<std::uint64_t, 64> window{};
    const auto put = [&](TileState each, int down, int across) {
      if (!each) return;
      store_->get(each, rows);
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
    for (Glider& glider : kind_.lone(window, kTileMargin, kTileSide)) {
      glider.at.x += table_[tile].x * kTileSide - kTileMargin;
      glider.at.y += table_[tile].y * kTileSide - kTileMargin;
      glider.generation = generation_;
      out.push_back(glider);
    }
  }
  return out;
}

// Sees which gliders may leave the plane and which must come back, until the next time.
void TilePlane::check_gliders() {
  const std::vector<Glider> candidates = lone_gliders();
  // The more there is to look at, the less often.
  const std::int64_t horizon =
      kTileMargin * std::max<std::int64_t>({device_ ? kDeviceSteps : 4, table_.count() / 512,
                                            departures_.away() / 64});
  gliders_due_ = later(horizon);
  if (candidates.empty() && departures_.away() == 0) {
    rest_known_ = rest_free_ = active() == 0;
    return;
  }
  if (candidates.empty() && active() > 0 && departures_.safe_until() >= gliders_due_) return;
  const auto each_tile_of = [&](const Glider& glider, const auto& visit) {
    for_each_cell(glider, [&](const Cell& at) {
      visit(table_.find(floor_div(at.x, kTileSide), floor_div(at.y, kTileSide)));
    });
  };
  for (const Glider& glider : candidates) {
    each_tile_of(glider, [&](TileId tile) { table_[tile].marks++; });
  }
  // What is at rest may have been elsewhere in another slot.
  const bool still = active() == 0;
  const int seen_slots = still ? schedule_.slots() : 1;
  const TileState* states = device_ ? nullptr : table_.slot(slot());
  const TileFacts* facts = device_ ? device_->facts(slot(), still).data() : nullptr;
  std::vector<Departures::Content> contents;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    const Tile& at = table_[tile];
    if (!at.used) continue;
    bool live = false;
    if (facts) {
      live = still ? facts[tile].lived() : facts[tile].population() > 0;
    } else {
      for (int k = 0; k < seen_slots && !live; k++) {
        live = table_.slot((slot() + k) % schedule_.slots())[tile] != 0;
      }
    }
    if (!live) continue;
    if (at.marks) {
      const int cells = facts ? facts[tile].population() : store_->population(states[tile]);
      if (static_cast<int>(at.marks) == cells) continue;
    }
    contents.push_back({{at.x * kTileSide, at.y * kTileSide}, kTileSide});
  }
  for (const Glider& glider : candidates) {
    each_tile_of(glider, [&](TileId tile) { table_[tile].marks = 0; });
  }
  const Departures::Verdict verdict =
      departures_.review(generation_, horizon, contents, candidates);
  return_gliders(verdict.returning);
  for (const std::size_t i : verdict.leaving) add_cells(candidates[i], false);
  if (device_) {
    // So that those who stay do not soon end a batch of steps.
    for (const Glider& glider : candidates) {
      make_around({floor_div(glider.at.x, kTileSide), floor_div(glider.at.y, kTileSide)});
    }
  }
  rest_known_ = still && verdict.returning.empty() && verdict.leaving.empty();
  rest_free_ = verdict.free;
}

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
  restart(Schedule::of_stride(2));
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
  for (const std::int64_t period : candidates) {
    if (period < 24 || period > kMostPeriod) continue;
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
