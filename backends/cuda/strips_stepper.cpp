#include "backends/cuda/strips_stepper.h"

#include <algorithm>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "core/error.h"

namespace tessera::cuda {

namespace {

constexpr double kLongestLaunch = 0.05;  // seconds, by a low estimate of the speed

// Blocks that should fit a multiprocessor: fewer registers a thread for smaller tiles.
int blocks_an_sm(const Tuning& t) {
  const int words = t.words * t.rows;
  const int warps = words > 64 ? 8 : words > 32 ? 12 : words > 16 ? 16 : 20;
  return std::max(1, warps / t.group);
}

std::int64_t rows_owned(const Tuning& t) { return 32 * t.rows - 2 * t.generations; }

int vector_rows(int rows) { return rows % 4 == 0 ? 4 : rows % 2 == 0 ? 2 : 1; }

// Seconds a generation takes, roughly: what the logic pipe needs for all tiles, or one warp for its own, whichever is
// longer, and a share of the time that a pass spends waiting.
double estimate(const Tuning& t, std::int64_t width, std::int64_t height, const DeviceFacts& facts) {
  const double macros = static_cast<double>(ceil_div(width, 30 * t.words));
  const double rows = static_cast<double>(ceil_div(height, rows_owned(t)));
  const double cycles = 2.0 * t.words * t.rows * (8.4 * t.generations + 4);
  const double schedulers = 4.0 * facts.multiprocessors;
  const double alone = 1.35 * cycles;
  const double shared = 1.06 * cycles * macros * rows / schedulers;
  return (std::max(alone, shared) + 2500) / t.generations;
}

void check_range(const char* field, int value, const std::vector<int>& accepted) {
  if (value == 0 || std::find(accepted.begin(), accepted.end(), value) != accepted.end()) return;
  std::string list;
  for (const int a : accepted) list += (list.empty() ? "" : ", ") + std::to_string(a);
  throw InputError(std::string("kernel strips: ") + field + " " + std::to_string(value) + "; accepted are " + list +
                   ", or 0 for its own choice");
}

Tuning choose(const BackendSpec& spec, const Tuning& wanted, const DeviceFacts& facts) {
  const auto suits = [](int field, int value) { return field == 0 || field == value; };
  std::optional<Tuning> best;
  double least = 0;
  for (const Tuning& t : StripsStepper::tuned_shapes()) {
    if (!suits(wanted.generations, t.generations) || !suits(wanted.rows, t.rows) || !suits(wanted.words, t.words)) {
      continue;
    }
    const double cost = estimate(t, spec.width, spec.height, facts);
    if (!best || cost < least) best = t, least = cost;
  }
  Tuning out = best.value_or(Tuning{8, 8, 8, 4, 0});
  if (wanted.generations) out.generations = wanted.generations;
  if (wanted.rows) out.rows = wanted.rows;
  if (wanted.words) out.words = wanted.words;
  if (wanted.group) out.group = wanted.group;
  out.threads = 0;
  if (out.generations > out.words || out.generations % vector_rows(out.rows) != 0 || rows_owned(out) <= 0) {
    throw InputError("kernel strips: " + std::to_string(out.generations) + " generations with " +
                     std::to_string(out.rows) + " rows and " + std::to_string(out.words) +
                     " words: generations must not exceed words nor be 16 times the rows or more, and be a multiple of " +
                     std::to_string(vector_rows(out.rows)) + " with so many rows");
  }
  return out;
}

}  // namespace

KernelInfo StripsStepper::kernel_info() {
  return {"strips",
          "a tile of registers a warp, no shift between neighbours, many generations a pass, no barrier between passes",
          {{"generations", {2, 4, 8, 12, 16}},
           {"rows", {1, 2, 4, 8, 10, 12, 14, 16}},
           {"words", {4, 8, 12, 16}},
           {"group", {1, 2, 4, 8}}}};
}

std::vector<Tuning> StripsStepper::tuned_shapes() {
  return {{8, 12, 8, 4, 0}, {8, 8, 8, 4, 0}, {8, 4, 8, 4, 0}, {8, 2, 8, 4, 0}, {8, 1, 8, 4, 0}};
}

StripsStepper::StripsStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts)
    : spec_(spec), facts_(facts) {
  const KernelInfo info = kernel_info();
  check_range("generations", tuning.generations, info.ranges[0].values);
  check_range("rows", tuning.rows, info.ranges[1].values);
  check_range("words", tuning.words, info.ranges[2].values);
  check_range("group", tuning.group, info.ranges[3].values);
  tuning_ = choose(spec, tuning, facts);
  const std::int64_t macro = 30 * tuning_.words, margin = tuning_.generations;
  grid_.width = spec.width;
  grid_.height = spec.height;
  grid_.words = ceil_div(spec.width, 64);
  grid_.units = ceil_div(spec.width, macro);
  grid_.last = spec.width - (grid_.units - 1) * macro;
  grid_.above = 32;  // a whole 128-byte line, at least the margin
  grid_.left = 0;
  grid_.stride = ceil_div(grid_.above + spec.height + margin + 4, 32) * 32;
  grid_.storage = grid_.units * tuning_.words * grid_.stride * 4;
  // Tiles of equal height, so that none is short.
  const int vector = vector_rows(tuning_.rows);
  tile_rows_ = ceil_div(spec.height, rows_owned(tuning_));
  tile_height_ = ceil_div(ceil_div(spec.height, tile_rows_), vector) * vector;
  tile_rows_ = ceil_div(spec.height, tile_height_);
  const std::int64_t last_height = spec.height - (tile_rows_ - 1) * tile_height_;
  wide_ = grid_.last < tuning_.words || last_height < margin || tile_height_ < margin;
}

KernelSource StripsStepper::services() const {
  return {"services.cu",
          {{"layout.cuh", "#include \"layout_strips.cuh\"\n"}},
          {"-DTESSERA_W=" + std::to_string(tuning_.words)}};
}

KernelSource StripsStepper::source() const {
  return {"strips.cu",
          {{"rule.cuh", rule_header(spec_.rule)}},
          {"-DTESSERA_W=" + std::to_string(tuning_.words), "-DTESSERA_R=" + std::to_string(tuning_.rows),
           "-DTESSERA_T=" + std::to_string(tuning_.generations), "-DTESSERA_WARPS=" + std::to_string(tuning_.group),
           "-DTESSERA_BLOCKS=" + std::to_string(blocks_an_sm(tuning_)),
           std::string("-DTESSERA_TORUS=") + (spec_.boundary == Boundary::torus ? "1" : "0")}};
}

std::int64_t StripsStepper::extra_bytes() const { return (grid_.units * tile_rows_ + 1) * 4; }

void StripsStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) {
  device_ = std::move(device);
  done_ = DeviceMemory(device_, stream, grid_.units * tile_rows_ * 4, "the tiles' pass counts");
  counter_ = DeviceMemory(device_, stream, 4, "the counter of work items");
  module_ = std::make_unique<Module>(device_, source());
  step_ = module_->function("step");
  fill_margins_ = module_->function("fill_margins");
  int resident = 0;
  TESSERA_CUDA("asking how many blocks fit", cuOccupancyMaxActiveBlocksPerMultiprocessor, &resident, step_,
               32 * tuning_.group, std::size_t{0});
  blocks_ = std::min<std::int64_t>(std::int64_t{resident} * facts_.multiprocessors,
                                   ceil_div(grid_.units * tile_rows_, tuning_.group));
}

std::uint32_t StripsStepper::passes_a_launch() const {
  // A cautious guess of the speed: 32 cells in 16 operations of the logic pipe, 64 of them a cycle and multiprocessor.
  const double speed = 64.0 * facts_.multiprocessors * facts_.clock_khz * 1e3 * 32 / 16;
  const double pass = static_cast<double>(grid_.width) * static_cast<double>(grid_.height) * tuning_.generations / speed;
  const double items = static_cast<double>(grid_.units * tile_rows_);
  return static_cast<std::uint32_t>(
      std::max(1.0, std::min({kLongestLaunch / (pass + 5e-6), 4e9 / items - 1, 1e6})));
}

void StripsStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  if (stale_margins_ && spec_.boundary == Boundary::torus) {
    const std::int64_t items = grid_.units * tuning_.words * 2 * tuning_.generations;
    launch(fill_margins_, {blocks_for(*device_, items, 128), 128}, stream, "fill_margins of strips", grid_,
           cells.front.as<u32>());
  }
  stale_margins_ = false;
  const std::int64_t depth = tuning_.generations;
  while (generations > 0) {
    const std::int64_t passes = std::min<std::int64_t>(ceil_div(generations, depth), passes_a_launch());
    const std::int64_t made = std::min(generations, passes * depth);
    StripRun run{};
    run.front = cells.front.as<u32>();
    run.back = cells.back.as<u32>();
    run.done = done_.as<u32>();
    run.counter = counter_.as<u32>();
    run.base = passes_done_;
    run.steps = static_cast<u32>(passes);
    run.rest = static_cast<u32>(made - (passes - 1) * depth);
    run.tile_rows = static_cast<u32>(tile_rows_);
    run.tile_height = static_cast<u32>(tile_height_);
    run.wide = wide_;
    run.two = 2;
    run.two30 = 1u << 30;
    run.two31 = 1u << 31;
    run.four = 4;
    TESSERA_CUDA("resetting the counter of work items", cuMemsetD32Async, counter_.at(), 0u, std::size_t{1},
                 stream.get());
    launch(step_, {blocks_, static_cast<unsigned>(32 * tuning_.group)}, stream, "strips", grid_, run);
    passes_done_ += static_cast<std::uint32_t>(passes);
    if (passes % 2 != 0) cells.front.swap(cells.back);
    generations -= made;
  }
}

void StripsStepper::check_guards(const Stream& stream) const {
  done_.check_guards(stream);
  counter_.check_guards(stream);
}

}  // namespace tessera::cuda
