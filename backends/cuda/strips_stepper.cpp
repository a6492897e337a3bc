#include "backends/cuda/strips_stepper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

namespace {

// What a rule asks of a tile: planes of cells, and about how many gates per word.
struct Demand {
  int planes = 1;
  double gates = 8;
};

// Of a rule's program, long before it is searched for, which makes it shorter by a third.
Demand program_demand(const Rule& rule) {
  const StateProgram first = state_program(rule, first_program(neighbourhood_table(rule)));
  return {first.planes,
          0.7 * first.lives.cost() + static_cast<double>(first.cost() - first.lives.cost())};
}

// Where two rules take turns, that of the longer one.
Demand demand_of(const BackendSpec& spec) {
  if (has_one_circuit(spec)) return {};
  Demand demand = program_demand(spec.rule);
  if (spec.odd_rule) demand.gates = std::max(demand.gates, program_demand(*spec.odd_rule).gates);
  return demand;
}

// Words that a lane holds.
int tile_words(const Tuning& t, const Demand& demand) { return t.words * t.rows * demand.planes; }

// Blocks that should fit a multiprocessor: smaller tiles need fewer registers per thread.
int blocks_an_sm(const Tuning& t, const Demand& demand) {
  // Many planes have many addresses, too.
  const int words = tile_words(t, demand), warps = words > 64 || demand.planes > 6 ? 8
                                                   : words > 32                    ? 12
                                                                                   : 16;
  return std::max(1, warps / t.group);
}

std::int64_t rows_owned(const Tuning& t) { return 32 * t.rows - 2 * t.generations; }

int vector_rows(const Tuning& t) {
  const auto suits = [&](int rows) { return t.rows % rows == 0 && t.generations % rows == 0; };
  return suits(4) ? 4 : suits(2) ? 2 : 1;
}

// M and B*W of strips.cu: bits of halo on either side of a word, cells of a row of a macro-column.
int halo_bits(const Tuning& t) { return static_cast<int>(ceil_div(t.generations, t.words)); }
std::int64_t macro_width(const Tuning& t) { return std::int64_t{32 - 2 * halo_bits(t)} * t.words; }

constexpr int kMostHalo = 8;
constexpr int kMostTile = 128;  // words a lane
constexpr std::int64_t kMargin =
    32;  // rows above the first: a whole 128-byte line, and at least the deepest margin

// Why the kernel cannot have this shape on a grid of that width, or empty.
std::string objection(const Tuning& t, const Demand& demand, std::int64_t width) {
  if (rows_owned(t) <= 0) return "generations must be less than 16 times the rows";
  if (halo_bits(t) > kMostHalo)
    return "generations must not exceed " + std::to_string(kMostHalo) + " times the words";
  if (tile_words(t, demand) > kMostTile) {
    return "rows times words must not exceed " + std::to_string(kMostTile) +
           (demand.planes > 1
                ? ", divided by the " + std::to_string(demand.planes) + " planes of the rule"
                : "");
  }
  // The loads at the edge rely on it, and a halo should not be wider than the grid.
  const std::int64_t least = 2 * macro_width(t) + 1;
  if (halo_bits(t) > 1 && width < least) {
    return "more generations than words need a grid " + std::to_string(least) +
           " cells wide or wider";
  }
  return "";
}

constexpr int kLanes = 32;
constexpr int kSchedulers = 4;  // of a multiprocessor

// The part of all tiles that shared ones must save: they take longer than others.
constexpr double kLeastSaving = 1.0 / 200;
// In a band whose passes take kernels with and without them by turns; and where there are none.
constexpr double kLeastOfBands = 1.0 / 64, kNever = 2;

// How rows of a grid are divided among tiles.
StripPlan plan_of(const Tuning& t, std::int64_t width, std::int64_t rows, const DeviceFacts& facts,
                  double least_saving = kLeastSaving) {
  const std::int64_t units = ceil_div(width, macro_width(t));
  const std::int64_t most = rows_owned(t), vector = vector_rows(t);
  // Tiles of equal height, so that none is short.
  StripPlan even;
  even.tile_rows = ceil_div(rows, most);
  even.tile_height = ceil_div(ceil_div(rows, even.tile_rows), vector) * vector;
  even.tile_rows = ceil_div(rows, even.tile_height);
  even.tiles = units * even.tile_rows;
  // Tiles of the full height, and the remainders of several macro-columns in one tile.
  StripPlan full;
  full.tile_rows = rows / most;
  full.tile_height = most;
  const std::int64_t left = rows - full.tile_rows * most;
  full.shared_lanes = ceil_div(left + 2 * t.generations, t.rows);
  full.shared_by = kLanes / full.shared_lanes;
  if (left == 0 || full.shared_by < 2) return even;
  full.shared_tiles = ceil_div(units, full.shared_by);
  full.tiles = units * full.tile_rows + full.shared_tiles;
  // They gain nothing where each tile has its own scheduler.
  const auto least = static_cast<std::int64_t>(static_cast<double>(even.tiles) * least_saving);
  const bool pays = even.tiles - full.tiles >= least && full.tiles < even.tiles &&
                    even.tiles > std::int64_t{kSchedulers} * facts.multiprocessors;
  return pays ? full : even;
}

// Approximate cycles per generation. A pass costs a launch. Every scheduler of a multiprocessor
// processes its tiles, as many at a time as fit, and the tiles of a wave load and store their cells
// together, while little is computed. Fitted to 60 shapes and sizes on an H100; the mean error is 9
// %.
double estimate(const Tuning& t, const BackendSpec& spec, const Demand& demand,
                const DeviceFacts& facts) {
  // Per pass; per word of a tile and wave, and of a tile and generation.
  constexpr double kLaunch = 3400, kMove = 75, kComputeOfLife = 18;
  const double compute = kComputeOfLife * demand.gates / 8 / demand.planes;
  // Of a band's halos half of the rows are stepped on the average.
  const std::int64_t rows = spec.height - spec.halo_rows / 2;
  const std::int64_t deep = ceil_div(plan_of(t, spec.width, rows, facts).tiles,
                                     std::int64_t{kSchedulers} * facts.multiprocessors);
  const std::int64_t waves =
      ceil_div(deep, std::max(1, blocks_an_sm(t, demand) * t.group / kSchedulers));
  const double words = tile_words(t, demand);
  return (kLaunch + words * (kMove * static_cast<double>(waves) +
                             compute * static_cast<double>(deep * t.generations))) /
         t.generations;
}

// Words of a tile, and instructions of a generation, beyond which a program's tiles are no faster:
// their registers and their code have no room. Short programs need few registers where one steps
// alone, and only long ones give a pass of four generations enough to do.
constexpr int kMostChosen = 48, kMostOfShort = 64, kFewGenerations = 4;
constexpr double kShort = 12, kLong = 33, kMostCode = 1600;

bool suits(const Tuning& t, const BackendSpec& spec, const Demand& demand) {
  if (has_one_circuit(spec)) return true;
  const int most = demand.gates <= kShort && !spec.odd_rule ? kMostOfShort : kMostChosen;
  return tile_words(t, demand) <= most && t.words * t.rows * demand.gates <= kMostCode &&
         (t.generations > kFewGenerations || demand.gates > kLong || demand.planes > 2);
}

Tuning choose(const BackendSpec& spec, const Tuning& wanted, const Demand& demand,
              const DeviceFacts& facts) {
  const auto agrees = [](int field, int value) { return field == 0 || field == value; };
  std::optional<Tuning> best;
  double least = 0;
  for (const Tuning& t :
       !has_one_circuit(spec) ? StripsStepper::program_shapes() : StripsStepper::tuned_shapes()) {
    if (!agrees(wanted.generations, t.generations) || !agrees(wanted.rows, t.rows) ||
        !agrees(wanted.words, t.words) || !objection(t, demand, spec.width).empty() ||
        !suits(t, spec, demand)) {
      continue;
    }
    const double cost = estimate(t, spec, demand, facts);
    if (!best || cost < least) best = t, least = cost;
  }
  const Tuning otherwise = !has_one_circuit(spec) ? Tuning{4, 1, 4, 4, 0} : Tuning{8, 8, 8, 4, 0};
  Tuning out = best.value_or(otherwise);
  if (wanted.generations) out.generations = wanted.generations;
  if (wanted.rows) out.rows = wanted.rows;
  if (wanted.words) out.words = wanted.words;
  if (wanted.group) out.group = wanted.group;
  if (const std::string why = objection(out, demand, spec.width); !why.empty()) {
    throw UnsupportedError("kernel strips: " + std::to_string(out.generations) +
                           " generations with " + std::to_string(out.rows) + " rows and " +
                           std::to_string(out.words) + " words: " + why);
  }
  return out;
}

}  // namespace

KernelInfo StripsStepper::kernel_info() {
  KernelInfo info{
      "strips",
      "a tile of registers per warp, no shift between neighbours, many generations per pass",
      {{&Tuning::generations,
        "generations",
        "generations per pass",
        {2, 4, 8, 10, 12, 16, 20, 24, 32}},
       {&Tuning::rows, "rows", "rows of a tile per lane", {1, 2, 3, 4, 6, 8, 10, 12, 16}},
       {&Tuning::words, "words", "words per row of a tile", {2, 4, 6, 8, 10, 12, 16}},
       {&Tuning::group, "warps", "warps per block, each with its own tile", {1, 2, 4, 8}}},
      true};
  info.any_rule = info.two_rules = true;
  return info;
}

std::vector<Tuning> StripsStepper::tuned_shapes() {
  return {{8, 8, 8, 2, 0},  {8, 4, 8, 4, 0},  {8, 2, 8, 4, 0}, {8, 1, 8, 4, 0},
          {12, 4, 6, 4, 0}, {16, 4, 4, 4, 0}, {16, 3, 2, 4, 0}};
}

std::vector<Tuning> StripsStepper::program_shapes() {
  std::vector<Tuning> shapes = tuned_shapes();
  for (const Tuning& small : {Tuning{8, 6, 8, 2, 0}, Tuning{8, 4, 4, 4, 0}, Tuning{4, 8, 4, 4, 0},
                              Tuning{4, 4, 4, 4, 0}, Tuning{4, 2, 4, 4, 0}, Tuning{4, 1, 4, 4, 0}})
    shapes.push_back(small);
  return shapes;
}

double StripsStepper::cycles(const BackendSpec& spec, const DeviceFacts& facts) {
  const Demand demand = demand_of(spec);
  return estimate(choose(spec, {}, demand, facts), spec, demand, facts);
}

StripsStepper::StripsStepper(const BackendSpec& spec, const Tuning& tuning,
                             const DeviceFacts& facts)
    : spec_(spec), facts_(facts) {
  if (spec.odd_rule && (spec.rule.states() > 2 || spec.odd_rule->states() > 2))
    throw UnsupportedError("kernel strips: two rules that take turns must have two states");
  const Demand demand = demand_of(spec);
  tuning_ = choose(spec, tuning, demand, facts);
  planes_ = demand.planes;
  blocks_ = blocks_an_sm(tuning_, demand);
  generation_seconds_ =
      estimate(tuning_, spec, demand, facts) / (facts.clock_khz > 0 ? 1e3 * facts.clock_khz : 1e9);
  const std::int64_t macro = macro_width(tuning_), margin = tuning_.generations;
  grid_.width = spec.width;
  grid_.height = spec.height;
  grid_.words = ceil_div(spec.width, 64);
  grid_.units = ceil_div(spec.width, macro);
  grid_.last = spec.width - (grid_.units - 1) * macro;
  grid_.above = kMargin;
  grid_.left = 0;
  grid_.stride = ceil_div(grid_.above + spec.height + margin + tuning_.rows, 32) * 32;
  grid_.storage = planes_ * plane_bytes();
  plan_ = plan_of(tuning_, spec.width, spec.height, facts);
  // Where one copy of the cells fits the cache and two do not, the cells that were read make room
  // for those that are written.
  last_read_ =
      vector_rows(tuning_) == 4 && grid_.storage <= facts.cache && 2 * grid_.storage > facts.cache;
}

std::vector<std::uint16_t> StripsStepper::codes() const { return state_codes(spec_.rule); }

KernelSource StripsStepper::services() const {
  KernelSource source{"services.cu",
                      {{"layout.cuh", "#include \"layout_strips.cuh\"\n"}},
                      {"-DTESSERA_W=" + std::to_string(tuning_.words),
                       "-DTESSERA_HALO=" + std::to_string(halo_bits(tuning_))}};
  if (planes_ > 1) source.options.push_back("-DTESSERA_PLANES=" + std::to_string(planes_));
  return source;
}

std::string StripsStepper::row_layout() const {
  return "strips " + std::to_string(grid_.width) + ' ' + std::to_string(tuning_.words) + ' ' +
         std::to_string(halo_bits(tuning_));
}

std::vector<NeighbourhoodTable> StripsStepper::tables() const {
  if (has_one_circuit(spec_)) return {};
  std::vector<NeighbourhoodTable> tables{neighbourhood_table(spec_.rule)};
  if (spec_.odd_rule) tables.push_back(neighbourhood_table(*spec_.odd_rule));
  return tables;
}

std::string StripsStepper::header() const {
  if (has_one_circuit(spec_)) return rule_header(spec_.rule);
  const GateProgram even = ready_program(spec_.rule);
  if (spec_.odd_rule) return turns_header(even, ready_program(*spec_.odd_rule));
  return program_header(state_program(spec_.rule, even));
}

// A program that is found at once steps until the search for a shorter one, which begins when it
// pays, has ended.
void StripsStepper::search_when_due(std::int64_t generations, const Stream& stream) {
  if (short_program_) return;
  patience_ -= static_cast<double>(generations) * generation_seconds_;
  if (patience_ > 0) return;
  if (!known_or_searched(tables())) {
    patience_ = kBetweenLooks;
    return;
  }
  stream.synchronize("stepping with kernel strips");
  recorded_ = 0;
  load();
}

KernelSource StripsStepper::source() const { return source_of(false, plan_.shared_tiles > 0); }
KernelSource StripsStepper::edge_source() const { return source_of(true, edges_share_); }

KernelSource StripsStepper::source_of(bool edges, bool shares) const {
  const bool plane = spec_.boundary == Boundary::plane;
  return {"strips.cu",
          {{"rule.cuh", header()}},
          {"-DTESSERA_W=" + std::to_string(tuning_.words),
           "-DTESSERA_R=" + std::to_string(tuning_.rows),
           "-DTESSERA_T=" + std::to_string(tuning_.generations),
           "-DTESSERA_WARPS=" + std::to_string(tuning_.group),
           "-DTESSERA_BLOCKS=" + std::to_string(blocks_), "-DTESSERA_BAND=" + std::to_string(edges),
           "-DTESSERA_SHARED=" + std::to_string(shares),
           "-DTESSERA_LAST_READ=" + std::to_string(last_read_),
           // The word of the column just outside a plane. It is the same for most widths of a plane
           // that grows.
           "-DTESSERA_LAST_WORD=" + std::to_string(plane ? spec_.width % tuning_.words : 0),
           "-DTESSERA_NARROW=" + std::to_string(spec_.width < tuning_.words ? spec_.width : 0),
           std::string("-DTESSERA_TORUS=") + (plane ? "0" : "1")}};
}

void StripsStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream&) {
  device_ = std::move(device);
  load();
}

void StripsStepper::load() {
  short_program_ = std::ranges::all_of(
      tables(), [](const NeighbourhoodTable& table) { return known_program(table).has_value(); });
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_margins_ = module_->function("fill_margins");
  if (!band_) return;
  edge_module_ = std::make_unique<Module>(device_, edge_source());
  step_edges_ = edge_module_->function("step");
  // The plan of all rows is one of a pass, too.
  const bool whole_shares = plan_.shared_tiles > 0;
  if (!windows_differ_) return;
  other_module_ = std::make_unique<Module>(device_, source_of(false, !whole_shares));
  step_other_ = other_module_->function("step");
}

StripRun StripsStepper::pass(std::int64_t generations) const { return run_of(plan_, generations); }

StripRun StripsStepper::run_of(const StripPlan& plan, std::int64_t generations) const {
  StripRun run{};
  run.generations = static_cast<u32>(generations);
  run.tile_rows = static_cast<u32>(plan.tile_rows);
  run.tile_height = static_cast<u32>(plan.tile_height);
  run.shared_tiles = static_cast<u32>(plan.shared_tiles);
  run.shared_by = static_cast<u32>(plan.shared_by);
  run.shared_lanes = static_cast<u32>(plan.shared_lanes);
  run.one = 1;
  run.two = 2;
  run.minus_two = ~1u;
  run.two31 = 1u << 31;
  run.to_east = 1u << (32 - 2 * halo_bits(tuning_));
  run.to_west = 1u << (2 * halo_bits(tuning_));
  const std::int64_t words = tuning_.words, macro = macro_width(tuning_),
                     first = grid_.width - halo_bits(tuning_) * words;
  if (first >= 0) {
    run.west_macro = static_cast<u32>(first / macro);
    run.west_word = static_cast<u32>(first % words);
    run.west_cell = static_cast<u32>(first % macro / words);
  }
  run.last_count = static_cast<u32>(grid_.last / words);
  run.last_word = static_cast<u32>(grid_.last % words);
  run.odd = odd_ ? 1 : 0;
  return run;
}

LaunchShape StripsStepper::shape() const { return shape_of(plan_); }

LaunchShape StripsStepper::shape_of(const StripPlan& plan) const {
  return {ceil_div(plan.tiles, tuning_.group), static_cast<unsigned>(32 * tuning_.group)};
}

void StripsStepper::queue_pass(Cells& cells, std::int64_t generations, const Stream& stream) {
  StripRun run = pass(generations);
  run.from = cells.front.as<u32>();
  run.to = cells.back.as<u32>();
  launch_overlapping(step_, shape(), stream, "strips", grid_, run);
  passed(cells, generations);
}

void StripsStepper::passed(Cells& cells, std::int64_t generations) {
  cells.front.swap(cells.back);
  if (spec_.odd_rule && generations % 2 != 0) odd_ = !odd_;
}

std::int64_t StripsStepper::depth() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(longest_launch_ / generation_seconds_),
                                  1, tuning_.generations);
}

void StripsStepper::make_band(const Band& band) {
  band_ = band;
  // Whether rows that are left below whole tiles may share tiles is compiled in: of the passes that
  // meet no neighbours each takes the kernel for its rows. For those that do, large tiles would pay
  // more for that than it saves.
  constexpr int kMostSharing = 48;  // words of a tile per lane
  const bool large = tuning_.rows * tuning_.words > kMostSharing;
  const std::int64_t copies = std::max(band.above, band.below), step = tuning_.generations;
  plan_ = plan_of(tuning_, spec_.width, spec_.height, facts_, kLeastOfBands);
  bool any_shares = plan_.shared_tiles > 0, all_share = any_shares;
  for (std::int64_t g = std::min(step, copies); g <= copies; g += step) {
    const StripPlan plan = plan_of(tuning_, spec_.width, window(g).rows(), facts_, kLeastOfBands);
    any_shares |= plan.shared_tiles > 0, all_share &= plan.shared_tiles > 0;
  }
  windows_differ_ = spec_.boundary == Boundary::torus && any_shares && !all_share;
  edges_share_ = any_shares && !large;
  if (device_) load();
}

bool StripsStepper::meets_neighbours() const {
  const std::int64_t vector = vector_rows(tuning_);
  return band_ && band_->above % vector == 0 && band_->below % vector == 0;
}

void StripsStepper::halos_renewed(bool arriving) {
  stale_margins_ = true;
  wrong_ = 0;
  arriving_ = arriving;
}

// What is right after so many more generations, with all rows that a vector access touches.
RowWindow StripsStepper::window(std::int64_t generations) const {
  const std::int64_t vector = vector_rows(tuning_), height = grid_.height;
  const auto wrong = [&](std::int64_t copies) { return std::min(wrong_ + generations, copies); };
  return {wrong(band_->above) / vector * vector,
          std::min(height, ceil_div(height - wrong(band_->below), vector) * vector)};
}

StripsStepper::BandPass StripsStepper::band_pass(std::int64_t generations, bool leaves,
                                                 u32 buffer) {
  RowWindow rows = window(generations);
  // Neighbours store theirs beside those that leave: no row of theirs may be touched.
  if (leaves) rows = {band_->above, grid_.height - band_->below};
  // The seams of a plane are no borders: the other kernel would keep the cells beyond them dead.
  const bool edges = leaves || arriving_ || spec_.boundary == Boundary::plane;
  // As the kernel that takes it is compiled.
  const bool may_share = edges ? edges_share_ : windows_differ_ || plan_.shared_tiles > 0;
  const StripPlan plan =
      plan_of(tuning_, spec_.width, rows.rows(), facts_, may_share ? kLeastOfBands : kNever);
  BandPass pass{edges, grid_, run_of(plan, generations), {}, shape_of(plan)};
  wrong_ += generations;
  if (pass.edges) {
    pass.run.first = static_cast<u32>(rows.first);
    pass.run.end = static_cast<u32>(rows.end);
    meet_neighbours(pass, plan, rows, leaves, buffer);
  } else {
    // A grid of these rows alone. What it takes for its margins are rows that are wrong by now.
    pass.grid.above += rows.first;
    pass.grid.height = rows.rows();
  }
  return pass;
}

void StripsStepper::meet_neighbours(BandPass& pass, const StripPlan& plan, const RowWindow& rows,
                                    bool leaves, u32 buffer) {
  const bool arrives = std::exchange(arriving_, false);
  if (!leaves && !arrives) return;
  const std::int64_t margin = tuning_.generations;
  // The rows above `upper` and from `lower` on leave, or are changed by what arrives.
  const auto reach = [&](std::int64_t copies) {
    return copies > 0 ? copies + std::max(leaves ? copies : 0, arrives ? margin : 0) : 0;
  };
  const std::int64_t upper = reach(band_->above), lower = grid_.height - reach(band_->below);
  const std::int64_t edge_above =
      std::clamp<std::int64_t>(ceil_div(upper - rows.first, plan.tile_height), 0, plan.tile_rows);
  const std::int64_t first_below = std::max<std::int64_t>(0, lower - rows.first) / plan.tile_height;
  const std::int64_t edge_below = plan.tile_rows - std::min(first_below, plan.tile_rows);
  StripRun& run = pass.run;
  run.edge_above = static_cast<u32>(edge_above);
  run.edge_below = static_cast<u32>(edge_below);
  if (plan.tile_rows > 0) {
    run.turn =
        static_cast<u32>((arrives ? edge_above : plan.tile_rows - edge_below) % plan.tile_rows);
  }
  StripEdges& edges = pass.neighbours;
  edges.arrives = arrives;
  edges.arriving = exchange_;
  edges.leaves = leaves;
  edges.leaving = leaves ? ++exchange_ : exchange_;
  edges.buffer = buffer;
  const std::array<std::int64_t, 2> tile_rows{edge_above, edge_below};
  for (std::size_t n = 0; n < 2; n++) {
    StripSide& side = edges.sides[n] = neighbours_.sides[n];
    if (!leaves || !side.there[0]) continue;
    const std::int64_t own_end = grid_.height - band_->below;
    side.first = n == 0 ? band_->above : own_end - band_->below;
    side.end = n == 0 ? 2 * band_->above : own_end;
    stored_[n] += static_cast<u32>(tile_rows[n] * grid_.units + plan.shared_tiles);
    side.all_stored = stored_[n];
  }
}

void StripsStepper::step_band(Cells& cells, std::int64_t generations, const Stream& stream) {
  const std::int64_t full = depth();
  while (generations > 0) {
    const std::int64_t now = std::min(generations, full);
    BandPass pass =
        band_pass(now, sends_ && now == generations, cells.back.at() == neighbours_.buffer ? 0 : 1);
    pass.run.from = cells.front.as<u32>();
    pass.run.to = cells.back.as<u32>();
    if (pass.edges) {
      launch_overlapping(step_edges_, pass.shape, stream, "strips", pass.grid, pass.run,
                         pass.neighbours);
    } else {
      const bool whole =
          !windows_differ_ || (pass.run.shared_tiles > 0) == (plan_.shared_tiles > 0);
      launch_overlapping(whole ? step_ : step_other_, pass.shape, stream, "strips", pass.grid,
                         pass.run);
    }
    passed(cells, now);
    generations -= now;
  }
  sends_ = false;
}

void StripsStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  search_when_due(generations, stream);
  if (band_) return step_band(cells, generations, stream);
  if (stale_margins_ && spec_.boundary == Boundary::torus) {
    const std::int64_t items = planes_ * grid_.units * tuning_.words * 2 * tuning_.generations;
    launch(fill_margins_, {blocks_for(*device_, items, 128), 128}, stream, "fill_margins of strips",
           grid_, cells.front.as<u32>());
  }
  stale_margins_ = false;
  const std::int64_t depth = this->depth();
  const auto pass = [&](std::int64_t depth_now) {
    queue_pass(cells, depth_now, stream);
    generations -= depth_now;
  };
  // In a graph; an even number ends in the buffer where it began, and with the same rule's turn.
  constexpr std::int64_t kPasses = 32;
  const bool graph = static_cast<double>(kPasses * depth) * generation_seconds_ < longest_launch_;
  if (graph && generations >= kPasses * depth &&
      (recorded_ != cells.front.at() || recorded_odd_ != odd_)) {
    recorded_ = 0;
    there_and_back_.record(stream, [&] {
      for (std::int64_t i = 0; i < kPasses; i++) queue_pass(cells, depth, stream);
    });
    recorded_ = cells.front.at();
    recorded_odd_ = odd_;
  }
  for (; graph && generations >= kPasses * depth; generations -= kPasses * depth)
    there_and_back_.launch(stream);
  while (generations > 0) pass(std::min(generations, depth));
}

}  // namespace tessera::cuda
