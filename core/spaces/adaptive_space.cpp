#include "core/spaces/adaptive_space.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/spaces/fixed_space.h"
#include "core/spaces/growing_space.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

// The period that tiles begin with: what has it is not visited.
constexpr std::int64_t kPeriod = 24;
// Cells times generations that tell how long a generation takes, more or less.
constexpr double kTelling = 1 << 26;
constexpr double kMostWait = 1e15;  // in generations

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

double area_of(const Rect& rect) {
  return static_cast<double>(rect.width) * static_cast<double>(rect.height);
}

}  // namespace

SwitchPolicy SwitchPolicy::of(const BackendSpec& spec) {
  SwitchPolicy policy;
  if (has_one_circuit(spec)) return policy;
  constexpr double kInterpreted = 4;  // times as long
  for (double* each : {&policy.enter, &policy.leave, &policy.leave_plane, &policy.least_plane})
    *each /= kInterpreted;
  return policy;
}

AdaptiveSpace::AdaptiveSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory,
                             const SwitchPolicy& policy)
    : Space(spec),
      factory_(std::move(factory)),
      max_memory_(max_memory),
      policy_(policy),
      patience_(spec.bounded() ? policy.patience : policy.patience_plane),
      may_move_(!TiledSpace::refusal(spec)) {
  if (!spec.bounded()) {
    try {
      hold_tiles(made_tiles());
    } catch (const UnsupportedError&) {
      may_move_ = false;  // no tiles: the grid says what is the matter if there is more to it
    }
  }
  if (!held_) hold_grid(made_grid());
}

std::unique_ptr<Space> AdaptiveSpace::made_grid() const {
  if (spec().bounded()) return std::make_unique<FixedSpace>(spec(), factory_, max_memory_);
  return std::make_unique<GrowingSpace>(spec(), factory_, max_memory_);
}

std::unique_ptr<TiledSpace> AdaptiveSpace::made_tiles() const {
  // The device that a grid is on is open.
  const bool many = held_ && !tiled_;
  return std::make_unique<TiledSpace>(spec(), factory_, max_memory_, many);
}

void AdaptiveSpace::hold_grid(std::unique_ptr<Space> grid) {
  replaced();
  tiled_ = nullptr;
  held_ = std::move(grid);
  interval_ = 0;
  begin_timing();
}

void AdaptiveSpace::hold_tiles(std::unique_ptr<TiledSpace> tiles) {
  replaced();
  tiled_ = tiles.get();
  held_ = std::move(tiles);
  watch_crowd();
}

void AdaptiveSpace::watch_crowd() {
  tiled_->watch_crowd(spec().bounded() ? policy_.leave : policy_.leave_plane, patience_);
}

// Before something else is held.
void AdaptiveSpace::replaced() {
  if (held_) device_seconds_ += held_->device_seconds().value_or(0);
  sample_.reset();
  watch_.forget();
}

std::vector<Shard> AdaptiveSpace::write_shards(const ShardOrder& order) {
  return held_->write_shards(order);
}

std::optional<double> AdaptiveSpace::device_seconds() {
  const std::optional<double> own = held_->device_seconds();
  return own ? std::optional(*own + device_seconds_) : std::nullopt;
}

bool AdaptiveSpace::same_device(const Space& other) const {
  return other.info().backend == held_->info().backend &&
         other.info().device == held_->info().device;
}

// False when there is no such grid, or no memory for it: all is as it was.
bool AdaptiveSpace::to_grid() {
  try {
    std::unique_ptr<Space> grid = made_grid();
    // Where no device takes the tiles, the grid goes there.
    if (!same_device(*grid) && tiled_->movable()) {
      grid_elsewhere_ = !spec().bounded();
      return false;
    }
    grid->take(*held_);
    hold_grid(std::move(grid));
    // Who has just been tiles will not be soon again.
    interval_ = policy_.interval << std::min<std::int64_t>(++switches_, 10);
    due_ = passed_ + interval_;
    return true;
  } catch (const InputError&) {
  } catch (const MemoryLimitError&) {
  } catch (const DeviceMemoryError&) {
  } catch (const std::bad_alloc&) {
  }
  return false;
}

// The same the other way.
bool AdaptiveSpace::to_tiles() {
  try {
    std::unique_ptr<TiledSpace> tiles = made_tiles();
    may_move_ = same_device(*tiles);
    if (!may_move_) return false;
    constexpr double kMost = 0.5;
    auto* const grid = dynamic_cast<DenseSpace*>(held_.get());
    const bool most_live = grid && sample_ && sample_->live() > kMost;
    if (!most_live || !tiles->take_there(*grid)) tiles->take(*held_, kTileSide);
    hold_tiles(std::move(tiles));
    switches_++;
    return true;
  } catch (const UnsupportedError&) {
    may_move_ = false;
  } catch (const InputError&) {
  } catch (const MemoryLimitError&) {
  } catch (const DeviceMemoryError&) {
  } catch (const std::bad_alloc&) {
  }
  return false;
}

// Steps what is held, and accounts for it whatever happens.
void AdaptiveSpace::advance(std::int64_t generations) {
  held_->set_generation(generation());
  const double cells = held_->cells_stepped();
  const auto account = [&] {
    const std::int64_t done = held_->generation() - generation();
    // Where memory ends between two slots of tiles, they go back to the first of them.
    const double each = done > 0 ? (held_->cells_stepped() - cells) / static_cast<double>(done) : 0;
    passed(done, each);
    passed_ += done;
  };
  try {
    held_->step(generations);
  } catch (...) {
    account();
    throw;
  }
  account();
}

void AdaptiveSpace::do_step(std::int64_t generations) {
  const std::int64_t end = passed_ + generations;
  while (passed_ < end) {
    try {
      if (tiled_) {
        step_tiles(end - passed_);
      } else {
        step_grid(end - passed_);
      }
    } catch (const MemoryLimitError&) {
      // A grid of a bounded universe fits, and few cells far apart fit as tiles.
      const bool rescued =
          tiled_ ? spec().bounded() && to_grid() : may_move_ && !watch_.in_use() && to_tiles();
      if (!rescued) throw;
    }
  }
}

void AdaptiveSpace::step_tiles(std::int64_t generations) {
  advance(generations);
  if (!tiled_->crowded() || (grid_pays() && to_grid())) return;
  patience_ *= 2;
  watch_crowd();
}

// Tiles are crowded. On the infinite plane they may be so in a box that is nearly empty, and the
// grid would hold the surroundings of the box, too; a device gains too little by it.
bool AdaptiveSpace::grid_pays() {
  if (spec().bounded()) return true;
  if (tiled_->on_device() || (grid_elsewhere_ && tiled_->movable())) return false;
  const double visited = held_->cells_per_generation();
  return visited >= policy_.least_plane &&
         visited > policy_.leave * area_of(GrowingSpace::grid_for(held_->extent(), spec()));
}

void AdaptiveSpace::step_grid(std::int64_t generations) {
  if (!may_move_ || watch_.in_use()) {
    sample_.reset();
    advance(generations);
    if (interval_ == 0) begin_timing();
    return;
  }
  if (!sample_ && passed_ >= due_ && look_is_due()) begin_look();
  if (tiled_) return;
  const std::int64_t until = sample_ ? timed_from_ + kPeriod : due_;
  const std::int64_t some = std::min(generations, std::max<std::int64_t>(1, until - passed_));
  if (!sample_ && interval_ > 0) return advance(some);
  stepped_ += timed_advance(some);
  if (sample_ && passed_ == until) end_look();
}

void AdaptiveSpace::begin_timing() {
  timed_from_ = due_ = passed_;
  stepped_ = 0;
}

// Seconds of what it steps, by the device's clock if it has one, which another backend, of a grid
// that has grown, begins anew.
double AdaptiveSpace::timed_advance(std::int64_t generations) {
  held_->synchronize();
  const std::optional<double> clock = held_->device_seconds();
  const double before = now();
  advance(generations);
  held_->synchronize();
  const double seconds = now() - before;
  const double on_device = clock ? held_->device_seconds().value_or(0) - *clock : 0;
  return on_device > 0 ? on_device : seconds;
}

// A grid that has not been looked at is timed until it has stepped for long enough.
bool AdaptiveSpace::look_is_due() {
  if (interval_ > 0 || stepped_ >= policy_.first_look) return true;
  const double generations = static_cast<double>(passed_ - timed_from_);
  const double more = stepped_ > 0 ? generations * (policy_.first_look / stepped_ - 1)
                                   : kTelling / std::max(1.0, held_->cells_per_generation());
  due_ = passed_ + static_cast<std::int64_t>(std::clamp(more, 1.0, kMostWait));
  return false;
}

void AdaptiveSpace::begin_look() {
  held_->synchronize();
  const double before = now();
  sample_.emplace(*held_);
  interval_ = std::max(interval_, policy_.interval);
  begin_timing();
  const bool nearly_empty = sample_->live() <= policy_.enter;
  looked_ = now() - before;
  if (nearly_empty) to_tiles();
}

void AdaptiveSpace::end_look() {
  const double per_generation = std::max(1e-12, stepped_ / kPeriod);
  const double before = now();
  const bool settled = sample_->changed(*held_) <= policy_.enter;
  looked_ += now() - before;
  if (settled && tiles_pay(per_generation) && to_tiles()) return;
  sample_.reset();
  wait_to_look(per_generation);
}

bool AdaptiveSpace::tiles_pay(double per_generation) {
  return per_generation >= policy_.quick || static_cast<double>(passed_) * per_generation >=
                                                policy_.move * held_->cells_per_generation();
}

// The longer nothing came of it, and the more it costs beside stepping, the later the next look;
// but after some time, or twice as much as before, because one look may be slow by chance, and what
// settles is better off as tiles by far.
void AdaptiveSpace::wait_to_look(double per_generation) {
  const double wait = looked_ / policy_.looking / per_generation;
  const double most =
      std::max(2 * static_cast<double>(interval_), policy_.patient / per_generation);
  const auto longest = static_cast<std::int64_t>(std::min({wait, most, kMostWait}));
  interval_ = std::max({policy_.interval, interval_ + interval_ / 4, longest});
  due_ = passed_ + interval_;
}

// Cells were changed by hand: what was seen of them is no more.
void AdaptiveSpace::changed() {
  sample_.reset();
  if (interval_ == 0) return;
  interval_ = policy_.interval;
  due_ = std::min(due_, passed_ + interval_);
}

// Everything will be replaced: a bounded universe begins as it did at first.
void AdaptiveSpace::start_over() {
  if (tiled_ && spec().bounded()) hold_grid(made_grid());
  changed();
}

// Puts cells into what holds them. What a bounded universe's tiles have no memory for, a grid may
// hold.
template <class Put>
void AdaptiveSpace::put_cells(const Put& put) {
  changed();
  const auto rescued = [this] { return tiled_ && spec().bounded() && to_grid(); };
  try {
    return put();
  } catch (const InputError&) {
    if (!rescued()) throw;
  } catch (const MemoryLimitError&) {
    if (!rescued()) throw;
  } catch (const DeviceMemoryError&) {
    if (!rescued()) throw;
  }
  put();
}

void AdaptiveSpace::do_edit(const Cell& at, const CellGrid& cells) {
  put_cells([&] { held_->edit(at, cells); });
}

void AdaptiveSpace::do_add(const CellRuns& cells, const Cell& at) {
  put_cells([&] { held_->add(cells, at); });
}

void AdaptiveSpace::do_add_states(const CellRuns& live, std::span<const CellRuns> planes,
                                  const Cell& at) {
  put_cells([&] { held_->add(live, planes, at); });
}

void AdaptiveSpace::do_load(PieceSource& pieces) {
  start_over();
  held_->load(pieces);
}

void AdaptiveSpace::do_clear() {
  changed();
  held_->clear();
}

void AdaptiveSpace::do_fill(const Soup& soup) {
  start_over();
  held_->fill(soup);
}

void AdaptiveSpace::use(BackendFactory factory) {
  std::swap(factory_, factory);
  try {
    if (tiled_ || !spec().bounded()) {
      try {
        std::unique_ptr<TiledSpace> tiles = made_tiles();
        tiles->take(*held_);
        hold_tiles(std::move(tiles));
      } catch (const UnsupportedError&) {
        std::unique_ptr<Space> grid = made_grid();
        grid->take(*held_);
        hold_grid(std::move(grid));
      }
    } else {
      held_->use(factory_);
    }
  } catch (...) {
    std::swap(factory_, factory);
    throw;
  }
  may_move_ = !TiledSpace::refusal(spec());
  grid_elsewhere_ = false;
  changed();
}

bool AdaptiveSpace::GridWatch::begin_greys(const View& view,
                                           const std::optional<DeviceIdentity>& sharing) {
  begun_ = now() && now()->begin_greys(view, sharing);
  return begun_;
}

bool AdaptiveSpace::GridWatch::keep_ages(const View& view, const AgeMap& ages) {
  keeps_ages_ = now() && now()->keep_ages(view, ages);
  return keeps_ages_;
}

void AdaptiveSpace::GridWatch::begin_ages(const std::optional<DeviceIdentity>& sharing) {
  begun_ = true;
  now()->begin_ages(sharing);
}

std::shared_ptr<const SharedPicture> AdaptiveSpace::GridWatch::end(DensityImage& image) {
  begun_ = false;
  return now()->end(image);
}

}  // namespace tessera
