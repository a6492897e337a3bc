#include "backends/cuda/resident_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "backends/cuda/rule_source.h"
#include "backends/cuda/strips_shape.h"
#include "core/base/error.h"
#include "core/stepping/backend_spec.h"

namespace tessera::cuda {

namespace {

constexpr std::int64_t kStrips = 32;  // of a word
constexpr int kMostWords = 96;        // of a lane
constexpr int kMostRoom = 220 << 10;  // bytes of shared memory of a block

// How a grid is cut into regions of some shape.
struct Cut {
  Tuning shape;
  std::int64_t across, down;
  double cost;  ///< cycles of a generation of Life, roughly
};

std::int64_t columns_of(const Tuning& t) { return kStrips * t.words * t.group; }
std::int64_t rows_of(const Tuning& t) { return kWarpLanes * t.rows; }

// The widest halo: what is left of regions; no wider than the smallest region's own rectangle, and
// a strip.
std::int64_t most_halo(const Tuning& t, const BackendSpec& spec, std::int64_t across,
                       std::int64_t down) {
  return std::min({(columns_of(t) - ceil_div(spec.width, across)) / 2,
                   (rows_of(t) - ceil_div(spec.height, down)) / 2, spec.width / across,
                   spec.height / down, std::int64_t{t.words} * t.group});
}

// Cycles of a generation of Life, and of its part of a meeting. Odd rows have no vectors in shared
// memory. Fitted to 13 shapes and sizes on an H100; the mean error is 2 % for three words, and 10 %
// for two.
double cost_of(const Tuning& t, std::int64_t halo) {
  constexpr double kGeneration = 140, kRow = 29, kWord = 29.3, kMeeting = 1880, kMeetingWord = 21;
  const double rows = t.rows * t.group / 8.0;
  return kGeneration + (t.rows % 2 == 0 ? 1 : 1.03) * rows * (kRow + kWord * t.words) +
         (kMeeting + kMeetingWord * rows * t.words) / static_cast<double>(halo);
}

// The best cut in that shape.
std::optional<Cut> cut(const Tuning& t, const BackendSpec& spec, const DeviceFacts& facts) {
  // A block a multiprocessor: several would meet at the same time, too.
  const std::int64_t most = std::max(1, facts.multiprocessors);
  if (resident_room(t.rows, t.group) > kMostRoom) return std::nullopt;
  if (spec.boundary == Boundary::plane && (spec.width < columns_of(t) || spec.height < rows_of(t)))
    return std::nullopt;
  std::optional<Cut> best;
  for (std::int64_t across = ceil_div(spec.width, columns_of(t));
       across <= std::min(most, spec.width); across++) {
    for (std::int64_t down = ceil_div(spec.height, rows_of(t));
         down <= std::min(most / across, spec.height); down++) {
      // A lane has rows of one halo at most.
      if (spec.height / down < t.rows) continue;
      std::int64_t halo = most_halo(t, spec, across, down);
      if (halo < std::max(1, t.generations)) continue;
      if (t.generations) halo = t.generations;
      Cut next{t, across, down, cost_of(t, halo)};
      next.shape.generations = static_cast<int>(halo);
      if (!best || next.cost < best->cost) best = next;
    }
  }
  return best;
}

std::optional<Cut> best_cut(const BackendSpec& spec, const Tuning& wanted,
                            const DeviceFacts& facts) {
  std::optional<Cut> best;
  const auto agrees = [](int field, int value) { return field == 0 || field == value; };
  const auto offer = [&](Tuning t) {
    t.generations = wanted.generations;
    if (const auto next = cut(t, spec, facts); next && (!best || next->cost < best->cost))
      best = next;
  };
  for (const Tuning& t : ResidentStepper::shapes()) {
    if (agrees(wanted.rows, t.rows) && agrees(wanted.words, t.words) &&
        agrees(wanted.group, t.group))
      offer(t);
  }
  if (!best && wanted.rows && wanted.words && wanted.group &&
      wanted.rows * wanted.words <= kMostWords)
    offer(wanted);
  return best;
}

}  // namespace

std::vector<Tuning> ResidentStepper::shapes() {
  std::vector<Tuning> shapes;
  for (int rows = 3; rows <= 25; rows++) shapes.push_back({0, rows, 3, 8, 0});
  for (int rows = 8; rows <= 24; rows += 2) shapes.push_back({0, rows, 2, 8, 0});
  return shapes;
}

KernelInfo ResidentStepper::kernel_info() {
  return {"resident",
          "the grid stays in the registers of all multiprocessors, many generations a launch",
          {{&Tuning::generations,
            "generations",
            "rows and columns of halo: generations between meetings",
            {},
            1,
            64},
           {&Tuning::rows, "rows", "rows of a lane", {}, 2, 31},
           {&Tuning::words, "words", "words of a row of a warp", {}, 1, 8},
           {&Tuning::group, "warps", "warps of a region", {}, 1, 16}}};
}

bool ResidentStepper::suits(const BackendSpec& spec, const DeviceFacts& facts) {
  // Measured on compute capability 9.0 alone, whose devices have 114 or 132 multiprocessors.
  constexpr int kFewest = 100, kMost = 150;
  constexpr double kMostPart = 0.95;
  const bool measured =
      facts.major == 9 && facts.multiprocessors >= kFewest && facts.multiprocessors <= kMost;
  const bool takes = has_one_circuit(spec) && spec.plain_edges();
  // A grid that is not known yet has no size.
  if (!measured || !takes || spec.tiles || spec.width < 1 || spec.height < 1) return false;
  const std::optional<Cut> cut = best_cut(spec, {}, facts);
  return cut && cut->cost < kMostPart * strips_shape(spec, {}, facts).cycles;
}

ResidentStepper::ResidentStepper(const BackendSpec& spec, const Tuning& tuning,
                                 const DeviceFacts& facts)
    : spec_(spec) {
  const std::optional<Cut> cut = best_cut(spec, tuning, facts);
  if (!cut) {
    throw UnsupportedError(fmt::format(
        "kernel resident: a grid of {}x{} cells needs regions that {} multiprocessors do not hold "
        "in "
        "registers; the limit is some {} cells, and a plane is no smaller than a region",
        spec.width, spec.height, facts.multiprocessors,
        std::int64_t{facts.multiprocessors} * 25 * kWarpLanes * 24 * kStrips));
  }
  tuning_ = cut->shape;
  grid_.width = spec.width;
  grid_.height = spec.height;
  grid_.words = ceil_div(spec.width, 64);
  grid_.units = cut->across;
  grid_.last = cut->down;
  grid_.left = grid_.above = tuning_.generations;
  grid_.storage = grid_.units * grid_.last * columns_of(tuning_) * rows_of(tuning_) / 8;
  generation_seconds_ = cut->cost / (facts.clock_khz > 0 ? 1e3 * facts.clock_khz : 1e9);
}

std::vector<std::string> ResidentStepper::layout_options() const {
  const char* torus = spec_.boundary == Boundary::torus ? "1" : "0";
  return {
      "-DTESSERA_W=" + std::to_string(tuning_.words), "-DTESSERA_R=" + std::to_string(tuning_.rows),
      "-DTESSERA_WARPS=" + std::to_string(tuning_.group), std::string("-DTESSERA_TORUS=") + torus};
}

KernelSource ResidentStepper::services() const {
  return {"services.cu", {{"layout.cuh", "#include \"layout_resident.cuh\"\n"}}, layout_options()};
}

KernelSource ResidentStepper::source() const {
  KernelSource source{"resident.cu", {{"rule.cuh", rule_header(spec_.rule)}}, layout_options()};
  return source;
}

std::int64_t ResidentStepper::row_bytes() const {
  return 2 * grid_.units * grid_.last * 2 * tuning_.group * resident_row_letters(tuning_.words) *
         grid_.above * 16;
}
std::int64_t ResidentStepper::column_bytes() const {
  return 2 * grid_.units * grid_.last * 2 * grid_.left * kWarpLanes * 8;
}
std::int64_t ResidentStepper::extra_bytes() const { return row_bytes() + column_bytes(); }

void ResidentStepper::prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) {
  device_ = std::move(device);
  module_ = std::make_unique<Module>(device_, source());
  kernel_ = module_->function("resident");
  allow_shared(kernel_, shape().shared, "resident");
  rows_ = DeviceMemory(device_, stream, row_bytes(), "rows of resident");
  columns_ = DeviceMemory(device_, stream, column_bytes(), "columns of resident");
  met_ = 0;
}

std::int64_t ResidentStepper::rounds(std::int64_t generations) const {
  return ceil_div(generations, grid_.left);
}

ResidentRun ResidentStepper::run(std::int64_t generations) const {
  ResidentRun run{};
  run.generations = static_cast<u32>(generations);
  run.two31 = 1u << 31;
  return run;
}

LaunchShape ResidentStepper::shape() const {
  LaunchShape shape{grid_.units * grid_.last, static_cast<unsigned>(32 * tuning_.group)};
  shape.shared = static_cast<unsigned>(resident_room(tuning_.rows, tuning_.group));
  return shape;
}

void ResidentStepper::step(Cells& cells, std::int64_t generations, const Stream& stream) {
  const auto at_once =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(longest_launch_ / generation_seconds_));
  for (; generations > 0; generations -= std::min(generations, at_once)) {
    const std::int64_t now = std::min(generations, at_once);
    ResidentRun run = this->run(now);
    run.cells = cells.front.as<u32>();
    run.rows = rows_.as<u32>();
    run.columns = columns_.as<u64>();
    run.met = met_;
    launch_together(kernel_, shape(), stream, "resident", grid_, run);
    met_ += static_cast<u32>(rounds(now));
  }
}

}  // namespace tessera::cuda
