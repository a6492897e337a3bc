#include "core/tiles/tile_plane.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/error.h"

namespace tessera {

namespace {

// So many requests for the same number of generations in a row are worth a schedule of their own.
constexpr int kHabit = 3;
// A request that is worth the usual schedule again.
constexpr std::int64_t kLongRequest = 512;

}  // namespace

TilePlane::TilePlane(const Rule& rule, std::unique_ptr<TilePool> pool, const TileLayout& layout)
    : rule_(rule),
      pool_(pool.get()),
      pace_{kTileMargin / pool->reach(), pool->two_rules()},
      schedule_(Schedule::of_period(Schedule::kUsualPeriod, pace_)),
      table_(schedule_.slots(), layout),
      forced_(static_cast<std::size_t>(schedule_.slots())),
      kind_(rule),
      gliders_leave_(kind_.exists() && !layout.bounded() && !pace_.even),
      departures_(kind_) {
  store_ = std::move(pool);
  planes_ = store_->planes();
  if (const std::vector<TileFrame> frames = layout.frames(); !frames.empty()) {
    pool_->set_frames(frames);
  }
  clear();
}

void TilePlane::clear() {
  generation_ += ahead_;
  forget_ahead();
  for (int k = 0; k < table_.slots(); k++) {
    for (TileId tile = 1; tile < table_.end(); tile++) store_->release(table_.slot(k)[tile]);
  }
  table_.clear(table_.slots());
  if (device_) {
    if (schedule_.period() == Schedule::kLongPeriod) schedule_ = usual_schedule();
    device_->restart(-1, schedule_.slots());
  }
  forced_.assign(static_cast<std::size_t>(schedule_.slots()), {});
  work_.list.clear();
  work_.stamp++;
  departures_.clear();
  rest_known_ = false;
  steps_ = 0;
  forget_sums();
  sweep_at_ = 1;
  share_due_ = share_from_;
  gliders_due_ = gliders_leave_ ? generation_ : kNever;
  watched_.clear();
  watch_again_at(generation_ + kFirstWatch);
}

void TilePlane::set_turn(bool odd) {
  const bool now = (generation() % 2 != 0) != turned_;
  if (!pace_.even || now == odd) return;
  restart(schedule_);
  turned_ = !turned_;
}

// Puts a tile on a worklist.
void TilePlane::queue(TileWork& work, TileId tile) {
  if (table_[tile].queued == work.stamp) return;
  table_[tile].queued = work.stamp;
  work.list.push_back(tile);
}

// Puts the tile at a place on a worklist, and makes it where the universe has one there.
void TilePlane::wake(TileWork& work, const Cell& at) {
  if (table_.layout().has(at)) queue(work, table_.make(at.x, at.y));
}

// The same of a tile's neighbours in those ways.
void TilePlane::wake_beside(TileWork& work, TileId tile, std::uint32_t ways) {
  const Cell at{table_[tile].x, table_[tile].y};
  for (; ways; ways &= ways - 1) {
    const int d = std::countr_zero(ways);
    if (const TileId beside = table_[tile].next[static_cast<std::size_t>(d)]) {
      if (!table_[beside].copy) queue(work, beside);
    } else {
      wake(work, {at.x + kWayX[d], at.y + kWayY[d]});
    }
  }
}

void TilePlane::one_step() {
  const int slots = schedule_.slots(), now = slot();
  std::vector<Cell>& forced = forced_[static_cast<std::size_t>(now)];
  for (const Cell& at : forced) queue(work_, table_.make(at.x, at.y));
  forced.clear();
  next_work_.begin_after(work_.stamp);
  TileStep step;
  step.now = now;
  step.after = (now + 1) % slots;
  step.generations = schedule_.length(now);
  step.odd = odd_turn();
  pool_->visit(table_, step, work_.list, next_work_);
  cells_stepped_ +=
      static_cast<double>(work_.list.size()) * kTileSide * kTileSide * step.generations;
  for (const MissingTiles& missing : next_work_.missing) {
    wake_beside(next_work_, missing.tile, missing.ways);
  }
  if (table_.layout().has_copies()) renew_copies(step.after, next_work_);
  std::swap(work_, next_work_);
  steps_++;
  generation_ += step.generations;
  sweep();
  // A ring of two slots is one of many tiles that move.
  if (slots > 2 && store_->bytes() >= share_due_) share_equal();
}

// Looks at a part of all tiles: those that are empty in all slots, and quiet, go.
void TilePlane::sweep() {
  const auto share = static_cast<TileId>(8 + work_.list.size() / 4);
  for (TileId n = std::min(table_.end(), share); n > 0; n--) {
    const TileId tile = sweep_at_;
    sweep_at_ = tile + 1 < table_.end() ? tile + 1 : 1;
    if (tile >= table_.end() || !table_[tile].used || table_[tile].queued == work_.stamp) continue;
    bool empty = true;
    for (int k = 0; k < schedule_.slots() && empty; k++) empty = table_.slot(k)[tile] == 0;
    if (empty) table_.drop(tile);
  }
}

// A tile's state in slot() was replaced by hand: it and its neighbours in those ways, which see it,
// are looked at now, and once more when a window that is as it was before would make the replaced
// state its successor. A device looks at all neighbours.
void TilePlane::touched(TileId tile, std::uint32_t ways) {
  rest_known_ = false;
  const Cell at{table_[tile].x, table_[tile].y};
  if (device_) {
    device_->hold(tile);
    for (int d = 0; d < kTileWays; d++) {
      const Cell beside{at.x + kWayX[d], at.y + kWayY[d]};
      TileId known = table_[tile].next[d];
      if (!known && table_.layout().has(beside)) {
        known = table_.make(beside.x, beside.y);
      }
      if (known) device_->queue(known);
    }
    return;
  }
  const int slots = schedule_.slots();
  forced_[static_cast<std::size_t>((slot() + slots - 1) % slots)].push_back(at);
  queue(work_, tile);
  wake_beside(work_, tile, ways);
  if (!table_[tile].copied) return;
  table_.layout().for_each_copy(at, [&](const Cell& copy) { renew_copy(copy); });
}

// Another schedule: the present states stay, all others are forgotten. It is as if all cells were
// drawn on an empty plane.
void TilePlane::restart(const Schedule& schedule) {
  make_ahead();
  if (device_) return restart_on_device(schedule);
  const TileState* kept = present();
  std::vector<TileState> states(kept, kept + table_.end());
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (table_[tile].copy) states[tile] = 0;  // made anew, with what they repeat
  }
  for (const TileState state : states) store_->hold(state);
  for (int k = 0; k < schedule_.slots(); k++) {
    for (TileId tile = 1; tile < table_.end(); tile++) store_->release(table_.slot(k)[tile]);
  }
  generation_ += ahead_;
  forget_ahead();
  schedule_ = schedule;
  steps_ = 0;
  forget_sums();
  table_.set_slots(schedule.slots());
  forced_.assign(static_cast<std::size_t>(schedule.slots()), {});
  work_.list.clear();
  work_.stamp++;
  std::copy(states.begin(), states.end(), table_.slot(0));
  for (TileId tile = 1; tile < states.size(); tile++) {
    if (states[tile]) touched(tile, ways_that_see(rows_of(tile)));
  }
}

void TilePlane::forget_ahead() {
  for (const TileState state : ahead_states_) store_->release(state);
  ahead_states_.clear();
  ahead_ = 0;
  ahead_made_ = false;
}

// Makes the neighbours into which cells may be born between two slots.
void TilePlane::make_reached_neighbours() {
  std::vector<TileId> edge;
  for (TileId tile = 1; tile < table_.end(); tile++) {
    const Tile& at = table_[tile];
    if (!at.used || at.copy || (!device_ && !table_.slot(slot())[tile])) continue;
    for (int d = 0; d < kTileWays; d++) {
      if (!at.next[d] && table_.layout().has({at.x + kWayX[d], at.y + kWayY[d]})) {
        edge.push_back(tile);
        break;
      }
    }
  }
  fetch(edge);
  for (const TileId tile : edge) {
    const std::uint32_t ways = ways_that_see(rows_of(tile));
    for (int d = 0; d < kTileWays; d++) {
      const Cell at{table_[tile].x + kWayX[d], table_[tile].y + kWayY[d]};
      const bool reached = ways >> d & 1 && !table_[tile].next[d];
      if (reached && table_.layout().has(at)) table_.make(at.x, at.y);
    }
  }
}

void TilePlane::settle() {
  looked_ = true;
  make_ahead();
}

// The states so many generations after slot(), beside the ring.
void TilePlane::make_ahead() {
  if (!ahead_ || ahead_made_) return;
  if (!device_ && schedule_.slots() == 2 && watched_.empty()) return step_ahead();
  make_reached_neighbours();
  if (device_) {
    device_->look_ahead(slot(), ahead_, odd_turn());
    ahead_made_ = true;
    return;
  }
  ahead_states_.assign(table_.end(), 0);
  TileStep step;
  step.now = slot();
  step.generations = ahead_;
  step.odd = odd_turn();
  try {
    for (TileId tile = 1; tile < table_.end(); tile++) {
      if (!table_[tile].used || table_[tile].copy) continue;
      ahead_states_[tile] = pool_->peek(table_, step, tile);
    }
  } catch (...) {
    for (const TileState state : ahead_states_) store_->release(state);
    ahead_states_.clear();
    throw;
  }
  ahead_made_ = true;
}

// A short ring spares memory, and states beside it would take as much again. So it begins anew with
// a step to where somebody looks.
void TilePlane::step_ahead() {
  const int generations = ahead_;
  forget_ahead();
  try {
    restart(Schedule::beginning_with(generations, pace_));
    one_step();
  } catch (...) {
    ahead_ = generations;
    throw;
  }
}

// False where a device has no memory for it: the schedule stays, and serves as well, if slower.
bool TilePlane::try_restart(const Schedule& schedule) {
  try {
    restart(schedule);
  } catch (const DeviceMemoryError&) {
    return false;
  }
  return true;
}

// Slots of a ring whose states take so many bytes, as far as is known before they are stepped.
int TilePlane::most_slots(std::int64_t bytes) const {
  const std::int64_t each = std::max<std::int64_t>(1, active()) * store_->bytes_per_state();
  return static_cast<int>(std::clamp<std::int64_t>(bytes / each, 2, 4 * Schedule::kUsualPeriod));
}

Schedule TilePlane::usual_schedule() const {
  const Schedule usual = Schedule::of_period(Schedule::kUsualPeriod, pace_);
  const int most = device_ ? usual.slots() : most_slots(ring_bytes_);
  return most < usual.slots() ? Schedule::of_slots(most, pace_) : usual;
}

// Chooses a schedule in which the generations that are asked for again and again are slots.
void TilePlane::suit(std::int64_t generations) {
  asked_times_ = looked_ && generations == asked_ ? asked_times_ + 1 : 1;
  asked_ = generations;
  looked_ = false;
  if (strides_ && generations >= kLongRequest) {
    strides_ = !try_restart(usual_schedule());
    return;
  }
  const bool cut = schedule_.slots() == 2 && !(schedule_ == Schedule::of_slots(2, pace_));
  if (cut && !strides_ && watched_.empty() && generations >= kLongRequest) {
    try_restart(usual_schedule());
  }
  if (steps_ == 0 && !strides_ && watched_.empty() &&
      schedule_.slots() > usual_schedule().slots() &&
      schedule_.period() == Schedule::kUsualPeriod) {
    try_restart(usual_schedule());
  }
  if (asked_times_ < kHabit || generations > Schedule::kMostStride) return;
  watched_.clear();
  if (ahead_ == 0 && schedule_.serves(generations) && (!strides_ || stride_ % generations == 0)) {
    return;
  }
  asked_times_ = 0;
  const Schedule schedule =
      device_ ? Schedule::of_stride(generations, 4 * Schedule::kUsualPeriod, pace_)
              : Schedule::of_stride(generations, most_slots(ring_bytes_), pace_);
  if (!try_restart(schedule)) return;
  strides_ = true;
  stride_ = generations;
}

// Nothing differs from a ring of steps ago, and nothing that is away comes back.
bool TilePlane::at_rest() {
  if (active() > 0 || std::ranges::any_of(forced_, [](const auto& f) { return !f.empty(); })) {
    return false;
  }
  if (departures_.away() == 0) return true;
  if (!rest_known_) check_gliders();
  return rest_known_ && rest_free_;
}

void TilePlane::step(std::int64_t generations, const std::function<bool()>& go_on) {
  if (generations <= 0) return;
  suit(generations);
  const std::int64_t target = generation() + generations;
  forget_ahead();
  while (generation_ < target) {
    if (at_rest()) {
      generation_ += (target - generation_) / schedule_.period() * schedule_.period();
      if (gliders_due_ != kNever) gliders_due_ = std::max(gliders_due_, later(kTileMargin));
      if (generation_ == target) break;
    }
    const int length = schedule_.length(slot());
    if (gliders_due_ != kNever && length > gliders_due_ - generation_) {
      check_gliders();
      continue;
    }
    if (length > target - generation_) {
      ahead_ = static_cast<int>(target - generation_);
      break;
    }
    if (active() > 0) rest_known_ = false;
    if (device_) {
      step_on_device(std::min(target, gliders_due_) - generation_);
      if (generation_ >= watch_due_) lengthen_ring(std::max(target - generation_, generation_));
      if (go_on && !go_on()) break;
      continue;
    }
    one_step();
    if (!watched_.empty()) {
      watch();
    } else if (generation_ >= watch_due_) {
      // Watching is worth it where there is more to come: as much as there was, where nobody says.
      if (target - generation_ > 3000 || generation_ / 2 >= watch_due_) begin_watch();
    }
    if (go_on && !go_on()) break;
  }
}

}  // namespace tessera
