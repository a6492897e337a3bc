#include "backends/cuda/cascade_stepper.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/rules/found_programs.h"
#include "core/rules/state_program.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

namespace {

constexpr int kMostReach = 32;  // as many columns as a window has beside its own

int planes_of(const Rule& rule) {
  const std::vector<std::uint16_t> codes = state_codes(rule);
  return std::bit_width(static_cast<unsigned>(std::ranges::max(codes)));
}

// Of a warp: as many stages as registers, of which a word of a stage takes one for each plane and
// four for its codes.
int stages_for(int planes) { return planes <= 4 ? 4 : planes <= 9 ? 3 : 2; }

std::int64_t blocks_of_multiprocessor(const Tuning& tuning) {
  return std::max<std::int64_t>(1, kRegisterWarps / tuning.group);
}

std::int64_t blocks_at_once(const Tuning& tuning, const DeviceFacts& facts) {
  return blocks_of_multiprocessor(tuning) * std::max(1, facts.multiprocessors);
}

unsigned room_of(int warps, int planes, int rows) {
  return cascade_room(static_cast<u32>(warps), static_cast<u32>(planes), 2 * kWindowShare,
                      static_cast<u32>(rows));
}

// That a warp takes between two meetings of its block: as many as the blocks of a multiprocessor
// have the memory for, of which each takes a KB more.
int rows_at_a_time(const Tuning& tuning, int planes, const DeviceFacts& facts) {
  constexpr std::int64_t kOfSystem = 1024;
  return room_of(tuning.group, planes, 4) <=
                 (facts.shared + kOfSystem) / blocks_of_multiprocessor(tuning) - kOfSystem
             ? 4
             : 2;
}

Tuning tuned_shape(int planes) {
  Tuning shape;
  shape.group = 8;
  shape.generations = std::min(kMostReach, shape.group * stages_for(planes));
  return shape;
}

// Beside the rows of a segment: those above and below it, those of the warps before, and the time
// of a few for a launch.
double more_rows(const Tuning& tuning, int rows) {
  constexpr double kStart = 8;
  return 2 * tuning.generations + (tuning.group - 1) * rows + kStart;
}

}  // namespace

KernelInfo CascadeStepper::kernel_info() {
  KernelInfo info{
      "cascade",
      "rows stream through stages of registers, from warp to warp of a block; for several states",
      {{&Tuning::generations, "generations", "generations per pass", {8, 16, 24, 32}},
       {&Tuning::group, "warps", "warps per block, one after the other", {2, 4, 8}}}};
  info.any_rule = true;
  return info;
}

bool CascadeStepper::suits(const BackendSpec& spec, const DeviceFacts& facts) {
  const bool takes = !has_one_circuit(spec) && !spec.odd_rule && spec.plain_edges() &&
                     march_takes(spec.width) && spec.rule.states() > 2;
  if (facts.major != 9 || !takes || spec.tiles || spec.halo_rows > 0) return false;
  // Measured on compute capability 9.0 alone: the part of its time for which all lanes step rows of
  // the grid, from which it is faster than strips. Of few planes strips can step large tiles.
  const int planes = planes_of(spec.rule);
  // To fill the columns beside a ragged torus takes a seventh.
  const double least = planes > 4 ? 0.54 : planes > 3 ? 0.72 : planes > 2 ? 0.82 : 0.9;
  const MarchLayout layout = march_layout(spec, "cascade");
  const double filled = layout.fills ? 0.85 : 1;
  const Tuning shape = tuned_shape(planes);
  const int batch = rows_at_a_time(shape, planes, facts);
  if (room_of(shape.group, planes, batch) > facts.shared) return false;
  const std::int64_t at_once = blocks_at_once(shape, facts);
  const double more = more_rows(shape, batch);
  const double time = march_plan(layout, at_once, more).rows_of_time(at_once, more) *
                      static_cast<double>(at_once * kWindowColumns);
  const double cells = static_cast<double>(spec.width) * static_cast<double>(spec.height);
  return filled * cells >= least * time;
}

CascadeStepper::CascadeStepper(const BackendSpec& spec, const Tuning& tuning,
                               const DeviceFacts& facts)
    : spec_(spec), search_(spec) {
  if (spec.odd_rule) throw UnsupportedError("kernel cascade: two rules in turns are not for it");
  planes_ = planes_of(spec.rule);
  tuning_ = tuned_shape(planes_);
  if (tuning.group) {
    tuning_.group = tuning.group;
    tuning_.generations = std::min(kMostReach, tuning.group * stages_for(planes_));
  }
  if (tuning.generations) tuning_.generations = tuning.generations;
  if (tuning_.generations % tuning_.group != 0) {
    throw UnsupportedError("kernel cascade: " + std::to_string(tuning_.generations) +
                           " generations are not the same for each of " +
                           std::to_string(tuning_.group) + " warps");
  }
  batch_ = rows_at_a_time(tuning_, planes_, facts);
  const unsigned room = room_of(tuning_.group, planes_, batch_);
  if (room > facts.shared) {
    throw UnsupportedError("kernel cascade: a block needs " + std::to_string(room) +
                           " bytes of shared memory for " + std::to_string(planes_) +
                           " planes; on this device it may have " + std::to_string(facts.shared));
  }
  layout_ = march_layout(spec, "cascade");
  grid_ = layout_.grid;
  grid_.storage = planes_ * grid_.height * layout_.row;
  const std::int64_t at_once = blocks_at_once(tuning_, facts);
  const double more = more_rows(tuning_, batch_);
  plan_ = march_plan(layout_, at_once, more);
  // Of a row of all blocks in a generation, on the average of some rules.
  constexpr double kRowCycles = 50;
  const double kilohertz = facts.clock_khz > 0 ? facts.clock_khz : 1e6;
  generation_seconds_ = kRowCycles * plan_.rows_of_time(at_once, more) / (1e3 * kilohertz);
}

std::vector<std::uint16_t> CascadeStepper::codes() const { return state_codes(spec_.rule); }

KernelSource CascadeStepper::services() const {
  return {"services.cu",
          {{"layout.cuh", "#include \"layout_march.cuh\"\n"}},
          {"-DTESSERA_PLANES=" + std::to_string(planes_)}};
}

KernelSource CascadeStepper::source() const {
  const bool plane = spec_.boundary == Boundary::plane;
  return {
      "cascade.cu",
      {{"rule.cuh", program_header(state_program(spec_.rule, ready_program(spec_.rule)))}},
      {"-DTESSERA_T=" + std::to_string(tuning_.generations),
       "-DTESSERA_WARPS=" + std::to_string(tuning_.group),
       "-DTESSERA_BLOCKS=" + std::to_string(blocks_of_multiprocessor(tuning_)),
       "-DTESSERA_ROWS=" + std::to_string(batch_), "-DTESSERA_REACH=" + std::to_string(kMostReach),
       // The word of the column just outside a plane.
       "-DTESSERA_LAST_WORD=" + std::to_string(plane ? spec_.width % 4 : 0),
       std::string("-DTESSERA_TORUS=") + (plane ? "0" : "1")}};
}

void CascadeStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream&) {
  device_ = std::move(device);
  load();
}

void CascadeStepper::load() {
  search_.loaded();
  recorded_ = 0;
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  step_some_ = module_->function("step_some");
  fill_sides_ = module_->function("fill_sides");
  for (const CUfunction function : {step_, step_some_})
    allow_shared(function, shape().shared, "cascade");
}

CascadeRun CascadeStepper::pass(std::int64_t generations) const {
  CascadeRun run{};
  run.march = march_run(layout_, plan_);
  run.march.generations = static_cast<u32>(generations);
  run.plane = static_cast<u64>(grid_.storage / planes_);
  // Segments are shared out evenly.
  const std::int64_t rows = ceil_div(grid_.height, plan_.segments) + 2 * generations;
  run.batches = static_cast<u32>(ceil_div(rows, batch_));
  return run;
}

LaunchShape CascadeStepper::shape() const {
  LaunchShape shape{plan_.warps, static_cast<unsigned>(32 * tuning_.group)};
  shape.shared = room_of(tuning_.group, planes_, batch_);
  return shape;
}

void CascadeStepper::queue_pass(Cells& cells, std::int64_t generations, const Stream& stream) {
  CascadeRun run = pass(generations);
  run.march.from = cells.front.as<u32>();
  run.march.to = cells.back.as<u32>();
  if (fills_sides()) {
    launch_overlapping(
        fill_sides_,
        {blocks_for(*device_, 4 * std::int64_t{rows_filled()}, kFillThreads), kFillThreads}, stream,
        "fill_sides of cascade", grid_, cells.front.as<u32>(), rows_filled());
  }
  launch_overlapping(generations < tuning_.generations ? step_some_ : step_, shape(), stream,
                     "cascade", grid_, run);
  cells.front.swap(cells.back);
}

void CascadeStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  if (search_.due(static_cast<double>(generations) * generation_seconds_)) {
    stream.synchronize("stepping with kernel cascade");
    load();
  }
  const std::int64_t depth = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(longest_launch_ / generation_seconds_), 1, tuning_.generations);
  constexpr std::int64_t kPasses = 32;  // in a graph; an even number ends where it began
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
