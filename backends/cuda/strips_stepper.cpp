#include "backends/cuda/strips_stepper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "backends/cuda/strips_shape.h"
#include "core/base/error.h"
#include "core/rules/state_program.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

namespace {

// Rows above the first: a whole 128-byte line, and at least the deepest margin.
constexpr std::int64_t kMargin = 32;

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

StripsStepper::StripsStepper(const BackendSpec& spec, const Tuning& tuning,
                             const DeviceFacts& facts)
    : spec_(spec), facts_(facts), search_(spec) {
  if (spec.odd_rule && (spec.rule.states() > 2 || spec.odd_rule->states() > 2))
    throw UnsupportedError("kernel strips: two rules that take turns must have two states");
  const StripsShape shape = strips_shape(spec, tuning, facts);
  tuning_ = shape.tuning;
  planes_ = shape.planes;
  blocks_ = shape.blocks;
  generation_seconds_ = shape.cycles / (facts.clock_khz > 0 ? 1e3 * facts.clock_khz : 1e9);
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
  plan_ = strip_plan(tuning_, spec.width, spec.height, facts);
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

KernelSource StripsStepper::source() const { return source_of(false, plan_.shared_tiles > 0); }
KernelSource StripsStepper::edge_source() const { return source_of(true, edges_share_); }

KernelSource StripsStepper::source_of(bool edges, bool shares) const {
  const bool plane = spec_.boundary == Boundary::plane;
  return {"strips.cu",
          {{"rule.cuh", ready_header(spec_)}},
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
  search_.loaded();
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
  plan_ = strip_plan(tuning_, spec_.width, spec_.height, facts_, kLeastOfBands);
  bool any_shares = plan_.shared_tiles > 0, all_share = any_shares;
  for (std::int64_t g = std::min(step, copies); g <= copies; g += step) {
    const StripPlan plan =
        strip_plan(tuning_, spec_.width, window(g).rows(), facts_, kLeastOfBands);
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
  const StripPlan plan = strip_plan(tuning_, spec_.width, rows.rows(), facts_,
                                    may_share ? kLeastOfBands : kNeverShared);
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
        static_cast<u32>((leaves ? plan.tile_rows - edge_below : edge_above) % plan.tile_rows);
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
  if (search_.due(static_cast<double>(generations) * generation_seconds_)) {
    stream.synchronize("stepping with kernel strips");
    recorded_ = 0;
    load();
  }
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
