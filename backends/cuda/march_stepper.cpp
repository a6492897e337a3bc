#include "backends/cuda/march_stepper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/cuda/march_plan.h"
#include "backends/cuda/rule_source.h"
#include "core/rules/rule_circuit.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

namespace {

constexpr int kMarchReach = 8;
constexpr std::int64_t kRelayRings = 64;  // of counters
// A launch of relay fills and empties its stages once more than it has passes.
constexpr std::int64_t kFewPasses = 4;

// Gates behind the counts; Life's own circuit has none.
std::size_t tail_of(const Rule& rule) {
  return rule == kLife ? 0 : find_rule_circuit(rule).gates.size();
}

// The longest circuits leave the multipliers the most time; march_stages.cuh says what for.
bool has_long_circuit(const Rule& rule) { return tail_of(rule) >= 6; }

// Relay keeps addresses beside it; in a ring beside Life's alone.
bool has_short_circuit(const Rule& rule) { return tail_of(rule) <= 3; }

// On the logic pipe, for a word.
double gates_of(const Rule& rule) {
  return rule == kLife ? 8 : 6 + static_cast<double>(tail_of(rule));
}

std::int64_t warps_of(const DeviceFacts& facts) {
  return kRegisterWarps * std::max(1, facts.multiprocessors);
}

// Measured on compute capability 9.0 alone, whose multiprocessors have the shared memory, and with
// passes of eight generations.
std::optional<RelayPlan> relay_of(const BackendSpec& spec, const Tuning& tuning,
                                  const DeviceFacts& facts) {
  if (facts.major != 9 || spec.boundary != Boundary::torus || spec.width % 32 != 0 ||
      spec.height % 4 != 0 || tuning.generations != kMarchReach) {
    return std::nullopt;
  }
  const MarchLayout layout = march_layout(spec, "march");
  if (!layout.run.joined) return std::nullopt;
  return relay_plan(march_windows(layout.grid.units, layout.lanes, kRelayShare), spec.height,
                    tuning.generations, warps_of(facts));
}

// Of the own rows of a band that stands in a ring.
std::optional<RelayPlan> ring_of(const BackendSpec& spec, const Tuning& tuning,
                                 const DeviceFacts& facts) {
  if (!spec.peer_bands || spec.halo_rows >= spec.height) return std::nullopt;
  BackendSpec own = spec;
  own.height -= spec.halo_rows;
  own.halo_rows = 0;
  return relay_of(own, tuning, facts);
}

// Beside the rows of a segment, those above and below it, and the time of a few for its launch.
double more_rows(int depth) {
  constexpr double kStart = 8;
  return 2 * depth + kStart;
}

// As MarchPlan::rows_of_time, fitted to six tori of Life from 16384^2 to 65536^2, and four of
// longer rules. The end of a pass costs the time of some rows.
double rows_of_time(const RelayPlan& plan, const Rule& rule) {
  const auto rows = static_cast<double>(plan.rows());
  return has_short_circuit(rule) ? 1.002 * rows + 10 : 1.05 * rows + 8;
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
  // At the ends of segments a plane takes longer, and of bands strips needs less for an exchange.
  // Of what relay takes these rows are at least a part.
  const bool takes = has_one_circuit(spec) && spec.plain_edges() && march_takes(spec.width);
  if (facts.major != 9 || !takes || spec.tiles) return false;
  const Tuning shape = tuned_shape(spec);
  const std::optional<RelayPlan> ring = ring_of(spec, shape, facts);
  const bool band = spec.halo_rows > 0 && !ring;
  const double least_rows = spec.boundary == Boundary::plane ? 200 : band ? 115 : 90;
  constexpr double kLeastPart = 0.76;
  const double windows = static_cast<double>(spec.width) / kWindowColumns;
  const std::int64_t height = ring ? spec.height - spec.halo_rows : spec.height;
  const double rows = windows * static_cast<double>(height) / static_cast<double>(warps_of(facts));
  const std::optional<RelayPlan> relay = ring ? ring : relay_of(spec, shape, facts);
  return windows >= 2 && (rows >= least_rows ||
                          (relay && !band && rows >= kLeastPart * rows_of_time(*relay, spec.rule)));
}

MarchStepper::MarchStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts)
    : spec_(spec) {
  tuning_ = tuned_shape(spec);
  // Elsewhere the compiler wants more registers.
  if (facts.major != 9) tuning_.generations = 6;
  if (tuning.generations) tuning_.generations = tuning.generations;
  if (tuning.group) tuning_.group = tuning.group;
  const int depth = tuning_.generations;

  const MarchLayout layout = march_layout(spec, "march");
  grid_ = layout.grid;
  const std::int64_t wrap = spec.height >= 4 ? spec.height : ceil_div(4, spec.height) * spec.height;
  // A four of rows from any row on before the same come again; and what follows the last lane.
  grid_.storage = (wrap + 3) * layout.row;

  const MarchPlan plan = march_plan(layout, warps_of(facts), more_rows(depth));
  run_ = march_run(layout, plan);
  run_.wrap = static_cast<u32>(wrap);
  rows_ = plan.rows;
  fills_ = layout.fills;

  // Of a row of all warps in a pass. Fitted to Life; 128 would be a logic pipe without gaps.
  constexpr double kGateCycles = 150;
  const double kilohertz = facts.clock_khz > 0 ? facts.clock_khz : 1e6;
  row_seconds_ = kGateCycles / kMarchReach * depth * gates_of(spec.rule) / (1e3 * kilohertz);
  const double rows = plan.rows_of_time(warps_of(facts), more_rows(depth));
  own_relay_ = relay_of(spec, tuning_, facts);
  if (own_relay_ && rows_of_time(*own_relay_, spec.rule) > rows) own_relay_.reset();
  ring_plan_ = ring_of(spec, tuning_, facts);
  relay_ = own_relay_;
  generation_seconds_ = row_seconds_ / depth * (relay_ ? rows_of_time(*relay_, spec.rule) : rows);
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
  return source_of("march.cu", has_long_circuit(spec_.rule) ? 1 : 0);
}

KernelSource MarchStepper::relay_source() const {
  return source_of("relay.cu", has_long_circuit(spec_.rule) ? 2 : 0);
}

KernelSource MarchStepper::source_of(const char* file, int long_text) const {
  const bool plane = spec_.boundary == Boundary::plane;
  return {file,
          {{"rule.cuh", rule_header(spec_.rule)}},
          {"-DTESSERA_T=" + std::to_string(tuning_.generations),
           "-DTESSERA_LONG=" + std::to_string(long_text),
           "-DTESSERA_SHORT=" +
               std::to_string(in_ring_ ? spec_.rule == kLife : has_short_circuit(spec_.rule)),
           "-DTESSERA_WARPS=" + std::to_string(tuning_.group),
           "-DTESSERA_RING=" + std::to_string(in_ring_),
           // The word of the column just outside a plane.
           "-DTESSERA_LAST_WORD=" + std::to_string(plane ? spec_.width % 4 : 0),
           std::string("-DTESSERA_TORUS=") + (plane ? "0" : "1")}};
}

// Two passes, two rows for every stage.
std::int64_t MarchStepper::left_of_segment() const {
  return 4 * tuning_.generations * grid_.stride * 4;
}

std::int64_t MarchStepper::left_bytes() const {
  return relay_ ? relay_->segments * left_of_segment() : 0;
}

std::int64_t MarchStepper::extra_bytes() const {
  std::int64_t segments = 0;
  if (own_relay_) segments = own_relay_->segments;
  if (ring_plan_) segments = std::max(segments, ring_plan_->segments);
  return segments > 0 ? segments * left_of_segment() + kRelayRings * kRelayRing * 4 : 0;
}

void MarchStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) {
  device_ = std::move(device);
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_sides_ = module_->function("fill_sides");
  fill_below_ = module_->function("fill_below");
  // A band may yet join a ring.
  if (relay_ && !ring_plan_) prepare_relay(stream);
}

// Without it where a device does not take all blocks at once, because others share it.
void MarchStepper::prepare_relay(const Stream& stream) {
  left_ = DeviceMemory();
  arrivals_ = DeviceMemory();
  relay_module_ = std::make_unique<Module>(device_, relay_source());
  relay_kernel_ = relay_module_->function("relay");
  const LaunchShape shape = relay_shape();
  allow_shared(relay_kernel_, shape.shared, "relay");
  int fit = 0;
  TESSERA_CUDA("asking how many blocks of relay fit", cuOccupancyMaxActiveBlocksPerMultiprocessor,
               &fit, relay_kernel_, 32 * tuning_.group, static_cast<std::size_t>(shape.shared));
  if (std::int64_t{fit} * device_->facts().multiprocessors < shape.blocks) {
    relay_.reset();
    return;
  }
  left_ = DeviceMemory(device_, stream, left_bytes(), "rows of relay");
  arrivals_ = DeviceMemory(device_, stream, kRelayRings * kRelayRing * 4, "counters of relay");
  relays_ = 0;
}

bool MarchStepper::enter_ring() {
  if (!ring_plan_ || band_.above < tuning_.generations ||
      grid_.height - band_.above - band_.below != spec_.height - spec_.halo_rows) {
    return false;
  }
  in_ring_ = true;
  relay_ = ring_plan_;
  return true;
}

std::optional<RingMemory> MarchStepper::open_ring(const Stream& stream) {
  if (!enter_ring()) return std::nullopt;
  const std::int64_t passes = passes_at_once(*relay_);
  if (passes >= kFewPasses) {
    prepare_relay(stream);
    told_ = DeviceMemory(device_, stream, 2 * sizeof(u32), "counters of a ring");
  }
  if (passes < kFewPasses || !relay_) {
    leave_ring();
    return std::nullopt;
  }
  return RingMemory{&left_, &told_, passes};
}

void MarchStepper::join_ring(const RelayRing& ring, std::int64_t passes) {
  ring_ = ring;
  ring_.told = told_.as<u32>();
  ring_.before = 0;
  ring_passes_ = passes;
}

void MarchStepper::leave_ring() {
  if (!in_ring_) return;
  in_ring_ = false;
  ring_passes_ = 0;
  relay_ = own_relay_;
  relay_module_.reset();
}

std::int64_t MarchStepper::uses_up() const {
  return ring_passes_ > 0 ? kFewPasses * tuning_.generations : RowPort::kNever;
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

RelayRun MarchStepper::relay_run(std::int64_t passes) const {
  RelayRun run{};
  run.march = run_;
  run.march.generations = static_cast<u32>(tuning_.generations);
  run.march.warps = static_cast<u32>(relay_->warps);
  run.march.whole = static_cast<u32>(relay_->windows.whole);
  run.march.segments = static_cast<u32>(relay_->segments);
  run.march.share = static_cast<u32>(std::max<std::int64_t>(relay_->windows.share, 1));
  run.passes = static_cast<u32>(passes);
  run.fours = static_cast<u32>(relay_->fours);
  run.longer = static_cast<u32>(relay_->longer);
  run.chunks = static_cast<u32>(relay_->chunks);
  run.lag = static_cast<u32>(relay_->lag);
  if (!in_ring_) return run;
  run.first_row = static_cast<u32>(band_.above - passes * tuning_.generations);
  run.ring = ring_;
  run.ring.warps = static_cast<u32>(relay_->windows.whole + (relay_->windows.share > 0 ? 1 : 0));
  return run;
}

LaunchShape MarchStepper::relay_shape() const {
  LaunchShape shape{ceil_div(relay_->warps, tuning_.group),
                    static_cast<unsigned>(32 * tuning_.group)};
  shape.shared = static_cast<unsigned>(tuning_.group) * kRelayRoom + kRelayMeeting;
  return shape;
}

double MarchStepper::pass_seconds(const RelayPlan& plan) const {
  return row_seconds_ * rows_of_time(plan, spec_.rule);
}

std::int64_t MarchStepper::passes_at_once(const RelayPlan& plan) const {
  return static_cast<std::int64_t>(longest_launch_ / pass_seconds(plan));
}

std::optional<double> MarchStepper::relay_seconds(std::int64_t generations) const {
  // A launch takes the time of some rows more than its passes: it starts, fills its stages once
  // more, and ends when the last warp does. Fitted to bands of four sizes on two H100s, where it is
  // 30 us, give or take 10.
  constexpr double kEnds = 50;
  const std::optional<RelayPlan>& plan = ring_plan_ ? ring_plan_ : relay_;
  if (!plan || generations < kFewPasses * tuning_.generations) return std::nullopt;
  const std::int64_t at_once = passes_at_once(*plan);
  if (at_once < kFewPasses) return std::nullopt;
  const std::int64_t passes = ceil_div(generations, tuning_.generations);
  return static_cast<double>(passes) * pass_seconds(*plan) +
         static_cast<double>(ceil_div(passes, at_once)) * kEnds * row_seconds_;
}

void MarchStepper::queue_relay(Cells& cells, RelayRun run, const Stream& stream) {
  run.even = cells.front.as<u32>();
  run.odd = cells.back.as<u32>();
  run.left = left_.as<u32>();
  // A ring after the other, so that few launches wait for their counters to be cleared.
  const std::int64_t ring = relays_++ % kRelayRings * kRelayRing;
  if (ring == 0) {
    TESSERA_CUDA("clearing the counters of relay", cuMemsetD32Async, arrivals_.at(), 0,
                 kRelayRings * kRelayRing, stream.get());
  }
  run.arrivals = arrivals_.as<u32>() + ring;
  launch_together(relay_kernel_, relay_shape(), stream, "relay", grid_, run);
  if (run.passes % 2 != 0) cells.front.swap(cells.back);
}

// The generations that are no whole pass come first: they leave enough of the halos.
void MarchStepper::step_ring(Cells& cells, std::int64_t generations, const Stream& stream) {
  const std::int64_t depth = tuning_.generations;
  if (const std::int64_t rest = generations % depth; rest > 0) queue_pass(cells, rest, stream);
  for (std::int64_t left = generations / depth; left > 0;) {
    const std::int64_t passes = std::min(left, ring_passes_);
    RelayRun run = relay_run(left);
    run.passes = static_cast<u32>(passes);
    queue_relay(cells, run, stream);
    // Each pass, and when the last one's stages end.
    ring_.before += (run.passes + 1) * run.ring.warps;
    left -= passes;
  }
}

void MarchStepper::queue_fill_below(const Cells& cells, const Stream& stream) {
  const std::int64_t words = (run_.wrap + 3 - grid_.height) * grid_.stride;
  launch_overlapping(fill_below_, {blocks_for(*device_, words, kFillThreads), kFillThreads}, stream,
                     "fill_below of march", grid_, cells.front.as<u32>(), run_.wrap);
}

void MarchStepper::queue_pass(Cells& cells, std::int64_t generations, const Stream& stream) {
  MarchRun run = pass(generations);
  run.from = cells.front.as<u32>();
  run.to = cells.back.as<u32>();
  if (fills_sides()) {
    launch_overlapping(
        fill_sides_,
        {blocks_for(*device_, 4 * std::int64_t{rows_made()}, kFillThreads), kFillThreads}, stream,
        "fill_sides of march", grid_, cells.front.as<u32>(), rows_made());
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
  if (generations >= uses_up()) return step_ring(cells, generations, stream);
  if (relay_ && !relay_module_) prepare_relay(stream);
  const std::int64_t at_once = relay_ ? passes_at_once(*relay_) : 0;
  while (depth == tuning_.generations && generations >= kFewPasses * depth &&
         at_once >= kFewPasses) {
    const std::int64_t passes = std::min(generations / depth, at_once);
    queue_relay(cells, relay_run(passes), stream);
    generations -= passes * depth;
  }
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
