#include "core/spaces/tiled_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/patterns/state_runs.h"
#include "core/pictures/cell_counts.h"
#include "core/spaces/grid_view.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/rule_states.h"

namespace tessera {

namespace {

constexpr const char* kMachineIsFull = "the machine has no memory left";
constexpr const char* kDeviceIsFull = "the device has no memory left";

BackendInfo tiles_info(const StepBackend& backend) {
  BackendInfo info = backend.info();
  Tuning shared;  // the rest is about strips
  shared.threads = info.tuning.threads;
  info.tuning = shared;
  return info;
}

std::unique_ptr<TilePlane> make_plane(const RuleSpec& spec, const BackendFactory& factory,
                                      std::int64_t max_memory, bool many, BackendInfo& info) {
  if (const auto why = TiledSpace::refusal(spec)) throw UnsupportedError(*why);
  const std::unique_ptr<StepBackend> backend = factory(TiledSpace::asks(spec, max_memory, many));
  info = tiles_info(*backend);
  const TileLayout layout(spec.topology, spec.width, spec.height);
  if (std::unique_ptr<TilePool> pool = backend->tiles()) {
    return std::make_unique<TilePlane>(backend->spec().rule, std::move(pool), layout);
  }
  if (std::unique_ptr<TileDevice> device = backend->tile_device()) {
    return std::make_unique<TilePlane>(backend->spec().rule, std::move(device), layout);
  }
  throw UnsupportedError("the kernel " + info.kernel + " of " + info.backend + " has no tiles");
}

// Calls `visit` with the live tiles of each row of tiles that cells, moved by `at`, lie in. They
// are runs that next() gives in reading order, by so many planes, or in state 1 alone (0).
template <class Next, class Visit>
void for_each_row_of_tiles(Next next, std::size_t planes, const Cell& at, const Visit& visit) {
  // A run of 2^40 cells is many tiles: they go on before all of it is there.
  constexpr std::size_t kMost = 1 << 16;
  std::vector<PlacedTile> tiles;
  std::unordered_map<std::int64_t, std::size_t> found;  // by column
  // The tile of the run before, in which most runs lie, and its first column of cells.
  PlacedTile* last = nullptr;
  std::int64_t left = 0;
  const auto flush = [&] {
    if (!tiles.empty()) visit(tiles);
    tiles.clear();
    found.clear();
    last = nullptr;
  };
  const auto tile_at = [&](std::int64_t x, std::int64_t row) {
    const std::int64_t column = floor_div(x, kTileSide);
    if (tiles.size() == kMost && !found.contains(column)) flush();
    const auto [entry, fresh] = found.try_emplace(column, tiles.size());
    if (fresh) tiles.push_back({{column, row}, {}, std::vector<TileRows>(planes)});
    left = column * kTileSide;
    return &tiles[entry->second];
  };
  std::int64_t row = 0;
  while (const std::optional<StateRun> run = next()) {
    const std::int64_t y = at.y + run->y;
    if (y < row * kTileSide || y - row * kTileSide >= kTileSide) {
      flush();
      row = floor_div(y, kTileSide);
    }
    const auto in_tile = static_cast<std::size_t>(y - row * kTileSide);
    const std::int64_t end = at.x + run->x + run->length;
    for (std::int64_t x = at.x + run->x; x < end;) {
      if (!last || x < left || x - left >= kTileSide) last = tile_at(x, row);
      const std::int64_t until = std::min(end, left + kTileSide);
      const std::uint64_t bits = ((std::uint64_t{1} << (until - x)) - 1) << (x - left);
      last->rows[in_tile] |= bits;
      for (std::size_t p = 0; p < planes; p++) {
        if (run->state >> p & 1) last->planes[p][in_tile] |= bits;
      }
      x = until;
    }
  }
  flush();
}

// Live cells in state 1.
auto runs_of_state_1(const CellRuns& cells) {
  return [reader = cells.reader()]() mutable -> std::optional<StateRun> {
    const std::optional<CellRun> run = reader.next();
    if (!run) return std::nullopt;
    return StateRun{run->x, run->y, run->length, 1};
  };
}

// Each row of tiles gives its runs of tiles with live cells.
class TilePieces final : public PieceSource {
 public:
  // `extent` counts from the plane's own (0, 0), which is the cell `corner`.
  TilePieces(TilePlane& plane, const Rect& extent, const Cell& corner)
      : plane_(&plane), extent_(extent), corner_(corner), runs_(plane.runs(extent)) {}
  Rect extent() const override {
    return {extent_.x + corner_.x, extent_.y + corner_.y, extent_.width, extent_.height};
  }
  std::optional<Piece> next() override {
    if (next_ == runs_.size()) return std::nullopt;
    const Rect& run = runs_[next_++];
    return Piece{{run.x + corner_.x, run.y + corner_.y}, plane_->read_states(run)};
  }

 private:
  TilePlane* plane_;
  Rect extent_;
  Cell corner_;
  std::vector<Rect> runs_;
  std::size_t next_ = 0;
};

}  // namespace

TiledSpace::TiledSpace(const RuleSpec& spec, const BackendFactory& factory, std::int64_t max_memory,
                       bool many, const MoveCosts& costs)
    : Space(spec),
      factory_(factory),
      max_memory_(max_memory),
      plane_(make_plane(spec, factory, max_memory, many, home_)),
      corner_(spec.bounded() ? spec.origin() : Cell{}),
      info_(home_),
      costs_(costs),
      move_(costs) {}

BackendSpec TiledSpace::asks(const RuleSpec& spec, std::int64_t max_memory, bool many) {
  BackendSpec small = backend_spec(spec, 64, 64, max_memory);
  small.boundary = Boundary::plane;
  small.tiles = true;
  small.many_tiles = many;
  return small;
}

std::optional<std::string> TiledSpace::refusal(const RuleSpec& spec) {
  const auto refused = [&](const std::string& held) {
    return fmt::format("tiles hold universes {}, not {}; --space grid holds it", held,
                       to_string(spec));
  };
  const BackendSpec asked = asks(spec);
  if (asked.reach() > kTileMargin)
    return refused(fmt::format("under rules of range {} and less", kTileMargin));
  if (asked.odd_rule && asked.ranged())
    return refused("under rules of longer range that take no turns");
  if (asked.rule.from_file()) return refused("under rules of no file");
  // Without end there is none left (BackgroundRules).
  if (spec.bounded() && spec.has_b0()) return refused("under rules without B0");
  if (spec.half_infinite()) return refused("of which both sides end or none");
  if (spec.bounded() && !backend_spec(spec).plain_edges())
    return refused("whose edges are neither shifted nor twisted");
  return std::nullopt;
}

// A rectangle counted from the universe's corner.
Rect TiledSpace::own(const Rect& rect) const {
  return {rect.x - corner_.x, rect.y - corner_.y, rect.width, rect.height};
}

Survey TiledSpace::do_survey(const SurveyParts& parts) {
  Survey found = settled().survey(parts);
  if (found.bounds) found.bounds = found.bounds->shifted(corner_.x, corner_.y);
  return found;
}

CellGrid TiledSpace::do_read(const Rect& rect) { return settled().read_states(own(rect)); }

double TiledSpace::cells_per_generation() const {
  return static_cast<double>(plane_->active()) * kTileSide * kTileSide;
}

std::int64_t TiledSpace::memory() const {
  constexpr std::int64_t kPieceOfATile = 512;
  return kPieceOfATile * plane_->planes() * settled().live_tiles();
}

std::vector<Shard> TiledSpace::write_shards(const ShardOrder& order) {
  return settled().write_shards(order, corner_);
}

void TiledSpace::cannot_go_on(const std::string& why) const {
  throw MemoryLimitError("generation " + std::to_string(generation()) + ": the pattern takes " +
                         std::to_string(plane_->tiles()) + " tiles and " +
                         memory_text(plane_->bytes()) + ", and " + why);
}

// The plane, whose present cells can be read.
TilePlane& TiledSpace::settled() const {
  try {
    plane_->settle();
  } catch (const std::bad_alloc&) {
    cannot_go_on(kMachineIsFull);
  } catch (const DeviceMemoryError&) {
    cannot_go_on(kDeviceIsFull);
  }
  return *plane_;
}

void TiledSpace::watch_crowd(double share, std::int64_t patience) {
  crowd_ = share;
  patience_ = patience;
  busy_ = 0;
}

// Asked after every step.
bool TiledSpace::go_on() {
  if (plane_->bytes() > plane_->limit()) return false;
  const double all = spec().bounded() ? static_cast<double>(ceil_div(spec().width, kTileSide)) *
                                            static_cast<double>(ceil_div(spec().height, kTileSide))
                                      : static_cast<double>(plane_->tiles());
  busy_ = static_cast<double>(plane_->active()) > crowd_ * all ? busy_ + 1 : 0;
  return !crowded();
}

// Steps until the memory is used up or a live cell could have got too far out.
void TiledSpace::step_some(std::int64_t generations) {
  const std::int64_t before = plane_->generation();
  const double visited = plane_->cells_stepped();
  const char* exhausted = nullptr;
  try {
    plane_->set_turn(generation() % 2 != 0);
    const std::int64_t target = before + generations;
    const auto due = [&] { return movable_ && move_.due(steps_to(target)); };
    noted_ = before;
    noted_cells_ = visited;
    noted_at_ = std::chrono::steady_clock::now();
    do {
      if (due()) move();
      plane_->step(target - plane_->generation(), [&] {
        note_step();
        return go_on() && !due();
      });
    } while (due() && !crowded() && plane_->generation() < target);
  } catch (const std::bad_alloc&) {
    exhausted = kMachineIsFull;
  } catch (const DeviceMemoryError&) {
    exhausted = kDeviceIsFull;
  }
  const std::int64_t done = plane_->generation() - before;
  reach_ = std::max<std::int64_t>(0, reach_ - done);
  passed(done, done > 0 ? (plane_->cells_stepped() - visited) / static_cast<double>(done) : 0);
  if (exhausted) cannot_go_on(exhausted);
  if (done < generations && !crowded()) {
    cannot_go_on(memory_text(plane_->limit()) + " is the limit");
  }
}

// Accounts for what was stepped since the last time, see TileMove.
void TiledSpace::note_step() {
  if (!movable_) return;
  TileMove::Passed passed;
  passed.on_device = plane_->lent();
  passed.open = device_ || plane_->lent();
  const auto now = std::chrono::steady_clock::now();
  passed.seconds = std::chrono::duration<double>(now - noted_at_).count();
  noted_at_ = now;
  // A device is asked for many steps at a time; generations that were jumped over are none.
  constexpr double kMostSteps = 4096;
  const double steps = static_cast<double>(plane_->generation() - noted_) / kTileMargin;
  passed.steps = passed.on_device ? std::min(steps, kMostSteps) : 1;
  noted_ = plane_->generation();
  const double visited = plane_->cells_stepped();
  passed.visits = (visited - noted_cells_) / (kTileSide * kTileSide * kTileMargin);
  noted_cells_ = visited;
  passed.tiles = static_cast<double>(plane_->tiles());
  move_.add(passed);
}

// Steps until that generation.
double TiledSpace::steps_to(std::int64_t generation) const {
  return static_cast<double>(generation - plane_->generation()) / kTileMargin;
}

// Moves the tiles to a device, or home again.
void TiledSpace::move() {
  move_.done();
  if (plane_->lent()) {
    device_ = plane_->bring_home();
    info_ = home_;
    noted_at_ = std::chrono::steady_clock::now();
    return;
  }
  movable_ = false;
  try {
    if (!device_) {
      const std::unique_ptr<StepBackend> backend = factory_(asks(spec(), max_memory_, true));
      device_ = backend->tile_device();
      device_info_ = tiles_info(*backend);
    }
    if (!device_) return;
    plane_->lend(std::move(device_));
    info_ = device_info_;
    movable_ = true;
  } catch (const UnsupportedError&) {
    // There is none that can step these.
  } catch (const DeviceMemoryError&) {
    // It has no room for them.
  }
  noted_at_ = std::chrono::steady_clock::now();  // what the move took is known beforehand
}

void TiledSpace::do_step(std::int64_t generations) {
  if (spec().bounded()) return step_some(generations);
  while (generations > 0) {
    if (reach_ == 0) {
      const std::optional<Bounds> box = settled().survey({.bounds = true}).bounds;
      if (!box) {
        passed(generations, 0);
        return;
      }
      check_reach(box->rect());
      reach_ = std::max<std::int64_t>(1, free_reach(box->rect()));
    }
    const std::int64_t now = std::min(generations, reach_);
    step_some(now);
    if (crowded()) return;
    generations -= now;
  }
}

std::unique_ptr<PieceSource> TiledSpace::do_pieces(const Rect& rect) {
  return std::make_unique<TilePieces>(settled(), own(rect), corner_);
}

// Throws where so many more bytes are not allowed.
void TiledSpace::check_memory(std::int64_t more) const {
  if (more <= plane_->limit() - plane_->bytes()) return;
  throw InputError("the cells take more than " + memory_text(plane_->limit()) +
                   " as tiles, which is the limit");
}

void TiledSpace::do_edit(const Cell& at, const CellGrid& cells) {
  check_states(spec().rule, cells, "edit");
  const Cell to{at.x - corner_.x, at.y - corner_.y};
  check_memory(plane_->bytes_for(to, cells));
  settled().edit(to, cells);
  reach_ = 0;
}

// All tiles are counted first, so that nothing has changed where they do not fit.
void TiledSpace::check_tiles(const CellRuns& live, const Cell& at) const {
  std::int64_t count = 0;
  for_each_row_of_tiles(runs_of_state_1(live), 0, at, [&](const std::vector<PlacedTile>& row) {
    count += static_cast<std::int64_t>(row.size());
    check_memory(count * plane_->bytes_per_tile());
  });
}

void TiledSpace::do_add(const CellRuns& cells, const Cell& place) {
  const Cell at{place.x - corner_.x, place.y - corner_.y};
  check_tiles(cells, at);
  TilePlane& plane = settled();
  for_each_row_of_tiles(runs_of_state_1(cells), 0, at,
                        [&](const std::vector<PlacedTile>& row) { plane.add(row); });
  reach_ = 0;
}

void TiledSpace::do_add_states(const CellRuns& live, std::span<const CellRuns> planes,
                               const Cell& place) {
  const Cell at{place.x - corner_.x, place.y - corner_.y};
  StateRuns cells(live, planes);
  while (const std::optional<StateRun> run = cells.next())
    check_state(spec().rule, run->state, "edit");
  check_tiles(live, at);
  TilePlane& plane = settled();
  for_each_row_of_tiles([runs = StateRuns(live, planes)]() mutable { return runs.next(); },
                        planes.size(), at,
                        [&](const std::vector<PlacedTile>& row) { plane.add(row); });
  reach_ = 0;
}

bool TiledSpace::take_there(DenseSpace& grid) {
  if (!plane_->take_from(grid.backend())) return false;
  set_generation(grid.generation());
  reach_ = 0;
  return true;
}

void TiledSpace::do_clear() {
  plane_->clear();
  reach_ = 0;
}

// As many rows at a time as tiles do not mind, and no more of the soup in memory.
void TiledSpace::do_fill(const Soup& soup) {
  check_states(spec().rule, soup, "fill");
  const std::int64_t tiles_across = ceil_div(spec().width, kTileSide);
  const std::int64_t tiles_down = ceil_div(spec().height, kTileSide);
  const std::int64_t room = (plane_->limit() - plane_->bytes()) / plane_->bytes_per_tile();
  if (soup.density > 0 && (tiles_across > room || tiles_down > room / tiles_across)) {
    throw InputError("a soup of " + std::to_string(spec().width) + "x" +
                     std::to_string(spec().height) + " cells takes more than " +
                     memory_text(plane_->limit()) + " as tiles, which is the limit");
  }
  do_clear();
  if (soup.density == 0) return;
  const std::int64_t words = ceil_div(spec().width, 64);
  for (std::int64_t y = 0; y < spec().height; y += kTileSide) {
    const std::int64_t rows = std::min<std::int64_t>(kTileSide, spec().height - y);
    plane_->edit({0, y}, make_soup_cells(soup, spec().width, rows, spec().rule.planes(),
                                         static_cast<std::uint64_t>(y * words)));
  }
}

void TiledSpace::do_look(const View& view, DensityImage& image) {
  const bool round = view.wrapped && spec().topology == Topology::torus;
  if (!round || whole().contains(view.cells)) return look_plain(view, image);
  view_round(
      whole(), view, [this](const View& part, DensityImage& out) { look_plain(part, out); }, image);
}

void TiledSpace::look_plain(const View& view, DensityImage& image) {
  if (view.scale == 1 && !plane_->lent()) {
    const BitGrid cells = settled().read(own(view.cells));
    reduce_density(cells, {0, 0, view.cells.width, view.cells.height}, 1, image);
    return;
  }
  if (view.scale <= kMostByteScale && !plane_->lent()) {
    settled().count_in_bytes(own(view.cells), view.scale, image);
    shade_bytes(view.cells.width, view.cells.height, view.scale, image);
    return;
  }
  CellCounts counts;
  settled().count(own(view.cells), view.scale, counts);
  image.reshape(counts.width, counts.height);
  shade(counts, view.cells.width, view.cells.height, view.scale, image);
}

void TiledSpace::use(BackendFactory factory) {
  BackendInfo info;
  std::unique_ptr<TilePlane> next = make_plane(spec(), factory, max_memory_, false, info);
  if (const std::optional<Bounds> box = settled().survey({.bounds = true}).bounds) {
    for (const Rect& run : plane_->runs(box->rect())) {
      next->edit({run.x, run.y}, plane_->read_states(run));
    }
  }
  plane_ = std::move(next);
  factory_ = std::move(factory);
  home_ = info_ = std::move(info);
  device_.reset();
  move_ = TileMove(costs_);
  movable_ = !plane_->lent();
}

}  // namespace tessera
