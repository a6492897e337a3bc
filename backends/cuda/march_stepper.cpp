#include "backends/cuda/march_stepper.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/rules/rule_circuit.h"

namespace tessera::cuda {

namespace {

// As in kernels/march.cu and layout_march.cuh.
constexpr std::int64_t kLane = 128, kHalo = 32, kLanes = 32, kUseful = kLanes * kLane - 2 * kHalo;
constexpr std::int64_t kBytes = 16;  // of a lane in a row
constexpr std::int64_t kShare = 4;
constexpr int kWarpsAtOnce = 8;
constexpr unsigned kThreads = 128;  // of a block that fills

// The longest circuits leave the multipliers the most time.
bool has_long_circuit(const Rule& rule) {
  constexpr std::size_t kLong = 6;
  return rule != kLife && find_rule_circuit(rule).gates.size() >= kLong;
}

// How windows are cut into segments of so many rows at most.
struct MarchPlan {
  std::int64_t whole, share, segments, rows, warps;
};

MarchPlan cut(std::int64_t whole, std::int64_t share, std::int64_t height, std::int64_t rows) {
  const std::int64_t segments = ceil_div(height, rows);
  return {whole, share, segments, rows,
          whole * segments + (share > 0 ? ceil_div(segments, share) : 0)};
}

// A segment takes 2T rows more than it has, and the time of a few for its launch; all warps that
// fit are at work at once.
double rows_of_time(const MarchPlan& plan, int depth, const DeviceFacts& facts) {
  constexpr double kStart = 8;
  const std::int64_t at_once = std::int64_t{kWarpsAtOnce} * std::max(1, facts.multiprocessors);
  return static_cast<double>(ceil_div(plan.warps, at_once)) *
         (static_cast<double>(plan.rows + 2 * depth) + kStart);
}

MarchPlan plan_of(std::int64_t windows, std::int64_t lanes, std::int64_t height, int depth,
                  const DeviceFacts& facts) {
  const bool shares = 2 * lanes <= kLanes;
  const std::int64_t share = shares ? std::min(kLanes / lanes, kShare) : 0;
  const std::int64_t whole = shares ? windows - 1 : windows;
  const std::int64_t most = ceil_div(height, 4);
  const std::int64_t at_once = std::int64_t{kWarpsAtOnce} * std::max(1, facts.multiprocessors);
  MarchPlan best = cut(whole, share, height, 4 * most);
  // More segments than fill all multiprocessors once only make warps shorter.
  const std::int64_t enough =
      std::min(most, at_once * std::max<std::int64_t>(share, 1) / std::max<std::int64_t>(whole, 1));
  for (std::int64_t segments = 2; segments <= enough; segments++) {
    const MarchPlan plan = cut(whole, share, height, 4 * ceil_div(most, segments));
    if (rows_of_time(plan, depth, facts) < rows_of_time(best, depth, facts)) best = plan;
  }
  return best;
}

}  // namespace

KernelInfo MarchStepper::kernel_info() {
  return {
      "march",
      "rows stream through stages of registers, one a generation, and are read and written once",
      {{&Tuning::generations, "generations", "generations per pass", {4, 6, 8}},
       {&Tuning::group, "warps", "warps per block, each with its own segment", {2, 4, 8}}}};
}

Tuning MarchStepper::tuned_shape(const BackendSpec& spec) {
  Tuning shape;
  // What a plane's sides need are registers, too.
  const bool plane = spec.boundary == Boundary::plane;
  shape.generations = plane && has_long_circuit(spec.rule) ? 6 : 8;
  shape.group = 8;
  return shape;
}

bool MarchStepper::suits(const BackendSpec& spec, const DeviceFacts& facts) {
  // Measured on compute capability 9.0 alone: rows that a warp steps, from which strips is slower.
  // At the ends of segments a plane takes longer.
  const double least_rows = spec.boundary == Boundary::torus ? 90 : 200;
  const bool takes = spec.rule.outer_totalistic() && spec.plain_edges() && !spec.odd_rule;
  if (facts.major != 9 || !takes || spec.tiles) return false;
  const double windows = static_cast<double>(spec.width) / kUseful;
  return windows >= 2 && windows * static_cast<double>(spec.height) >=
                             least_rows * kWarpsAtOnce * facts.multiprocessors;
}

MarchStepper::MarchStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts)
    : spec_(spec) {
  tuning_ = tuned_shape(spec);
  // Elsewhere the compiler wants more registers.
  if (facts.major != 9) tuning_.generations = 6;
  if (tuning.generations) tuning_.generations = tuning.generations;
  if (tuning.group) tuning_.group = tuning.group;
  const int depth = tuning_.generations;
  const bool torus = spec.boundary == Boundary::torus;

  grid_.width = spec.width;
  grid_.height = spec.height;
  grid_.words = ceil_div(spec.width, 64);
  grid_.units = ceil_div(spec.width, kUseful);
  grid_.last = spec.width - (grid_.units - 1) * kUseful;
  const std::int64_t lanes = std::min(ceil_div(grid_.last + 2 * kHalo, kLane), kLanes);
  // An odd number of lines of the cache, lest rows fall on the same sets of it.
  const std::int64_t row = (ceil_div(((grid_.units - 1) * kLanes + lanes) * kBytes, 128) | 1) * 128;
  if (row > std::numeric_limits<u32>::max()) {
    throw UnsupportedError("kernel march: rows of " + std::to_string(spec.width) +
                           " cells are too long; it takes up to 2^34");
  }
  grid_.stride = row / 4;
  const std::int64_t wrap = spec.height >= 4 ? spec.height : ceil_div(4, spec.height) * spec.height;
  // A four of rows from any row on before the same come again; and what follows the last lane.
  grid_.storage = (wrap + 3) * row;

  const MarchPlan plan = plan_of(grid_.units, lanes, spec.height, depth, facts);
  run_.one = 1;
  run_.minus_two = ~1u;
  run_.pitch = static_cast<u32>(row);
  run_.warps = static_cast<u32>(plan.warps);
  run_.whole = static_cast<u32>(plan.whole);
  run_.segments = static_cast<u32>(plan.segments);
  rows_ = plan.rows;
  run_.wrap = static_cast<u32>(wrap);
  run_.lanes = static_cast<u32>(lanes);
  run_.share = static_cast<u32>(std::max<std::int64_t>(plan.share, 1));
  // Positions within the last window.
  const std::int64_t west = grid_.last, east = kHalo + grid_.last;
  run_.west_lane = static_cast<u32>(west / kLane);
  run_.west_byte = static_cast<u32>(west % kLane / 32);
  run_.east_lane = static_cast<u32>(east / kLane);
  run_.east_byte = static_cast<u32>(east % kLane / 32);
  // A lane has one door.
  run_.joined = torus && spec.width % 32 == 0 && run_.east_lane > 0;
  fills_ = torus && !run_.joined;

  const double speed = 1e-3 * kLanes * kLane * 1e3 * (facts.clock_khz > 0 ? facts.clock_khz : 1e6);
  generation_seconds_ = rows_of_time(plan, depth, facts) * kLanes * kLane / speed;
}

bool MarchStepper::has_rows_below() const {
  return spec_.boundary == Boundary::torus && spec_.height % 4 != 0;
}

bool MarchStepper::fills_below() const {
  // In a higher grid no four of rows goes beyond those that the last segment makes.
  constexpr std::int64_t kLow = 64;
  return has_rows_below() && spec_.height < kLow;
}

KernelSource MarchStepper::services() const {
  return {"services.cu", {{"layout.cuh", "#include \"layout_march.cuh\"\n"}}, {}};
}

KernelSource MarchStepper::source() const {
  const bool plane = spec_.boundary == Boundary::plane;
  return {"march.cu",
          {{"rule.cuh", rule_header(spec_.rule)}},
          {"-DTESSERA_T=" + std::to_string(tuning_.generations),
           "-DTESSERA_LONG=" + std::to_string(has_long_circuit(spec_.rule)),
           "-DTESSERA_WARPS=" + std::to_string(tuning_.group),
           // The word of the column just outside a plane.
           "-DTESSERA_LAST_WORD=" + std::to_string(plane ? spec_.width % 4 : 0),
           std::string("-DTESSERA_TORUS=") + (plane ? "0" : "1")}};
}

void MarchStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream&) {
  device_ = std::move(device);
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_sides_ = module_->function("fill_sides");
  fill_below_ = module_->function("fill_below");
}

MarchRun MarchStepper::pass(std::int64_t generations) const {
  MarchRun run = run_;
  run.generations = static_cast<u32>(generations);
  run.ahead = static_cast<u32>(ceil_div(generations, 4) * 4);
  run.fours = static_cast<u32>(ceil_div(rows_ + run.ahead + generations, 4));
  return run;
}

LaunchShape MarchStepper::shape() const {
  return {ceil_div(run_.warps, tuning_.group), static_cast<unsigned>(32 * tuning_.group)};
}

void MarchStepper::queue_fill_below(const Cells& cells, const Stream& stream) {
  const std::int64_t words = (run_.wrap + 3 - grid_.height) * grid_.stride;
  launch_overlapping(fill_below_, {blocks_for(*device_, words, kThreads), kThreads}, stream,
                     "fill_below of march", grid_, cells.front.as<u32>(), run_.wrap);
}

void MarchStepper::queue_pass(Cells& cells, std::int64_t generations, const Stream& stream) {
  MarchRun run = pass(generations);
  run.from = cells.front.as<u32>();
  run.to = cells.back.as<u32>();
  if (fills_sides()) {
    launch_overlapping(fill_sides_,
                       {blocks_for(*device_, 4 * std::int64_t{rows_made()}, kThreads), kThreads},
                       stream, "fill_sides of march", grid_, cells.front.as<u32>(), rows_made());
  }
  if (fills_below()) queue_fill_below(cells, stream);
  launch_overlapping(step_, shape(), stream, "march", grid_, run);
  cells.front.swap(cells.back);
}

void MarchStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  if (stale_rows_ && has_rows_below()) queue_fill_below(cells, stream);
  stale_rows_ = false;
  const std::int64_t depth = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(longest_launch_ / generation_seconds_), 1, tuning_.generations);
  constexpr std::int64_t kPasses =
      32;  // in a graph; an even number ends in the buffer where it began
  const bool graph = static_cast<double>(kPasses * depth) * generation_seconds_ < longest_launch_;
  if (graph && generations >= kPasses * depth && recorded_ != cells.front.at()) {
    recorded_ = 0;
    passes_.record(stream, [&] {
      for (std::int64_t i = 0; i < kPasses; i++) queue_pass(cells, depth, stream);
    });
    recorded_ = cells.front.at();
  }
  for (; graph && generations >= kPasses * depth; generations -= kPasses * depth)
    passes_.launch(stream);
  for (; generations > 0; generations -= std::min(generations, depth))
    queue_pass(cells, std::min(generations, depth), stream);
}

}  // namespace tessera::cuda
