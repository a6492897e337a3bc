// Steps of tiles that several parts share: side by side, with borders exchanged after each.

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "backends/distributed/shared_tiles.h"
#include "core/base/error.h"

namespace tessera {

// Mirrors by the parts that fill them and those that need them.
void SharedTiles::list_borders() {
  if (borders_listed_) return;
  for (const auto& part : parts_) {
    part->watched.clear();
    part->watched_numbers.clear();
    part->ghosts.clear();
  }
  for (std::uint32_t mirror = 1; mirror < mirrors_.size(); mirror++) {
    const TileMirror& each = mirrors_[mirror];
    if (!each.tile) continue;
    const Place& place = places_[each.tile];
    if (each.ghosts.empty() && !place.source && !place.copy) {
      drop_mirror(mirror);
      continue;
    }
    if (copies_at_home_) continue;  // no part sees another's tiles
    if (place.used()) {
      parts_[place.part]->watched.push_back(mirror);
      parts_[place.part]->watched_numbers.push_back(place.number);
    }
    for (const TileMirror::Ghost& ghost : each.ghosts) {
      parts_[ghost.part]->ghosts.push_back({ghost.number, mirror});
    }
  }
  borders_listed_ = true;
}

// A step has failed when some parts had taken it: all of a round are taken anew, from what stands
// in the present slot, and every border counts as changed meanwhile.
void SharedTiles::hold_all(int slot) {
  for (const Place& place : places_) {
    if (place.used()) parts_[place.part]->hold(place.number);
  }
  flush(slot);
  forced_ = slots_;
  unsure_ = false;
}

DeviceProgress SharedTiles::step(std::span<const DeviceStep> steps,
                                 std::vector<MissingTiles>& missing) {
  missing.clear();
  if (steps.empty()) return {};
  const int slot = steps.front().now;
  flush(slot);  // what a try before this one has left
  if (unsure_) hold_all(slot);
  balance(slot);
  give_copies(slot);
  list_borders();
  std::vector<double> before;
  for (const auto& part : parts_) before.push_back(part->visits);
  DeviceProgress done;
  if (!take_all_alone(steps, missing, done)) {
    done = take_together(steps);
    tell_missing(missing);
  }
  steps_ += done.steps;
  for (std::int64_t n = 0; n < done.steps; n++) {
    since_ += steps[static_cast<std::size_t>(n)].generations;
  }
  for (std::size_t i = 0; i < parts_.size(); i++) {
    done.active += parts_[i]->active();
    const double visits = parts_[i]->visits - before[i];
    done.visits += visits;
    visits_[i] += visits;
  }
  return done;
}

// Where one part alone has anything to do and nobody sees it, no step is waited for.
bool SharedTiles::take_all_alone(std::span<const DeviceStep> steps,
                                 std::vector<MissingTiles>& missing, DeviceProgress& done) {
  std::size_t busy = 0;
  int count = 0;
  for (std::size_t i = 0; i < parts_.size(); i++) {
    if (parts_[i]->active() == 0) continue;
    busy = i;
    count++;
  }
  if (count != 1 || !parts_[busy]->watched.empty()) return false;
  for (const auto& part : parts_) part->missing.clear();
  done.steps = parts_[busy]->step(steps).steps;
  tell_missing(missing);
  return true;
}

// Steps up to and with the first that finds neighbours missing, or until memory ends: what all have
// taken by then counts, and the next request begins where it has ended.
DeviceProgress SharedTiles::take_together(std::span<const DeviceStep> steps) {
  std::vector<std::int64_t> taken(parts_.size(), 0);
  const auto step_one_by_one = [&](Communicator& us) {
    const auto which = static_cast<std::size_t>(us.rank());
    TilePart& part = *parts_[which];
    for (const DeviceStep& each : steps) {
      if (which == 0) step_++;
      part.step({&each, 1});
      us.barrier();  // all know the step's stamp
      take_borders(part, each.after);
      us.barrier();
      if (!copies_.empty() && !copies_at_home_) {
        if (which == 0) renew_copies(each.after);
        us.barrier();
      }
      give_ghosts(which, each.after);
      taken[which]++;
      const bool stops =
          std::ranges::any_of(parts_, [](const auto& any) { return !any->missing.empty(); });
      us.barrier();
      if (which == 0 && forced_ > 0) forced_--;
      if (stops) break;
    }
  };
  DeviceProgress done;
  const auto failed = [&] {
    for (const auto& part : parts_) {
      part->forget_changes();
      part->missing.clear();
    }
    unsure_ = true;
    done.steps = std::ranges::min(taken);
  };
  try {
    team_.run(step_one_by_one);
    done.steps = taken.front();
  } catch (const std::bad_alloc&) {
    failed();
    if (done.steps == 0) throw;
  } catch (const DeviceMemoryError&) {
    failed();
    if (done.steps == 0) throw;
  }
  return done;
}

// Cells for a mirror in a slot; whether they are others than it has shown there, and who sees that.
bool SharedTiles::show(TileMirror& mirror, int slot, std::span<const TileRows> cells) const {
  const std::span<TileRows> known = mirror.cells(slot, planes_);
  TileRows difference{};
  std::uint64_t any = 0;
  for (std::size_t p = 0; p < planes_; p++) {
    for (std::size_t r = 0; r < difference.size(); r++) difference[r] |= cells[p][r] ^ known[p][r];
  }
  for (const std::uint64_t row : difference) any |= row;
  if (!any && forced_ == 0) return false;
  std::ranges::copy(cells, known.begin());
  mirror.ways = forced_ > 0 ? (1u << kTileWays) - 1 : ways_that_see(difference);
  return true;
}

// What the part's own tiles that others see have become.
void SharedTiles::take_borders(TilePart& part, int slot) {
  if (!part.stepped || part.watched.empty()) return;
  part.device().get(slot, part.watched_numbers, part.rows);
  for (std::size_t i = 0; i < part.watched.size(); i++) {
    TileMirror& mirror = mirrors_[part.watched[i]];
    if (show(mirror, slot, planes_of(part.rows, i))) mirror.changed = step_;
  }
}

// Others' tiles that have changed, and those of the part's own that see it.
void SharedTiles::give_ghosts(std::size_t which, int slot) {
  TilePart& part = *parts_[which];
  for (const TilePart::Ghost& ghost : part.ghosts) {
    const TileMirror& mirror = mirrors_[ghost.mirror];
    if (mirror.changed != step_) continue;
    part.draw(ghost.number, mirror.cells(slot, planes_));
    wake(mirror, mirror.ways, which);
  }
  part.flush(slot, mirrors_);
}

// A part's tiles in those ways of a ghost are visited next.
void SharedTiles::wake(const TileMirror& mirror, std::uint32_t ways, std::size_t which) {
  const Place& place = places_[mirror.tile];
  for (; ways; ways &= ways - 1) {
    const TileId other = place.next[static_cast<std::size_t>(std::countr_zero(ways))];
    if (other && places_[other].part == which) parts_[which]->queue(places_[other].number);
  }
}

// Makes a copy anew in a slot from the mirrors of what it repeats; whether it is another one now.
bool SharedTiles::renew(const TileCopy& copy, int slot) {
  std::array<TileRows, kMostTilePlanes> all{};
  const std::span<TileRows> cells = std::span(all).first(planes_);
  for (const TileCopy::Part& part : copy.parts) {
    const TileMirror& source = mirrors_[places_[part.tile].mirror];
    const std::uint64_t columns = (std::uint64_t{1} << part.width) - 1;
    for (std::size_t p = 0; p < planes_; p++) {
      const TileRows& from = source.cells(slot, planes_)[p];
      for (int r = 0; r < part.height; r++) {
        const std::uint64_t bits = from[static_cast<std::size_t>(part.from_y + r)] >> part.from_x;
        cells[p][static_cast<std::size_t>(part.y + r)] |= (bits & columns) << part.x;
      }
    }
  }
  return show(mirrors_[places_[copy.tile].mirror], slot, cells);
}

// Those of tiles that have become others in this step.
void SharedTiles::renew_copies(int slot) {
  for (const TileCopy& copy : copies_) {
    const bool stale = std::ranges::any_of(copy.parts, [&](const TileCopy::Part& part) {
      return mirrors_[places_[part.tile].mirror].changed == step_;
    });
    if (stale && renew(copy, slot)) mirrors_[places_[copy.tile].mirror].changed = step_;
  }
}

// Has the part that steps all tiles make the copies, too. After a step that has failed its copies
// are perhaps not what mirrors show: a round later they are.
void SharedTiles::give_copies(int slot) {
  const TilePart& home = *parts_[home_];
  if (copies_at_home_ || copies_.empty() || divided_ || forced_ > 0) return;
  if (home.active() == 0 || !home.device().makes_copies()) return;
  for (const auto& part : parts_) {
    if (part.get() != &home && part->own > 0) return;
  }
  std::vector<TileCopy> its = copies_;
  for (TileCopy& copy : its) {
    copy.tile = number_in(home_, copy.tile);
    for (TileCopy::Part& part : copy.parts) part.tile = number_in(home_, part.tile);
  }
  home.device().set_copies(its);
  copies_at_home_ = true;
  borders_listed_ = false;
  for (const TileCopy& copy : copies_) relink(copy.tile);
  flush(slot);
}

// Before tiles go to other parts: the host makes the copies again, and goes on from what they are
// in each slot.
void SharedTiles::take_copies_back() {
  if (!copies_at_home_) return;
  read_all_mirrors();
  parts_[home_]->device().set_copies({});
  copies_at_home_ = false;
  for (const TileCopy& copy : copies_) settle_ghosts(copy.tile);
}

// Gaps that the next step would have to visit.
void SharedTiles::tell_missing(std::vector<MissingTiles>& missing) const {
  for (const auto& part : parts_) {
    for (const MissingTiles& each : part->missing) {
      if (const TileId tile = part->tile(each.tile)) missing.push_back({tile, each.ways});
    }
  }
}

}  // namespace tessera
