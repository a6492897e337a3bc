// Who of several parts steps which tiles.

#include <algorithm>
#include <numeric>

#include "backends/distributed/shared_tiles.h"
#include "core/base/error.h"

namespace tessera {

namespace {

// Tiles that travel at a time, with all their slots.
constexpr std::size_t kHandful = 4096;
// What a tile counts that nobody visits, compared with the average: it takes memory, and may wake.
constexpr double kQuiet = 0.05;

}  // namespace

void SharedTiles::forget_loads() {
  for (const auto& part : parts_) part->visits = part->seconds = 0;
  since_ = steps_ = 0;
}

// Looks whether tiles should move, and moves them.
void SharedTiles::balance(int slot) {
  if (parts_.size() == 1) return;
  double active = 0;
  for (const auto& part : parts_) active += static_cast<double>(part->active());
  if (!divided_) {
    if (active == 0 || active < policy_.worth || !repays_dividing()) return;
    divide(slot, false);
    return forget_loads();
  }
  if (steps_ < interval_) return;
  double visits = 0, speed = 0, most = 0;
  for (const auto& part : parts_) {
    if (policy_.measured) part->measure_speed();
    visits += part->visits;
    speed += part->speed();
    most = std::max(most, part->visits / part->speed());
  }
  interval_ = policy_.interval;
  // Both lately and now, because moving costs more the less there is to step.
  const double few = policy_.worth / 4;
  if (active < few && visits < few * static_cast<double>(since_)) {
    gather(slot);
  } else if (active >= few && most > policy_.uneven * visits / speed) {
    divide(slot, false);
  }
  forget_loads();
}

// Whether one part has stepped alone for as long as dividing the tiles takes.
bool SharedTiles::repays_dividing() const {
  if (policy_.dividing == 0) return true;
  const auto tiles = static_cast<double>(parts_[home_]->own);
  return visits_in_all() - divided_until_ >= policy_.dividing * tiles * kTileMargin;
}

double SharedTiles::visits_in_all() const {
  return std::accumulate(visits_.begin(), visits_.end(), 0.0);
}

// Back to one part, where it has room for all.
void SharedTiles::gather(int slot) {
  std::int64_t all = 0;
  for (const auto& part : parts_) all += part->own;
  if (policy_.most_alone > 0 && all > policy_.most_alone) return;
  const TileDevice& home = parts_[home_]->device();
  if (all * home.bytes_per_tile() > home.limit()) return;
  divided_ = false;
  divided_until_ = visits_in_all();
  move_to_cuts(slot);
}

// Cuts the plane anew: each part gets as many visits as it is fast, or, where memory decides, as
// many tiles as it has room for.
void SharedTiles::divide(int slot, bool by_room) {
  take_copies_back();
  const double all = std::accumulate(parts_.begin(), parts_.end(), 0.0,
                                     [](double sum, const auto& p) { return sum + p->visits; });
  double count = 0;
  for (const auto& part : parts_) count += static_cast<double>(part->own);
  std::vector<double> loads, speeds;
  std::vector<std::int64_t> most;
  for (const auto& part : parts_) {
    const double own = std::max(1.0, static_cast<double>(part->own));
    const bool known = all > 0 && !by_room;
    loads.push_back(known ? part->visits / own + kQuiet * all / count : 1);
    const TileDevice& device = part->device();
    most.push_back(device.limit() / device.bytes_per_tile());
    speeds.push_back(by_room ? static_cast<double>(most.back()) : part->speed());
  }
  std::vector<TileLoad> tiles;
  for (const Place& place : places_) {
    if (place.used()) tiles.push_back({place.at, loads[place.part]});
  }
  cuts_ = cut_tiles(tiles, speeds, most, cuts_.by_rows);
  divided_ = true;
  move_to_cuts(slot);
}

// Tiles go to the parts whose they are by now; as many as there is memory for.
void SharedTiles::move_to_cuts(int slot) {
  std::vector<TileId> moving;
  for (TileId tile = 1; tile < places_.size(); tile++) {
    const Place& place = places_[tile];
    if (place.used() && home_of(place.at) != place.part) moving.push_back(tile);
  }
  for (std::size_t first = 0; first < moving.size(); first += kHandful) {
    const std::size_t count = std::min(kHandful, moving.size() - first);
    if (!migrate(std::span(moving).subspan(first, count), slot)) break;
  }
  // Moving costs about as much as visiting in every slot: a small part of what is visited.
  const double active = std::accumulate(
      parts_.begin(), parts_.end(), 1.0,
      [](double sum, const auto& p) { return sum + static_cast<double>(p->active()); });
  const double cost = 4.0 * slots_ * static_cast<double>(moving.size()) / active;
  interval_ = std::max(policy_.interval, static_cast<std::int64_t>(cost));
}

// Whether all parts have the memory for tiles, in the order of their numbers, that go there, and
// for the ghosts around them.
bool SharedTiles::has_room(std::span<const TileId> tiles, std::span<const std::size_t> to) {
  std::vector<std::int64_t> more(parts_.size(), 0);
  for (std::size_t i = 0; i < tiles.size(); i++) {
    more[to[i]]++;
    for (const TileId other : places_[tiles[i]].next) {
      if (!other || number_in(to[i], other)) continue;
      const bool goes_too =
          std::ranges::binary_search(tiles, other) && home_of(places_[other].at) == to[i];
      if (!goes_too) more[to[i]]++;
    }
  }
  try {
    on_parts([&](TilePart& part, std::size_t which) {
      part.device().reserve(part.end_with(more[which]));
    });
  } catch (const DeviceMemoryError&) {
    return false;
  }
  return true;
}

// Moves tiles, with all slots of the ring. They are visited for a round, because nobody tells which
// of them the next step would have visited.
bool SharedTiles::migrate(std::span<const TileId> tiles, int slot) {
  std::vector<std::size_t> to;
  for (const TileId tile : tiles) to.push_back(home_of(places_[tile].at));
  if (!has_room(tiles, to)) return false;
  for (const TileId tile : tiles) mirror_of(tile);
  read_mirrors();
  std::vector<TileId> concerned;
  for (std::size_t i = 0; i < tiles.size(); i++) {
    Place& place = places_[tiles[i]];
    TileMirror& mirror = mirrors_[place.mirror];
    TilePart& from = *parts_[place.part];
    TilePart& into = *parts_[to[i]];
    // Who has it as a ghost knows its cells already; who had it has a ghost of it, for now.
    TileId number = number_in(to[i], tiles[i]);
    std::erase_if(mirror.ghosts, [&](const auto& ghost) { return ghost.part == to[i]; });
    mirror.ghosts.push_back({place.part, place.number});
    if (!number) {
      number = into.allot(tiles[i]);
      into.fill(number, place.mirror);
    }
    from.own--;
    into.own++;
    place.part = to[i];
    place.number = number;
    place.moved = true;
    into.hold(number);
    concerned.push_back(tiles[i]);
    for (const TileId other : place.next) {
      if (other) concerned.push_back(other);
    }
  }
  std::ranges::sort(concerned);
  concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
  for (const TileId tile : concerned) settle_ghosts(tile);
  read_mirrors();
  for (const TileId tile : concerned) relink(tile);
  flush(slot);
  borders_listed_ = false;
  return true;
}

// Whether so many tiles lie in too few parts. They come by the handful: what has been divided is
// divided again when there is twice as much, so that each tile moves a few times at most.
bool SharedTiles::heaped(std::int64_t all) const {
  constexpr double kHeap = 1.5;  // times its due share
  if (policy_.most_alone == 0 || all <= policy_.most_alone || parts_.size() == 1) return false;
  if (!divided_) return true;
  if (all < 2 * divided_tiles_) return false;
  double speed = 0, most = 0;
  for (const auto& part : parts_) {
    speed += part->speed();
    most = std::max(most, static_cast<double>(part->own) / part->speed());
  }
  return most > kHeap * static_cast<double>(all) / speed;
}

// No part should have more tiles than it is allowed while others have room; how many all may have
// is for who asks to say.
void SharedTiles::make_room(int slot) {
  std::int64_t all = 0;
  bool full = false;
  for (const auto& part : parts_) {
    all += part->own;
    full = full || part->own * part->device().bytes_per_tile() > part->device().limit();
  }
  if (full && all * bytes_per_tile() <= limit()) return divide(slot, true);
  if (!heaped(all)) return;
  divided_tiles_ = all;
  divide(slot, false);
}

}  // namespace tessera
