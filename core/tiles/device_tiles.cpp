#include "core/tiles/device_tiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/tiles/tile_shard.h"

namespace tessera {

namespace {

// Cells of so many tiles cross between host and device at a time.
constexpr std::size_t kHandful = 16384;

// In drawn_: the device has been told.
constexpr std::uint32_t kDrawnBefore = ~std::uint32_t{0};

// Steps that are given at once take some 50 ms at most, so that who waits can stop them.
constexpr std::int64_t kLeastBatch = 4, kMostBatch = 2048, kMostVisits = 40'000'000;

}  // namespace

DeviceTiles::DeviceTiles(std::unique_ptr<TileDevice> device, TileTable& table, TileStore& store)
    : device_(std::move(device)),
      table_(&table),
      store_(&store),
      planes_(static_cast<std::size_t>(device_->planes())) {
  table.record_links(&relinked_);
  if (const auto frames = table.layout().frames(); !frames.empty()) device_->set_frames(frames);
}

// The tiles that repeat others, what they repeat, and all around them: neither goes any more.
void DeviceTiles::make_copies() {
  const TileLayout& layout = table_->layout();
  if (!layout.has_copies()) return;
  const std::vector<Cell> places = layout.all_copies();
  const std::int64_t bytes = static_cast<std::int64_t>(places.size()) * bytes_per_tile();
  if (bytes > limit()) {
    throw DeviceMemoryError("the tiles along the edges of a torus need " + memory_text(bytes) +
                            "; " + memory_text(limit()) + " is the limit");
  }
  std::vector<TileCopy> copies;
  for (const Cell& at : places) {
    TileCopy copy;
    copy.tile = table_->make(at.x, at.y);
    layout.for_each_part(at, [&](const TileLayout::Part& part) {
      copy.parts.push_back({table_->make(part.tile.x, part.tile.y), static_cast<int>(part.from.x),
                            static_cast<int>(part.from.y), static_cast<int>(part.to.x),
                            static_cast<int>(part.to.y), static_cast<int>(part.size.x),
                            static_cast<int>(part.size.y)});
    });
    for (int d = 0; d < kTileWays; d++) {
      const Cell beside = layout.home({at.x + kWayX[d], at.y + kWayY[d]});
      if (layout.holds(beside)) table_->make(beside.x, beside.y);
    }
    copies.push_back(std::move(copy));
  }
  device_->reserve(table_->end());
  device_->set_copies(copies);
}

DeviceTiles::~DeviceTiles() {
  table_->record_links(nullptr);
  for (const TileState state : states_) store_->release(state);
}

void DeviceTiles::restart(int kept, int slots) {
  if (kept >= 0) {
    flush(kept);
  } else {
    // Nothing of what was known holds any more.
    forget_patch();
    drawn_.clear();
    fresh_ = true;
    relinked_.clear();
    for (TileId tile = 1; tile < table_->end(); tile++) relinked_.push_back(tile);
    for (const TileState state : states_) store_->release(state);
    states_.clear();
    owed_.clear();
    told_ = 0;
  }
  device_->restart(kept, slots);
  if (kept < 0) make_copies();
  active_ = 0;
  moved();
}

// Nothing is known of the cells any more.
void DeviceTiles::moved() {
  settled_ = -1;
  facts_slot_ = -1;
  fetched_.clear();
  fetched_rows_.clear();
}

void DeviceTiles::queue(TileId tile) {
  Tile& at = (*table_)[tile];
  if (at.queued == stamp_) return;
  at.queued = stamp_;
  patch_.queued.push_back(tile);
}

void DeviceTiles::hold(TileId tile) {
  patch_.held.push_back(tile);
  queue(tile);
}

void DeviceTiles::draw(int slot, TileId tile, std::span<const TileRows> planes) {
  if (const std::optional<std::size_t> at = drawn_at(tile)) {
    std::ranges::copy(planes, patch_.rows.begin() + static_cast<std::ptrdiff_t>(*at * planes_));
  } else {
    if (tile >= drawn_.size()) drawn_.resize(std::max<std::size_t>(2 * drawn_.size(), tile + 1), 0);
    patch_.drawn.push_back(tile);
    patch_.rows.insert(patch_.rows.end(), planes.begin(), planes.end());
    drawn_[tile] = static_cast<std::uint32_t>(patch_.drawn.size());
  }
  if (settled_ == slot) put(tile, planes);
  fetched_.erase(tile);
  if (patch_.drawn.size() >= kHandful) flush(slot);
}

void DeviceTiles::take_from(StepBackend& grid, int slot, std::span<const TileId> tiles) {
  device_->reserve(table_->end());
  device_->take_from(grid, slot, tiles);
  fresh_ = false;
  moved();
  patch_.held.reserve(tiles.size());
  patch_.queued.reserve(tiles.size());
  for (const TileId tile : tiles) hold(tile);
  flush(slot);
}

// A state that is looked at is another one now.
void DeviceTiles::put(TileId tile, std::span<const TileRows> planes) {
  if (tile >= states_.size()) states_.resize(table_->end(), 0);
  store_->release(states_[tile]);
  states_[tile] = store_->put_planes(planes);
}

void DeviceTiles::cells(int slot, TileId tile, std::span<TileRows> planes) {
  const auto give = [&](std::span<const TileRows> known) {
    std::ranges::copy(known, planes.begin());
  };
  for (TileRows& plane : planes) plane = {};
  if (tile == 0) return;
  if (settled_ == slot) {
    if (tile < states_.size() && states_[tile]) store_->get_planes(states_[tile], planes);
    return;
  }
  if (const std::optional<std::size_t> at = drawn_at(tile)) {
    give(planes_of(patch_.rows, *at));
    return;
  }
  if (is_empty(slot, tile)) return;
  if (const auto fetched = fetched_.find(tile);
      fetched_slot_ == slot && fetched != fetched_.end()) {
    give(planes_of(fetched_rows_, fetched->second));
    return;
  }
  std::vector<TileRows> rows;
  device_->get(slot, std::span(&tile, 1), rows);
  give(rows);
}

TileRows DeviceTiles::rows(int slot, TileId tile) {
  std::array<TileRows, kMostTilePlanes> all;
  const std::span<TileRows> planes = std::span(all).first(planes_);
  cells(slot, tile, planes);
  return live_cells(planes);
}

bool DeviceTiles::is_empty(int slot, TileId tile) const {
  if (tile == 0) return true;
  if (drawn_at(tile)) return false;
  if (settled_ == slot) return tile >= states_.size() || states_[tile] == 0;
  if (static_cast<std::int64_t>(tile) >= told_ || untouched(tile)) return true;
  return facts_slot_ == slot && tile < facts_.size() && facts_[tile].population() == 0;
}

void DeviceTiles::fetch(int slot, const std::vector<TileId>& tiles) {
  if (settled_ == slot) return;
  if (std::exchange(fetched_slot_, slot) != slot) {
    fetched_.clear();
    fetched_rows_.clear();
  }
  std::vector<TileId> wanted;
  for (const TileId tile : tiles) {
    if (!is_empty(slot, tile) && !drawn_at(tile) && !fetched_.contains(tile)) {
      wanted.push_back(tile);
    }
  }
  if (wanted.empty()) return;
  std::vector<TileRows> rows;
  device_->get(slot, wanted, rows);
  const std::size_t known = fetched_rows_.size() / planes_;
  for (std::size_t i = 0; i < wanted.size(); i++) fetched_[wanted[i]] = known + i;
  fetched_rows_.insert(fetched_rows_.end(), rows.begin(), rows.end());
}

void DeviceTiles::flush(int slot) {
  if (patch_.empty() && relinked_.empty()) return;
  device_->reserve(table_->end());
  const TileLayout& layout = table_->layout();
  patch_.linked.clear();
  patch_.links.clear();
  const std::size_t most = std::min(relinked_.size(), static_cast<std::size_t>(table_->count()));
  patch_.linked.reserve(most);
  patch_.links.reserve(most);
  for (const TileId tile : relinked_) {
    Tile& at = (*table_)[tile];
    if (std::exchange(at.marks, 1)) continue;  // it is there already
    patch_.linked.push_back(tile);
    TilePatch::Links links;
    links.at = {at.x, at.y};
    links.used = at.used;
    links.next = at.next;
    links.frame = at.frame;
    links.copy = at.copy;
    for (int d = 0; d < kTileWays; d++) {
      if (!at.next[d] && !layout.has({at.x + kWayX[d], at.y + kWayY[d]})) {
        links.nowhere |= static_cast<std::uint8_t>(1u << d);
      }
    }
    patch_.links.push_back(links);
  }
  for (const TileId tile : patch_.linked) (*table_)[tile].marks = 0;
  patch_.slot = slot;
  patch_.visit_for = static_cast<std::uint32_t>(device_->slots());
  device_->patch(patch_);  // all is kept for another try where it throws
  if (!patch_.drawn.empty() || !patch_.queued.empty()) facts_slot_ = -1;
  relinked_.clear();
  told_ = table_->end();
  active_ += static_cast<std::int64_t>(patch_.queued.size());
  forget_patch();
}

// Its memory stays, for the next one.
void DeviceTiles::forget_patch() {
  for (const TileId tile : patch_.drawn) drawn_[tile] = kDrawnBefore;
  patch_.linked.clear();
  patch_.links.clear();
  patch_.drawn.clear();
  patch_.rows.clear();
  patch_.queued.clear();
  patch_.held.clear();
  stamp_++;
}

// Whether other cells for the tile stand in patch_, and where.
std::optional<std::size_t> DeviceTiles::drawn_at(TileId tile) const {
  if (tile >= drawn_.size() || drawn_[tile] == 0 || drawn_[tile] == kDrawnBefore)
    return std::nullopt;
  return drawn_[tile] - 1;
}

// Whether all slots of a tile are empty because nobody has put cells into it since all were.
bool DeviceTiles::untouched(TileId tile) const {
  return fresh_ && (tile >= drawn_.size() || drawn_[tile] == 0);
}

DeviceProgress DeviceTiles::step(const Schedule& schedule, int slot, bool odd,
                                 std::int64_t generations, std::vector<MissingTiles>& missing) {
  flush(slot);
  std::vector<DeviceStep> steps;
  const std::int64_t most =
      std::clamp(kMostVisits / (active_ + 1), kLeastBatch, std::min(batch_, kMostBatch));
  while (static_cast<std::int64_t>(steps.size()) < most) {
    const int length = schedule.length(slot), next = (slot + 1) % schedule.slots();
    if (length > generations) break;
    steps.push_back({slot, next, length, odd});
    odd = odd != (length % 2 != 0);
    generations -= length;
    slot = next;
  }
  fresh_ = false;
  moved();
  missing.clear();
  DeviceProgress done;
  if (active_ == 0) {
    done.steps = static_cast<std::int64_t>(steps.size());
    return done;
  }
  done = device_->step(steps, missing);
  active_ = done.active;
  batch_ =
      missing.empty() ? std::min(2 * batch_, kMostBatch) : std::max(kLeastBatch, 2 * done.steps);
  return done;
}

void DeviceTiles::look_ahead(int slot, int generations, bool odd) {
  flush(slot);
  fresh_ = false;
  device_->look_ahead(slot, generations, odd);
  moved();
}

const TileState* DeviceTiles::settle(int slot) {
  states_.resize(table_->end(), 0);
  if (settled_ == slot) return states_.data();
  // What was drawn since is added here, so that cells can be read where the device has no room for
  // it. Tiles made since are empty.
  device_->look(slot, false, true, facts_);
  facts_slot_ = -1;
  for (TileId tile = 1; tile < facts_.size(); tile++) {
    if (!facts_[tile].changed()) continue;
    if (facts_[tile].population() == 0) {
      store_->release(states_[tile]);
      states_[tile] = 0;
    } else {
      owed_.push_back(tile);
    }
  }
  std::vector<TileRows> rows;
  while (!owed_.empty()) {
    const std::size_t count = std::min(owed_.size(), kHandful);
    device_->get(slot, std::span(owed_).last(count), rows);
    for (std::size_t i = count; i-- > 0; owed_.pop_back()) put(owed_.back(), planes_of(rows, i));
  }
  for (std::size_t i = 0; i < patch_.drawn.size(); i++)
    put(patch_.drawn[i], planes_of(patch_.rows, i));
  settled_ = slot;
  return states_.data();
}

const std::vector<TileFacts>& DeviceTiles::facts(int slot, bool of_all_slots) {
  if (facts_slot_ != slot || (of_all_slots && !facts_of_all_)) {
    device_->look(slot, of_all_slots, false, facts_);
    facts_slot_ = slot;
    facts_of_all_ = of_all_slots;
  }
  facts_.resize(table_->end());  // tiles made since are empty
  for (std::size_t i = 0; i < patch_.drawn.size(); i++) {
    int live = 0;
    for (const std::uint64_t row : live_cells(planes_of(patch_.rows, i)))
      live += std::popcount(row);
    std::uint16_t& bits = facts_[patch_.drawn[i]].bits;
    bits = static_cast<std::uint16_t>((bits & ~0xFFF) | live);
  }
  return facts_;
}

void DeviceTiles::lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) {
  flush(slot);
  device_->lone_shapes(slot, cells, most, shapes);
}

void DeviceTiles::pass_by(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) {
  flush(slot);
  device_->get(slot, tiles, rows);
}

std::vector<Shard> DeviceTiles::write_shards(const TileShard& what,
                                             std::span<const TileId> without) {
  flush(what.slot);
  return device_->write_shards(what, without);
}

std::vector<TileId> DeviceTiles::idle(int slot) {
  constexpr std::int64_t kWorthIt = 1024;
  std::vector<TileId> out;
  if (table_->layout().has_copies() || table_->count() < 2 * swept_ + kWorthIt) return out;
  flush(slot);
  facts(slot, true);
  // What lives beside an empty tile may reach it soon.
  const auto lived = [&](TileId tile) { return facts_[tile].lived(); };
  for (TileId tile = 1; tile < table_->end(); tile++) {
    const Tile& at = (*table_)[tile];
    if (at.used && facts_[tile].idle() && std::ranges::none_of(at.next, lived)) {
      out.push_back(tile);
    }
  }
  swept_ = table_->count() - static_cast<std::int64_t>(out.size());
  return out;
}

}  // namespace tessera
