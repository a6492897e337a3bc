#include "backends/distributed/shared_tiles.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/tiles/tile_shard.h"

namespace tessera {

// Calls work(part, its number) for all parts at the same time.
void SharedTiles::on_parts(const std::function<void(TilePart&, std::size_t)>& work) {
  team_.run([&](Communicator& us) {
    const auto part = static_cast<std::size_t>(us.rank());
    work(*parts_[part], part);
  });
}

// The same for those that are wanted. No thread waits for another where that is one.
void SharedTiles::on_some(const std::function<bool(const TilePart&, std::size_t)>& wanted,
                          const std::function<void(TilePart&, std::size_t)>& work) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < parts_.size(); i++) {
    if (wanted(*parts_[i], i)) all.push_back(i);
  }
  if (all.size() == 1) return work(*parts_[all.front()], all.front());
  if (all.empty()) return;
  on_parts([&](TilePart& part, std::size_t which) {
    if (std::ranges::count(all, which)) work(part, which);
  });
}

SharedTiles::SharedTiles(const std::vector<TileShare>& shares, const SharePolicy& policy)
    : policy_(policy),
      team_(static_cast<int>(shares.size())),
      parts_(shares.size()),
      visits_(shares.size(), 0),
      places_(1),
      interval_(policy.interval) {
  try {
    team_.run([&](Communicator& us) {
      const auto part = static_cast<std::size_t>(us.rank());
      const TileShare& share = shares[part];
      parts_[part] = std::make_unique<TilePart>(share.make(), share.speed);
    });
  } catch (...) {
    team_.run([&](Communicator& us) { parts_[static_cast<std::size_t>(us.rank())].reset(); });
    throw;
  }
  planes_ = static_cast<std::size_t>(parts_.front()->device().planes());
  const auto fastest = std::ranges::max_element(shares, {}, &TileShare::speed);
  home_ = static_cast<std::size_t>(fastest - shares.begin());
}

// Devices end where they began.
SharedTiles::~SharedTiles() {
  team_.run([&](Communicator& us) { parts_[static_cast<std::size_t>(us.rank())].reset(); });
}

bool SharedTiles::two_rules() const {
  return std::ranges::all_of(parts_, [](const auto& part) { return part->device().two_rules(); });
}

void SharedTiles::set_frames(const std::vector<TileFrame>& frames) {
  on_parts([&](TilePart& part, std::size_t) { part.device().set_frames(frames); });
}

void SharedTiles::set_copies(const std::vector<TileCopy>& copies) {
  take_copies_back();
  copies_ = copies;
  for (const TileCopy& copy : copies) {
    for (const TileCopy::Part& part : copy.parts) places_[part.tile].source = true;
  }
}

void SharedTiles::reserve(TileId end) {
  if (end > places_.size()) places_.resize(end);
}

std::int64_t SharedTiles::bytes_per_tile() const {
  std::int64_t most = 0;
  for (const auto& part : parts_) most = std::max(most, part->device().bytes_per_tile());
  return most;
}

std::int64_t SharedTiles::limit() const {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;
  std::int64_t all = 0;
  for (const auto& part : parts_) all += std::min(kNoLimit - all, part->device().limit());
  return all;
}

std::vector<std::int64_t> SharedTiles::tiles_of_parts() const {
  std::vector<std::int64_t> out;
  for (const auto& part : parts_) out.push_back(part->own);
  return out;
}

std::size_t SharedTiles::home_of(const Cell& at) const {
  return divided_ ? cuts_.part_of(at) : home_;
}

// The part that steps a tile, or makes it where it is a copy; kNobody where the host does that.
std::size_t SharedTiles::maker_of(TileId tile) const {
  const Place& place = places_[tile];
  return place.copy && copies_at_home_ ? home_ : place.part;
}

// A part's number for a tile, whether it steps it or has it as a ghost; 0: neither.
TileId SharedTiles::number_in(std::size_t part, TileId tile) const {
  const Place& place = places_[tile];
  if (place.part == part) return place.number;
  if (!place.mirror) return 0;
  for (const TileMirror::Ghost& ghost : mirrors_[place.mirror].ghosts) {
    if (ghost.part == part) return ghost.number;
  }
  return 0;
}

// Another ring. The fullest part begins first: where it has the memory, all others have, too.
void SharedTiles::restart(int kept, int slots) {
  std::vector<std::size_t> order(parts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t part) {
    const TileDevice& device = parts_[part]->device();
    const auto bytes = static_cast<double>(device.bytes_per_tile() * parts_[part]->end());
    return bytes / static_cast<double>(std::max<std::int64_t>(1, device.limit()));
  });
  const auto begin = [&](std::size_t wanted) {
    on_parts([&](TilePart& part, std::size_t i) {
      if (i == wanted) part.device().restart(kept, slots);
    });
  };
  begin(order.front());
  try {
    for (std::size_t i = 1; i < order.size(); i++) begin(order[i]);
  } catch (const DeviceMemoryError& error) {
    throw DeviceError(std::string("a part of several has no memory for a ring of tiles that others "
                                  "have begun: ") +
                      error.what());
  }
  slots_ = slots;
  unsure_ = false;
  forced_ = 0;
  for (const auto& part : parts_) part->rest();
  if (kept < 0) {
    if (copies_at_home_) parts_[home_]->device().set_copies({});
    copies_at_home_ = false;
    for (const auto& part : parts_) part->clear();
    places_.assign(1, {});
    mirrors_.assign(1, {});
    free_mirrors_.clear();
    unread_.clear();
    copies_.clear();
    divided_ = false;
    divided_tiles_ = 0;
    borders_listed_ = false;
    forget_loads();
    return;
  }
  for (Place& place : places_) place.moved = place.moved || place.used();
  // Ghosts are empty, as copies are when a ring begins, whoever makes them.
  if (!copies_at_home_) {
    read_all_mirrors();
    for (std::uint32_t mirror = 1; mirror < mirrors_.size(); mirror++) {
      for (const TileMirror::Ghost& ghost : mirrors_[mirror].ghosts) {
        parts_[ghost.part]->fill(ghost.number, mirror);
      }
    }
  }
  flush(0);
}

// A tile's links as the host has them now. It may be another one than it was under this number.
void SharedTiles::adopt(TileId tile, const TilePatch::Links& links) {
  Place& place = places_[tile];
  if (place.used() && (!links.used || place.at != links.at)) leave(tile);
  if (!links.used) return;
  place.next = links.next;
  place.frame = links.frame;
  place.nowhere = links.nowhere;
  place.copy = links.copy;
  if (place.used() || place.copy) return;
  place.at = links.at;
  place.part = home_of(links.at);
  TilePart& part = *parts_[place.part];
  place.number = part.allot(tile);
  place.moved = true;
  part.own++;
}

// A tile goes that is empty in all slots.
void SharedTiles::leave(TileId tile) {
  Place& place = places_[tile];
  if (place.mirror) {
    for (const TileMirror::Ghost& ghost : mirrors_[place.mirror].ghosts) {
      parts_[ghost.part]->release(ghost.number, true);
    }
    drop_mirror(place.mirror);
  }
  TilePart& part = *parts_[place.part];
  part.release(place.number, true);
  part.own--;
  place = {};
  place.moved = true;  // whoever has seen its cells hears that there are none
}

std::uint32_t SharedTiles::mirror_of(TileId tile) {
  Place& place = places_[tile];
  if (place.mirror) return place.mirror;
  if (free_mirrors_.empty()) {
    place.mirror = static_cast<std::uint32_t>(mirrors_.size());
    mirrors_.emplace_back();
  } else {
    place.mirror = free_mirrors_.back();
    free_mirrors_.pop_back();
  }
  TileMirror& mirror = mirrors_[place.mirror];
  mirror = {};
  mirror.tile = tile;
  unread_.push_back(place.mirror);
  borders_listed_ = false;
  return place.mirror;
}

void SharedTiles::drop_mirror(std::uint32_t mirror) {
  places_[mirrors_[mirror].tile].mirror = 0;
  mirrors_[mirror] = {};
  free_mirrors_.push_back(mirror);
  borders_listed_ = false;
}

// A tile is a ghost in those parts that step a neighbour of it, and nowhere else.
void SharedTiles::settle_ghosts(TileId tile) {
  Place& place = places_[tile];
  if (!place.used() && !place.copy) return;
  std::vector<std::size_t> wanted;
  for (const TileId other : place.next) {
    const std::size_t part = other ? places_[other].part : kNobody;
    if (part == kNobody || part == place.part || std::ranges::count(wanted, part)) continue;
    wanted.push_back(part);
  }
  if (wanted.empty() && !place.mirror && !place.source && !place.copy) return;
  const std::uint32_t mirror = mirror_of(tile);
  std::vector<TileMirror::Ghost>& ghosts = mirrors_[mirror].ghosts;
  std::erase_if(ghosts, [&](const TileMirror::Ghost& ghost) {
    const bool kept = std::ranges::count(wanted, ghost.part) > 0;
    if (!kept) parts_[ghost.part]->release(ghost.number, false);
    return !kept;
  });
  for (const std::size_t part : wanted) {
    if (number_in(part, tile)) continue;
    const TileId number = parts_[part]->allot(tile);
    parts_[part]->fill(number, mirror);
    ghosts.push_back({part, number});
  }
  for (const TileMirror::Ghost& ghost : ghosts) {
    TilePatch::Links links;
    links.used = links.copy = true;
    parts_[ghost.part]->link(ghost.number, links);
  }
  borders_listed_ = false;
}

// What new mirrors show, from those who step the tiles or make them.
void SharedTiles::read_mirrors() {
  if (unread_.empty()) return;
  std::ranges::sort(unread_);
  unread_.erase(std::unique(unread_.begin(), unread_.end()), unread_.end());
  for (const std::uint32_t mirror : unread_) {
    mirrors_[mirror].ring.assign(static_cast<std::size_t>(slots_) * planes_, {});
  }
  on_parts([&](TilePart& part, std::size_t which) {
    std::vector<std::uint32_t> found;
    std::vector<TileId> numbers;
    for (const std::uint32_t mirror : unread_) {
      const TileId tile = mirrors_[mirror].tile;
      if (!tile || maker_of(tile) != which) continue;
      const TileId number = number_in(which, tile);
      if (!part.knows(number)) continue;
      found.push_back(mirror);
      numbers.push_back(number);
    }
    for (int k = 0; k < slots_ && !found.empty(); k++) {
      part.device().get(k, numbers, part.rows);
      for (std::size_t i = 0; i < found.size(); i++) {
        std::ranges::copy(planes_of(part.rows, i), mirrors_[found[i]].cells(k, planes_).begin());
      }
    }
  });
  unread_.clear();
}

void SharedTiles::read_all_mirrors() {
  for (std::uint32_t mirror = 1; mirror < mirrors_.size(); mirror++) {
    if (mirrors_[mirror].tile) unread_.push_back(mirror);
  }
  read_mirrors();
}

// Tells the part that steps a tile, or makes it, of its neighbours.
void SharedTiles::relink(TileId tile) {
  const Place& place = places_[tile];
  const std::size_t part = maker_of(tile);
  if (part == kNobody) return;
  TilePatch::Links links;
  links.at = place.at;
  links.used = true;
  links.copy = place.copy;
  links.frame = place.frame;
  links.nowhere = place.nowhere;
  for (std::size_t d = 0; d < kTileWays; d++) {
    if (place.next[d]) links.next[d] = number_in(part, place.next[d]);
  }
  parts_[part]->link(number_in(part, tile), links);
}

void SharedTiles::flush(int slot) {
  on_some([](const TilePart& part, std::size_t) { return !part.changes_nothing(); },
          [&](TilePart& part, std::size_t) { part.flush(slot, mirrors_); });
}

void SharedTiles::patch(const TilePatch& patch) {
  // What a try before this one has left is told anew.
  for (const auto& part : parts_) part->forget_changes();
  for (std::size_t i = 0; i < patch.linked.size(); i++) adopt(patch.linked[i], patch.links[i]);
  for (const TileId tile : patch.linked) settle_ghosts(tile);
  read_mirrors();
  for (const TileId tile : patch.linked) relink(tile);
  make_room(patch.slot);
  for (std::size_t i = 0; i < patch.drawn.size(); i++) {
    const Place& place = places_[patch.drawn[i]];
    const std::span<const TileRows> cells = planes_of(patch.rows, i);
    parts_[place.part]->draw(place.number, cells);
    if (!place.mirror || copies_at_home_) continue;
    TileMirror& mirror = mirrors_[place.mirror];
    std::ranges::copy(cells, mirror.cells(patch.slot, planes_).begin());
    for (const TileMirror::Ghost& ghost : mirror.ghosts) {
      parts_[ghost.part]->draw(ghost.number, cells);
    }
  }
  for (const TileCopy& copy : copies_) {
    if (copies_at_home_ || !renew(copy, patch.slot)) continue;
    const TileMirror& mirror = mirrors_[places_[copy.tile].mirror];
    for (const TileMirror::Ghost& ghost : mirror.ghosts) {
      parts_[ghost.part]->draw(ghost.number, mirror.cells(patch.slot, planes_));
      wake(mirror, mirror.ways, ghost.part);
    }
  }
  for (const TileId tile : patch.held) {
    const Place& place = places_[tile];
    if (place.used()) parts_[place.part]->hold_drawn(place.number);
  }
  for (const TileId tile : patch.queued) {
    const Place& place = places_[tile];  // a copy is visited by nobody
    if (place.used()) parts_[place.part]->queue(place.number);
  }
  flush(patch.slot);
}

void SharedTiles::look_ahead(int now, int generations, bool odd) {
  on_some([](const TilePart& part, std::size_t) { return part.end() > 1; },
          [&](TilePart& part, std::size_t) { part.device().look_ahead(now, generations, odd); });
}

void SharedTiles::look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) {
  on_some([](const TilePart& part, std::size_t) { return part.end() > 1; },
          [&](TilePart& part, std::size_t) {
            part.device().look(slot, of_all_slots, remember, part.facts);
          });
  facts.assign(places_.size(), {});
  for (TileId tile = 1; tile < places_.size(); tile++) {
    Place& place = places_[tile];
    if (place.used()) {
      if (!parts_[place.part]->knows(place.number)) continue;
      facts[tile] = parts_[place.part]->facts[place.number];
    }
    if (place.moved) facts[tile].bits |= 1 << 15;
    if (remember) place.moved = false;
  }
}

void SharedTiles::get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) {
  rows.assign(tiles.size() * planes_, {});
  const auto has_any = [&](const TilePart&, std::size_t which) {
    return std::ranges::any_of(tiles, [&](TileId tile) { return places_[tile].part == which; });
  };
  on_some(has_any, [&](TilePart& part, std::size_t which) {
    std::vector<std::size_t> found;
    std::vector<TileId> numbers;
    for (std::size_t i = 0; i < tiles.size(); i++) {
      const Place& place = places_[tiles[i]];
      if (place.part != which || !part.knows(place.number)) continue;
      found.push_back(i);
      numbers.push_back(place.number);
    }
    if (found.empty()) return;
    part.device().get(slot, numbers, part.rows);
    for (std::size_t i = 0; i < found.size(); i++) {
      const auto to = static_cast<std::ptrdiff_t>(found[i] * planes_);
      std::ranges::copy(planes_of(part.rows, i), rows.begin() + to);
    }
  });
}

void SharedTiles::lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) {
  for (const auto& part : parts_) part->shapes.clear();
  on_some([](const TilePart& part, std::size_t) { return part.active() > 0; },
          [&](TilePart& part, std::size_t) {
            part.device().lone_shapes(slot, cells, most, part.shapes);
          });
  shapes.clear();
  for (std::size_t i = 0; i < parts_.size(); i++) {
    for (LoneShape shape : parts_[i]->shapes) {
      const TileId tile = parts_[i]->tile(shape.tile);
      if (!tile || places_[tile].part != i) continue;  // a ghost, which its own part looks at
      shape.tile = tile;
      shapes.push_back(shape);
    }
  }
  std::ranges::sort(shapes, {}, &LoneShape::tile);
}

bool SharedTiles::in_processes() const {
  return std::ranges::any_of(parts_,
                             [](const auto& part) { return part->device().in_processes(); });
}

std::vector<Shard> SharedTiles::write_shards(const TileShard& what,
                                             std::span<const TileId> without) {
  constexpr std::size_t kTold = 1 << 15;  // tiles at a time
  std::vector<Shard> shards(parts_.size());
  on_parts([&](TilePart& part, std::size_t which) {
    TileShard own = what;
    own.number += static_cast<int>(which);
    TileId tile = 1;
    shards[which] = part.device().write_shard(own, [&] {
      std::vector<NumberedPlace> some;
      for (; tile < places_.size() && some.size() < kTold; tile++) {
        const Place& place = places_[tile];
        if (place.part != which || place.copy || !part.knows(place.number)) continue;
        if (!std::ranges::binary_search(without, tile)) some.push_back({place.number, place.at});
      }
      return some;
    });
  });
  return shards;
}

}  // namespace tessera
