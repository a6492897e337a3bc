#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>
#include <utility>

#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

// Tiles that share canonical words: four tiles are three words wide.
constexpr int kGroupTiles = 4, kGroupWords = 3;

// The box around a tile's live cells, if it has any.
std::optional<Bounds> box_of(const Cell& tile, const TileRows& rows) {
  std::uint64_t columns = 0;
  int first = -1, last = 0;
  for (int r = 0; r < kTileSide; r++) {
    if (!rows[static_cast<std::size_t>(r)]) continue;
    columns |= rows[static_cast<std::size_t>(r)];
    if (first < 0) first = r;
    last = r;
  }
  if (first < 0) return std::nullopt;
  const std::int64_t x = tile.x * kTileSide, y = tile.y * kTileSide;
  return Bounds{x + std::countr_zero(columns), y + first, x + 63 - std::countl_zero(columns),
                y + last};
}

void add_box(std::optional<Bounds>& to, const std::optional<Bounds>& box) {
  Survey both;
  both.bounds = to;
  both += Survey{0, box, 0};
  to = both.bounds;
}

}  // namespace

std::size_t TilePlane::PlaceHash::operator()(
    const std::pair<std::int64_t, std::int64_t>& at) const {
  return static_cast<std::size_t>(mix64(static_cast<std::uint64_t>(at.first) * 0x9E3779B97F4A7C15u ^
                                        static_cast<std::uint64_t>(at.second)));
}

// Live cells of the universe in a tile.
int TilePlane::population_of(TileId tile) const {
  const TileState state = present()[tile];
  if (!state || table_[tile].copy) return 0;
  const Cell at{table_[tile].x, table_[tile].y};
  if (table_.layout().whole(at)) return store_->population(state);
  TileRows rows;
  store_->get(state, rows);
  table_.layout().clip(at, rows);
  int live = 0;
  for (const std::uint64_t row : rows) live += std::popcount(row);
  return live;
}

// What the four tiles of a group, numbered from (0, 0), add to the state hash.
std::uint64_t TilePlane::hash_of_group(std::int64_t group, std::int64_t y,
                                       const Overlay& overlay) const {
  std::array<Planes, kGroupTiles> cells;
  std::array<bool, kGroupTiles> live{};
  for (int i = 0; i < kGroupTiles; i++) {
    const Cell at{group * kGroupTiles + i, y};
    // Beyond a torus's edge there are tiles that were here already.
    live[i] = table_.layout().holds(at) && cells_at(at, overlay, in_use(cells[i]));
  }
  return hash_of_tiles(group, y, cells, live);
}

std::uint64_t TilePlane::hash_of_tiles(std::int64_t group, std::int64_t y,
                                       std::span<const Planes> cells,
                                       std::span<const bool> live) const {
  std::uint64_t hash = 0;
  for (int p = 0; p < planes_; p++) {
    std::array<std::array<std::uint64_t, kTileSide>, kGroupWords> words{};
    for (int i = 0; i < kGroupTiles; i++) {
      if (!live[i]) continue;
      const TileRows& rows = cells[i][p];
      const int word = i * kTileSide / 64, shift = i * kTileSide % 64;
      for (int r = 0; r < kTileSide; r++) {
        words[word][r] |= rows[r] << shift;
        if (shift > 64 - kTileSide) words[word + 1][r] |= rows[r] >> (64 - shift);
      }
    }
    for (int w = 0; w < kGroupWords; w++) {
      for (int r = 0; r < kTileSide; r++) {
        if (!words[w][r]) continue;
        hash += hash_word(words[w][r], group * kGroupWords + w, y * kTileSide + r, p);
      }
    }
  }
  return hash;
}

// Brings a tile's share of the sums of slot() up to date.
void TilePlane::count_again(Sums& sums, TileId tile) {
  if (sums.populations.size() <= tile) sums.populations.resize(table_.end(), 0);
  const int now = population_of(tile), before = std::exchange(sums.populations[tile], now);
  sums.population += now - before;
  if ((now == 0) == (before == 0)) return;
  for (const auto& [lines, at] :
       {std::pair{&sums.columns, table_[tile].x}, {&sums.rows, table_[tile].y}}) {
    if ((*lines)[at] += now ? 1 : -1; (*lines)[at] == 0) lines->erase(at);
  }
}

void TilePlane::hash_again(Sums& sums, TileId tile) {
  const std::int64_t group = floor_div(table_[tile].x, kGroupTiles), y = table_[tile].y;
  const auto number =
      static_cast<std::uint32_t>(groups_.try_emplace({y, group}, groups_.size()).first->second);
  groups_seen_.resize(groups_.size(), 0);
  if (std::exchange(groups_seen_[number], groups_stamp_) == groups_stamp_) return;
  sums.hashes.resize(groups_.size(), 0);
  const std::uint64_t now = hash_of_group(group, y, {});
  sums.hash += now - std::exchange(sums.hashes[number], now);
}

// The sums of slot(). Those of a whole ring of steps ago lack what has changed since, which is on
// the worklist; older ones, and those of a slot that nobody has asked for, are made anew.
const TilePlane::Sums& TilePlane::sums(bool hash) {
  const int slots = schedule_.slots();
  if (sums_.size() != static_cast<std::size_t>(slots)) forget_sums();
  if (groups_.size() > 1024 + 8 * static_cast<std::size_t>(table_.count())) forget_sums();
  sums_.resize(static_cast<std::size_t>(slots));
  Sums& sums = sums_[static_cast<std::size_t>(slot())];
  const auto update = [&](std::int64_t& step, const auto& reset, const auto& again) {
    if (step == steps_) return;
    groups_stamp_++;
    if (step >= 0 && step == steps_ - slots) {
      for (const TileId tile : work_.list) again(tile);
    } else {
      reset();
      for (TileId tile = 1; tile < table_.end(); tile++) {
        if (table_[tile].used && !table_[tile].copy && present()[tile]) again(tile);
      }
    }
    step = steps_;
  };
  update(
      sums.counted,
      [&] {
        sums.population = 0;
        sums.populations.assign(table_.end(), 0);
        sums.columns.clear();
        sums.rows.clear();
      },
      [&](TileId tile) { count_again(sums, tile); });
  if (!hash) return sums;
  update(
      sums.hashed,
      [&] {
        sums.hash = 0;
        sums.hashes.assign(groups_.size(), 0);
      },
      [&](TileId tile) { hash_again(sums, tile); });
  return sums;
}

void TilePlane::forget_sums() {
  sums_.clear();
  groups_.clear();
  groups_seen_.clear();
}

// A tile's present state was replaced by hand.
void TilePlane::sum_again(TileId tile) {
  if (sums_.size() != static_cast<std::size_t>(schedule_.slots())) return;
  Sums& sums = sums_[static_cast<std::size_t>(slot())];
  if (sums.counted == steps_) count_again(sums, tile);
  groups_stamp_++;
  if (sums.hashed == steps_) hash_again(sums, tile);
}

// The box around the live cells on the plane, from the outermost rows and columns of tiles.
std::optional<Bounds> TilePlane::box(const Sums& sums) const {
  std::optional<Bounds> out;
  const auto look = [&](const Cell& at) {
    TileRows rows;
    if (rows_at(at.x, at.y, {}, rows)) add_box(out, box_of(at, rows));
  };
  if (sums.columns.empty()) return out;
  for (const std::int64_t x : {sums.columns.begin()->first, sums.columns.rbegin()->first}) {
    for (const auto& [y, tiles] : sums.rows) look({x, y});
  }
  for (const std::int64_t y : {sums.rows.begin()->first, sums.rows.rbegin()->first}) {
    for (const auto& [x, tiles] : sums.columns) look({x, y});
  }
  return out;
}

// What the gliders that are away add to the hash of the plane.
std::uint64_t TilePlane::hash_of(const Overlay& away) const {
  std::uint64_t hash = 0;
  std::pair<std::int64_t, std::int64_t> last{};
  bool first = true;
  for (const auto& [place, rows] : away) {
    const std::pair group{place.first, floor_div(place.second, kGroupTiles)};
    if (!std::exchange(first, false) && group == last) continue;
    last = group;
    hash += hash_of_group(group.second, group.first, away) -
            hash_of_group(group.second, group.first, {});
  }
  return hash;
}

// Population and bounds of tiles on a device, of which only those come home that can reach furthest
// out, and those that an edge of the universe cuts.
Survey TilePlane::device_survey(const SurveyParts& parts) {
  settle();
  const TileLayout& layout = table_.layout();
  const std::vector<TileFacts>& facts = device_->facts(present_slot(), false);
  Survey out;
  std::vector<TileId> wanted;
  std::vector<std::pair<TileId, Cell>> whole;
  std::optional<Bounds> places;  // of whole tiles, in tiles
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (facts[tile].population() == 0 || table_[tile].copy) continue;
    const Cell at{table_[tile].x, table_[tile].y};
    if (!layout.whole(at)) {
      wanted.push_back(tile);
      continue;
    }
    out.population += facts[tile].population();
    if (!parts.bounds) continue;
    whole.push_back({tile, at});
    add_box(places, Bounds{at.x, at.y, at.x, at.y});
  }
  for (const auto& [tile, at] : whole) {
    if (at.x == places->xmin || at.x == places->xmax || at.y == places->ymin ||
        at.y == places->ymax) {
      wanted.push_back(tile);
    }
  }
  device_->fetch(present_slot(), wanted);
  for (const TileId tile : wanted) {
    const Cell at{table_[tile].x, table_[tile].y};
    TileRows rows = device_->rows(present_slot(), tile);
    if (!layout.whole(at)) {
      layout.clip(at, rows);
      for (const std::uint64_t row : rows) out.population += std::popcount(row);
    }
    if (parts.bounds) add_box(out.bounds, box_of(at, rows));
  }
  out.population += kGliderCells * departures_.away();
  if (parts.bounds) {
    for (const auto& [place, rows] : overlay()) {
      add_box(out.bounds, box_of({place.second, place.first}, rows));
    }
  }
  if (!parts.population) out.population = 0;
  return out;
}

// The state hash of tiles in several processes: their cells come by and are not kept.
std::uint64_t TilePlane::hash_in_passing() {
  constexpr std::size_t kHandful = 4096;  // tiles
  settle();
  struct Seen {
    Cell at;
    TileId tile = 0;
    std::int64_t group() const { return floor_div(at.x, kGroupTiles); }
  };
  const std::vector<TileFacts>& facts = device_->facts(present_slot(), false);
  const Overlay away = overlay();
  std::vector<Seen> all;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (facts[tile].population() > 0 && !table_[tile].copy)
      all.push_back({{table_[tile].x, table_[tile].y}, tile});
  }
  for (const auto& [place, rows] : away) {
    const TileId tile = table_.find(place.second, place.first);
    if (!tile || facts[tile].population() == 0) all.push_back({{place.second, place.first}});
  }
  std::ranges::sort(all, {}, [](const Seen& each) { return std::pair(each.at.y, each.at.x); });
  std::uint64_t hash = 0;
  std::vector<TileRows> rows;
  for (std::size_t first = 0; first < all.size();) {
    // Whole groups.
    std::size_t end = std::min(all.size(), first + kHandful);
    const auto same = [&](std::size_t a, std::size_t b) {
      return all[a].at.y == all[b].at.y && all[a].group() == all[b].group();
    };
    while (end < all.size() && same(end, end - 1)) end++;
    std::vector<TileId> numbers;
    for (std::size_t i = first; i < end; i++) numbers.push_back(all[i].tile);
    device_->pass_by(present_slot(), numbers, rows);
    for (std::size_t i = first; i < end;) {
      const std::size_t group = i;
      std::array<Planes, kGroupTiles> cells;
      std::array<bool, kGroupTiles> live{};
      for (; i < end && same(i, group); i++) {
        const auto in_group = static_cast<std::size_t>(floor_mod(all[i].at.x, kGroupTiles));
        for (int p = 0; p < planes_; p++) {
          TileRows& own = cells[in_group][p] = rows[(i - first) * planes_ + p];
          table_.layout().clip(all[i].at, own);
        }
        if (const auto more = away.find({all[i].at.y, all[i].at.x}); more != away.end()) {
          for (int r = 0; r < kTileSide; r++) cells[in_group].front()[r] |= more->second[r];
        }
        live[in_group] = true;
      }
      hash += hash_of_tiles(all[group].group(), all[group].at.y, cells, live);
    }
    first = end;
  }
  return hash;
}

Survey TilePlane::survey(const SurveyParts& parts) {
  if (device_ && !parts.hash) return device_survey(parts);
  if (device_ && device_->in_processes()) {
    Survey out = device_survey(parts);
    out.hash = hash_in_passing();
    return out;
  }
  see();
  // No worklist of a device's says what has changed.
  if (ahead_ || device_) return whole_survey(parts);
  const Sums& now = sums(parts.hash);
  Survey out;
  if (parts.population) out.population = now.population + kGliderCells * departures_.away();
  if (!parts.bounds && !parts.hash) return out;
  const Overlay away = overlay();
  if (parts.bounds) {
    out.bounds = box(now);
    for (const auto& [place, rows] : away) {
      add_box(out.bounds, box_of({place.second, place.first}, rows));
    }
  }
  if (parts.hash) out.hash = now.hash + hash_of(away);
  return out;
}

// Between two slots: all tiles are looked at.
Survey TilePlane::whole_survey(const SurveyParts& parts) const {
  Survey out;
  const Overlay away = overlay();
  std::unordered_set<std::pair<std::int64_t, std::int64_t>, PlaceHash> groups;
  const auto add = [&](const Cell& at) {
    TileRows rows;
    if (!rows_at(at.x, at.y, away, rows)) return;
    for (const std::uint64_t row : rows) out.population += std::popcount(row);
    if (parts.bounds) add_box(out.bounds, box_of(at, rows));
    const std::int64_t group = floor_div(at.x, kGroupTiles);
    if (parts.hash && groups.insert({at.y, group}).second) {
      out.hash += hash_of_group(group, at.y, away);
    }
  };
  for (const Cell& at : places(away)) add(at);
  return out;
}

}  // namespace tessera
