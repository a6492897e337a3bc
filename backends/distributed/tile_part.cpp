#include "backends/distributed/tile_part.h"

#include <algorithm>
#include <chrono>

namespace tessera {

TileId TilePart::allot(TileId tile) {
  TileId number = 0;
  if (free_.empty()) {
    number = end();
    tiles_.push_back(tile);
  } else {
    number = free_.back();
    free_.pop_back();
    tiles_[number] = tile;
  }
  return number;
}

TileId TilePart::end_with(std::int64_t more) const {
  const auto free = static_cast<std::int64_t>(free_.size());
  return end() + static_cast<TileId>(std::max<std::int64_t>(0, more - free));
}

// Others get it once the device has been told that it is nothing any more.
void TilePart::release(TileId number, bool empty) {
  tiles_[number] = 0;
  link(number, {});
  freed_.push_back(number);
  if (!empty) emptied_.push_back(number);
}

void TilePart::link(TileId number, const TilePatch::Links& links) {
  if (number >= linked_at_.size()) linked_at_.resize(std::max<std::size_t>(2 * number, 64), 0);
  std::uint32_t& at = linked_at_[number];
  if (at == 0) {
    patch_.linked.push_back(number);
    patch_.links.emplace_back();
    at = static_cast<std::uint32_t>(patch_.linked.size());
  }
  patch_.links[at - 1] = links;
}

void TilePart::draw(TileId number, std::span<const TileRows> planes) {
  patch_.drawn.push_back(number);
  patch_.rows.insert(patch_.rows.end(), planes.begin(), planes.end());
}

void TilePart::forget_changes() {
  patch_.drawn.clear();
  patch_.rows.clear();
  patch_.queued.clear();
  patch_.held.clear();
}

bool TilePart::changes_nothing() const {
  return patch_.empty() && fills_.empty() && held_.empty() && freed_.empty();
}

// What all slots are filled with. A number may stand in `patch` twice, with the same cells.
void TilePart::add_cells(int slot, const std::vector<TileMirror>& mirrors, TilePatch& patch) const {
  for (const TileId number : emptied_) {
    patch.drawn.push_back(number);
    patch.rows.resize(patch.rows.size() + planes_);
  }
  for (const Fill& each : fills_) {
    if (tiles_[each.number] != mirrors[each.mirror].tile) continue;  // it has gone since
    patch.drawn.push_back(each.number);
    const std::span<const TileRows> cells = mirrors[each.mirror].cells(slot, planes_);
    patch.rows.insert(patch.rows.end(), cells.begin(), cells.end());
  }
}

void TilePart::flush(int slot, const std::vector<TileMirror>& mirrors) {
  if (changes_nothing()) return;
  device_->reserve(end());
  known_ = end();
  TilePatch now = patch_;
  const int slots = device_->slots();
  now.slot = slot;
  now.visit_for = static_cast<std::uint32_t>(slots);
  add_cells(slot, mirrors, now);
  now.held.insert(now.held.end(), held_.begin(), held_.end());
  now.queued.insert(now.queued.end(), held_.begin(), held_.end());
  device_->patch(now);
  if (!fills_.empty() || !emptied_.empty()) {
    for (int k = 0; k < slots; k++) {
      if (k == slot) continue;
      TilePatch then;
      then.slot = k;
      add_cells(k, mirrors, then);
      device_->patch(then);
    }
  }
  // Some stand there twice: several ghosts wake the same tile.
  active_ = std::min(active_ + static_cast<std::int64_t>(now.queued.size()), own);
  for (const TileId number : patch_.linked) linked_at_[number] = 0;
  patch_.linked.clear();
  patch_.links.clear();
  forget_changes();
  free_.insert(free_.end(), freed_.begin(), freed_.end());
  freed_.clear();
  emptied_.clear();
  fills_.clear();
  held_.clear();
}

// Steps have 8 generations or fewer; a visit takes nearly as long, however few they are.
void TilePart::measure_speed() {
  constexpr double kShown = 5e-3;
  if (seconds >= kShown && visits > 0) speed_ = visits / kTileMargin / seconds;
}

void TilePart::clear() {
  tiles_.assign(1, 0);
  free_.clear();
  known_ = 1;
  active_ = own = 0;
  visits = seconds = 0;
  patch_ = {};
  linked_at_.clear();
  fills_.clear();
  held_.clear();
  freed_.clear();
  emptied_.clear();
  watched.clear();
  watched_numbers.clear();
  ghosts.clear();
}

DeviceProgress TilePart::step(std::span<const DeviceStep> steps) {
  missing.clear();
  stepped = active_ > 0;
  DeviceProgress done;
  if (!stepped) {
    done.steps = static_cast<std::int64_t>(steps.size());
    return done;
  }
  const auto before = std::chrono::steady_clock::now();
  done = device_->step(steps, missing);
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  active_ = done.active;
  visits += done.visits;
  return done;
}

}  // namespace tessera
