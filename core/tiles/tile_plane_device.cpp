// A plane whose tiles a device steps (DeviceTiles).

#include <algorithm>
#include <bit>
#include <utility>

#include "core/files/checkpoint_shards.h"
#include "core/stepping/step_backend.h"
#include "core/tiles/plane_store.h"
#include "core/tiles/state_store.h"
#include "core/tiles/tile_plane.h"
#include "core/tiles/tile_shard.h"

namespace tessera {

namespace {

std::unique_ptr<TileStore> store_for(int planes) {
  if (planes == 1) return std::make_unique<StateStore>();
  return std::make_unique<PlaneStore>(planes);
}

}  // namespace

TilePlane::TilePlane(const Rule& rule, std::unique_ptr<TileDevice> device, const TileLayout& layout)
    : rule_(rule),
      store_(store_for(device->planes())),
      planes_(store_->planes()),
      pace_{kTileMargin / device->reach(), device->two_rules()},
      schedule_(Schedule::of_period(Schedule::kUsualPeriod, pace_)),
      table_(0, layout),
      device_(std::make_unique<DeviceTiles>(std::move(device), table_, *store_)),
      forced_(static_cast<std::size_t>(schedule_.slots())),
      kind_(rule),
      gliders_leave_(kind_.exists() && !layout.bounded() && !pace_.even),
      departures_(kind_) {
  clear();
}

void TilePlane::lend(std::unique_ptr<TileDevice> device) {
  if (!watched_.empty()) {
    watched_.clear();
    restart(*unwatched_);
  } else if (ahead_) {
    restart(schedule_);
  }
  // Devices have rings of three slots and more.
  if (schedule_.slots() < 3) restart(Schedule::of_period(Schedule::kUsualPeriod, pace_));
  auto tiles = std::make_unique<DeviceTiles>(std::move(device), table_, *store_);
  tiles->restart(-1, schedule_.slots());
  const TileState* states = table_.slot(slot());
  std::vector<TileId> live;
  Planes scratch;
  const std::span<TileRows> cells = in_use(scratch);
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (!states[tile] || table_[tile].copy) continue;
    store_->get_planes(states[tile], cells);
    tiles->draw(0, tile, cells);
    live.push_back(tile);
  }
  tiles->flush(0);
  device_ = std::move(tiles);
  for (int k = 0; k < table_.slots(); k++) {
    for (TileId tile = 1; tile < table_.end(); tile++) store_->release(table_.slot(k)[tile]);
  }
  table_.set_slots(0);
  begin_ring(live);
}

bool TilePlane::take_from(StepBackend& grid) {
  const TileLayout& layout = table_.layout();
  if (!device_ || !layout.bounded()) return false;
  const BackendSpec& spec = grid.spec();
  if (spec.rule.planes() != planes_ || !spec.plain_edges() || !device_->takes_from(grid)) {
    return false;
  }
  const Rect all = layout.tiles();
  const std::int64_t room = (limit() - bytes()) / device_->bytes_per_tile();
  if (all.width > room / all.height) return false;
  clear();
  device_->take_from(grid, slot(), table_.make_all());
  return true;
}

std::unique_ptr<TileDevice> TilePlane::bring_home() {
  see();
  // All that may lack memory comes first: the table's ring is not read meanwhile.
  std::vector<TileState> states(present(), present() + table_.end());
  std::vector<TileId> live;
  for (TileId tile = 1; tile < states.size(); tile++) {
    if (table_[tile].copy) states[tile] = 0;  // made anew, with what they repeat
    if (states[tile]) live.push_back(tile);
  }
  // Whoever steps them at home finds out which ring is worth its memory there.
  if (schedule_.period() == Schedule::kLongPeriod) {
    schedule_ = Schedule::of_period(Schedule::kUsualPeriod, pace_);
  }
  table_.set_slots(schedule_.slots());
  for (const TileId tile : live) {
    store_->hold(states[tile]);
    table_.slot(0)[tile] = states[tile];
  }
  generation_ += ahead_;
  forget_ahead();
  std::unique_ptr<TileDevice> device = device_->give_back();
  device_.reset();
  begin_ring(live);
  return device;
}

// The present states stand in slot 0, and nothing in the others.
void TilePlane::begin_ring(const std::vector<TileId>& live) {
  steps_ = 0;
  forget_sums();
  forced_.assign(static_cast<std::size_t>(schedule_.slots()), {});
  work_.list.clear();
  work_.stamp++;
  // Whoever stepped them before has stamps of its own.
  for (TileId tile = 1; tile < table_.end(); tile++) table_[tile].queued = 0;
  for (const TileId tile : live) touched(tile);
}

void TilePlane::restart_on_device(const Schedule& schedule) {
  device_->restart(present_slot(), schedule.slots());
  generation_ += ahead_;
  forget_ahead();
  schedule_ = schedule;
  const std::vector<TileFacts>& facts = device_->facts(0, false);
  std::vector<TileId> live;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (facts[tile].population() > 0 && !table_[tile].copy) live.push_back(tile);
  }
  begin_ring(live);
}

std::vector<Shard> TilePlane::write_shards(const ShardOrder& order, const Cell& corner) {
  settle();
  // Gliders that are away may lie in the same tiles as other cells, which are written with them:
  // pieces do not overlap.
  std::vector<TileId> without;
  std::vector<Piece> pieces;
  for (const auto& [place, rows] : overlay()) {
    const TileId tile = table_.find(place.second, place.first);
    const TileRows others = device_->rows(present_slot(), tile);
    if (tile) without.push_back(tile);
    BitGrid cells(kTileSide, kTileSide);
    for (int r = 0; r < kTileSide; r++) *cells.row(r) = rows[r] | others[r];
    const Rect all{place.second * kTileSide + corner.x, place.first * kTileSide + corner.y,
                   kTileSide, kTileSide};
    const Rect part = all.common(order.extent);
    pieces.push_back({{part.x, part.y},
                      cells.window({part.x - all.x, part.y - all.y, part.width, part.height})});
  }
  std::ranges::sort(without);
  TileShard what{order};
  what.slot = present_slot();
  what.corner = corner;
  std::vector<Shard> shards = device_->write_shards(what, without);
  if (!pieces.empty()) {
    PieceList away(order.extent, pieces);
    shards.push_back(write_shard(order, static_cast<int>(shards.size()), away));
  }
  return shards;
}

// The present cells, wherever they are.
void TilePlane::see() {
  settle();
  if (device_) device_->settle(present_slot());
}

// A tile's place and those around it, so that what moves there meets no gap soon.
void TilePlane::make_around(const Cell& tile) {
  const TileLayout& layout = table_.layout();
  for (std::int64_t y = tile.y - 1; y <= tile.y + 1; y++) {
    for (std::int64_t x = tile.x - 1; x <= tile.x + 1; x++) {
      if (layout.has({x, y})) table_.make(x, y);
    }
  }
}

// A device watches no tile. But where it visits few of them a step takes as long as one does at
// least, and in a longer ring there may be none to visit at all. That begins with visits to all
// tiles, and the host names each of them: it takes so many generations to come to be repaid.
void TilePlane::lengthen_ring(std::int64_t to_come) {
  constexpr std::int64_t kFew = 1024, kTilesPerGeneration = 8;
  watch_due_ = later(kFirstWatch);
  const Schedule longer = Schedule::of_period(Schedule::kLongPeriod, pace_);
  if (strides_ || schedule_.period() != Schedule::kUsualPeriod) return;
  if (active() == 0 || active() > kFew || to_come < table_.count() / kTilesPerGeneration) return;
  if (bytes() / schedule_.slots() * longer.slots() > limit() / 4) return;
  try_restart(longer);
}

void TilePlane::step_on_device(std::int64_t generations) {
  constexpr std::int64_t kSpare = 1 << 20;  // more than are taken at a time
  // Another ring's first step may be longer than what is asked for: whoever asks looks again.
  if (steps_ > TileDevice::kMostSteps - kSpare) return restart(schedule_);
  const bool long_ring = schedule_.period() == Schedule::kLongPeriod;
  if (long_ring && bytes() > limit() / 2 && try_restart(usual_schedule())) return;
  std::vector<MissingTiles> missing;
  const DeviceProgress done = device_->step(schedule_, slot(), odd_turn(), generations, missing);
  for (std::int64_t n = 0; n < done.steps; n++) {
    generation_ += schedule_.length(slot());
    steps_++;
  }
  cells_stepped_ += done.visits * kTileSide * kTileSide;
  for (const MissingTiles& each : missing) {
    const Cell at{table_[each.tile].x, table_[each.tile].y};
    for (std::uint32_t ways = each.ways; ways; ways &= ways - 1) {
      const int d = std::countr_zero(ways);
      const Cell place{at.x + kWayX[d], at.y + kWayY[d]};
      device_->queue(table_.make(place.x, place.y));
      make_around(place);
      // What has come so far goes on: a spaceship then meets a gap half as often.
      make_around({place.x + 2 * kWayX[d], place.y + 2 * kWayY[d]});
    }
  }
  for (const TileId tile : device_->idle(slot())) table_.drop(tile);
}

}  // namespace tessera
