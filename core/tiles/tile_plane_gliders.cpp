// Gliders that leave the plane, and come back.

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

// Steps between two looks at the gliders while a device steps: each look waits for it.
constexpr std::int64_t kDeviceSteps = 16;

}  // namespace

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
    replace(table_.make(place.second, place.first), {&rows, 1});
  }
}

// Calls `visit` with the tile of each cell of a glider, 0 where the table has none.
template <class Visit>
void TilePlane::for_each_tile(const Glider& glider, const Visit& visit) const {
  TileId tile = 0;
  std::optional<Cell> last;  // most cells lie in the tile of the cell before
  for_each_cell(glider, [&](const Cell& at) {
    const Cell place{floor_div(at.x, kTileSide), floor_div(at.y, kTileSide)};
    if (last != place) tile = table_.find(place.x, place.y);
    last = place;
    visit(tile);
  });
}

// The cells around gliders are wanted soon.
void TilePlane::fetch_around(const std::vector<Glider>& gliders) {
  if (!device_) return;
  std::vector<TileId> tiles;
  for (const Glider& glider : gliders) {
    for_each_tile(glider, [&](TileId tile) {
      if (tile) tiles.push_back(tile);
    });
  }
  fetch(std::move(tiles));
}

void TilePlane::return_gliders(const std::vector<Glider>& gliders) {
  fetch_around(gliders);
  for (const Glider& glider : gliders) add_cells(glider, true);
}

// Adds the gliders with nothing near them that begin in a tile.
void TilePlane::add_lone_gliders(TileId tile, std::vector<Glider>& gliders) {
  const Tile& at = table_[tile];
  TileWindow window{};
  TileRows rows;
  const auto put = [&](TileId each, int right, int below) {
    const int down = below * kTileSide, across = right * kTileSide;
    // The rows within the window.
    const int first = std::max(0, -down - kTileMargin);
    const int end = std::min(kTileSide, kTileSide + kTileMargin - down);
    if (device_ && each) {
      rows = rows_of(each);
    } else if (const TileState state = device_ ? 0 : table_.slot(slot())[each]) {
      store_->get_rows(state, first, end, rows);
    } else {
      return;
    }
    const int shift = across + kTileMargin;
    for (int r = first; r < end; r++) {
      window[static_cast<std::size_t>(r + down + kTileMargin)] |=
          shift >= 0 ? rows[r] << shift : rows[r] >> -shift;
    }
  };
  put(tile, 0, 0);
  for (int d = 0; d < kTileWays; d++) put(at.next[d], kWayX[d], kWayY[d]);
  for (Glider& glider : kind_.lone(window, kTileMargin, kTileSide)) {
    glider.at.x += at.x * kTileSide - kTileMargin;
    glider.at.y += at.y * kTileSide - kTileMargin;
    glider.generation = generation_;
    gliders.push_back(glider);
  }
}

// The same of all visited tiles of few cells. Threads share the work: each makes a list of its own.
void TilePlane::add_lone_gliders_at_home(int most_cells, std::vector<Glider>& gliders) {
  const std::span<const TileId> list = work_.list;
  const TileState* states = table_.slot(slot());
  const auto look = [&](std::size_t from, std::size_t end, std::vector<Glider>& into) {
    for (const TileId tile : list.subspan(from, end - from)) {
      if (!states[tile] || store_->population(states[tile]) > most_cells) continue;
      add_lone_gliders(tile, into);
    }
  };
  const auto parts = static_cast<std::size_t>(pool_->parts(list.size()));
  if (parts == 1) return look(0, list.size(), gliders);
  std::vector<std::vector<Glider>> found(parts);
  std::atomic<bool> memory_ended{false};
  pool_->share(static_cast<int>(parts), [&](int number) {
    const auto part = static_cast<std::size_t>(number);
    try {
      look(list.size() * part / parts, list.size() * (part + 1) / parts, found[part]);
    } catch (const std::bad_alloc&) {
      memory_ended = true;
    }
  });
  if (memory_ended) throw std::bad_alloc();
  for (const auto& each : found) gliders.insert(gliders.end(), each.begin(), each.end());
}

// Gliders with nothing near them, of the tiles that the next step visits.
std::vector<Glider> TilePlane::lone_gliders() {
  // Several may fly side by side.
  constexpr int kMostCells = 4 * kGliderCells, kMostPause = 63;
  std::vector<Glider> out;
  if (!device_) {
    add_lone_gliders_at_home(kMostCells, out);
    return out;
  }
  std::vector<LoneShape> shapes;
  device_->lone_shapes(slot(), kGliderCells, kMostCells, shapes);
  std::vector<TileId> several;
  for (const LoneShape& lone : shapes) {
    if (!lone.shape) {
      several.push_back(lone.tile);
    } else if (std::optional<Glider> glider = kind_.of(lone.shape)) {
      const Tile& tile = table_[lone.tile];
      glider->at = {tile.x * kTileSide + lone.x, tile.y * kTileSide + lone.y};
      glider->generation = generation_;
      out.push_back(*glider);
    }
  }
  if (several.empty() || several_wait_-- > 0) return out;
  const std::size_t alone = out.size();
  device_->facts(slot(), false);  // so that tiles without cells need not be brought home
  std::vector<TileId> wanted = several;
  for (const TileId tile : several) {
    for (const TileId beside : table_[tile].next) {
      if (beside) wanted.push_back(beside);
    }
  }
  fetch(std::move(wanted));
  for (const TileId tile : several) add_lone_gliders(tile, out);
  // A stream of gliders is full of windows in which none is alone: then they are seldom looked at.
  const bool fruitless = out.size() - alone < several.size() / 8;
  several_pause_ = fruitless ? std::min(2 * several_pause_ + 1, kMostPause) : 0;
  several_wait_ = several_pause_;
  return out;
}

// Makes the tiles that a lone glider reaches until the next look, so that it ends no batch of
// steps: those along its diagonal, because a large plane is looked at seldom and the square around
// a long flight would be nearly all empty tiles.
void TilePlane::make_way(const Glider& glider, std::int64_t generations) {
  constexpr std::int64_t kReach = 2 * kTileMargin, kBox = 3, kStretch = 4 * kTileSide;
  for (std::int64_t flown = 0; flown < generations; flown += kStretch) {
    const Cell at = kind_.later(glider, later(flown)).at;
    const Cell then = kind_.later(glider, later(std::min(flown + kStretch, generations))).at;
    const std::int64_t right = floor_div(std::max(at.x, then.x) + kBox + kReach, kTileSide);
    const std::int64_t bottom = floor_div(std::max(at.y, then.y) + kBox + kReach, kTileSide);
    for (std::int64_t y = floor_div(std::min(at.y, then.y) - kReach, kTileSide); y <= bottom; y++) {
      for (std::int64_t x = floor_div(std::min(at.x, then.x) - kReach, kTileSide); x <= right; x++)
        table_.make(x, y);
    }
  }
}

// Sees which gliders may leave the plane and which must come back, until the next time.
void TilePlane::check_gliders() {
  const std::vector<Glider> candidates = lone_gliders();
  // The more there is to look at, the less often.
  const std::int64_t horizon =
      kTileMargin * std::max<std::int64_t>({device_ ? kDeviceSteps : 4, table_.count() / 512,
                                            departures_.away() / 64});
  // A device has looked at many steps at once.
  const auto look_again = [&](std::int64_t gained) {
    gliders_due_ = device_ ? later(horizon)
                           : departures_.next_look(generation_, horizon, candidates.size(), gained);
  };
  const bool none_away = departures_.away() == 0;
  if (candidates.empty() &&
      (none_away || (active() > 0 && departures_.safe_until() >= later(horizon)))) {
    if (none_away) rest_known_ = rest_free_ = active() == 0;
    return look_again(0);
  }
  for (const Glider& glider : candidates) {
    for_each_tile(glider, [&](TileId tile) { table_[tile].marks++; });
  }
  // What is at rest may have been elsewhere in another slot.
  const bool still = active() == 0;
  const int seen_slots = still ? schedule_.slots() : 1;
  const TileState* states = device_ ? nullptr : table_.slot(slot());
  const TileFacts* facts = device_ ? device_->facts(slot(), still).data() : nullptr;
  std::vector<Departures::Content> contents;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    // Most are empty, and their places are not looked at.
    bool live = false;
    if (facts) {
      live = still ? facts[tile].lived() : facts[tile].population() > 0;
    } else {
      for (int k = 0; k < seen_slots && !live; k++) {
        live = table_.slot((slot() + k) % schedule_.slots())[tile] != 0;
      }
    }
    const Tile& at = table_[tile];
    if (!live || !at.used) continue;
    if (at.marks) {
      const int cells = facts ? facts[tile].population() : store_->population(states[tile]);
      if (static_cast<int>(at.marks) == cells) continue;
    }
    contents.push_back({{at.x * kTileSide, at.y * kTileSide}, kTileSide});
  }
  for (const Glider& glider : candidates) {
    for_each_tile(glider, [&](TileId tile) { table_[tile].marks = 0; });
  }
  const Departures::Verdict verdict =
      departures_.review(generation_, horizon, contents, candidates);
  look_again(static_cast<std::int64_t>(verdict.leaving.size()) -
             static_cast<std::int64_t>(verdict.returning.size()));
  return_gliders(verdict.returning);
  std::vector<Glider> leaving, staying;
  for (std::size_t i = 0; i < candidates.size(); i++) {
    const bool leaves = leaving.size() < verdict.leaving.size() &&
                        verdict.leaving[leaving.size()] == i;  // they are in order
    (leaves ? leaving : staying).push_back(candidates[i]);
  }
  fetch_around(leaving);
  for (const Glider& glider : leaving) add_cells(glider, false);
  if (device_) {
    for (const Glider& glider : staying) make_way(glider, horizon);
  }
  rest_known_ = still && verdict.returning.empty() && verdict.leaving.empty();
  rest_free_ = verdict.free;
}

}  // namespace tessera
