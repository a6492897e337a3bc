#include "backends/cpu/cpu_driver.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "backends/cpu/box_backend.h"
#include "backends/cpu/compiled_backend.h"
#include "backends/cpu/compiled_planes_backend.h"
#include "backends/cpu/cpu_ceiling.h"
#include "backends/cpu/gates_backend.h"
#include "backends/cpu/planes_backend.h"
#include "backends/cpu/reference_backend.h"
#include "backends/cpu/simd_backend.h"
#include "backends/cpu/span_backend.h"
#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_tuning.h"
#include "backends/cpu/table_backend.h"
#include "backends/cpu/transposed_backend.h"
#include "backends/cpu/vectors.h"
#include "backends/cpu/word_backend.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

std::int64_t physical_memory() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

// Whether `simd` steps the mirror image of a grid faster than the grid. Only small grids are
// turned, because reading their cells turns them back.
bool better_turned(const BackendSpec& spec, const Tuning& tuning) {
  if (spec.crew) return false;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 22;
  if (spec.width == spec.height || *BitGrid::bytes(spec.width, spec.height) > kMostBytes)
    return false;
  // Of a band rows come and go all the time: turning 96 of 16384 cells took 14 ms.
  if (spec.halo_rows > 0 && spec.width > spec.height) return false;
  return SimdBackend::expected_seconds(TransposedBackend::turned(spec), tuning) <
         0.98 * SimdBackend::expected_seconds(spec, tuning);
}

KernelInfo table_info() {
  KernelInfo info = GatesBackend::kernel_info();
  info.name = "table";
  info.summary =
      "rules of files: a byte per cell, and a walk through a graph of tables that is made while it "
      "is used, bands over threads";
  info.tiles = info.any_rule = info.near = false;
  info.files = true;
  return info;
}

KernelInfo sums_info() {
  KernelInfo info = GatesBackend::kernel_info();
  info.name = "sums";
  info.summary =
      "Larger than Life and HROT: counts run along from cell to cell, bit-sliced, as machine code "
      "where that can be made, bands over threads";
  info.any_rule = info.any_edges = info.near = false;
  info.ranges = true;
  return info;
}

class CpuDriver final : public Driver {
 public:
  const char* name() const override { return "cpu"; }

  DeviceList devices() const override {
    DeviceInfo device;
    device.name = processor_name();
    device.memory = physical_memory();
    device.properties = {{"hardware threads", std::to_string(std::thread::hardware_concurrency())},
                         {"vector instructions", SimdBackend::target_name()}};
    if (const auto why = CompiledStepper::missing())
      device.properties.emplace_back("kernel compiled", "missing: " + *why);
    return {{device}, ""};
  }

  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> all{SimdBackend::kernel_info()};
    if (!CompiledStepper::missing()) all.push_back(CompiledBackend::kernel_info());
    const KernelInfo others[] = {
        GatesBackend::kernel_info(),
        sums_info(),
        table_info(),
        {"double-word",
         "DOUBLE-WORD of Fujita et al. 2015: two 64-bit words in 59 operations, one thread",
         {}},
        {"word",
         "SINGLE-WORD of Fujita et al. 2015: a 64-bit word in 34 operations, one thread",
         {}},
        {.name = "reference",
         .summary = "one byte per cell, plain counting; the judge of all others",
         .parameters = {},
         .tiles = false,
         .any_rule = true,
         .any_edges = true,
         .two_rules = true,
         .ranges = true,
         .files = true},
    };
    all.insert(all.end(), std::begin(others), std::end(others));
    return all;
  }

  // Machine code for all that is not Life. Tiles are stepped by `simd` where it knows the rule.
  std::string default_kernel(int device, const BackendSpec& spec) const override {
    if (spec.rule.from_file()) return Driver::default_kernel(device, spec);
    const bool ranged = spec.ranged();
    if (ranged && SpanBackend::refusal(spec)) return "reference";
    if (!ranged && spec.odd_rule && spec.rule.states() > 2)
      return GateRunner::refusal(spec) ? "reference" : "gates";
    if (spec.tiles && !ranged && !has_one_circuit(spec)) return "gates";
    const bool special = spec.rule == kLife || ranged || spec.tiles;
    if (!special && !CompiledStepper::missing() && spec.plain_edges()) return "compiled";
    return Driver::default_kernel(device, spec);
  }

  // Of bands alone: other grids take twice as long for twice as many generations.
  std::optional<double> step_seconds(int, const BackendSpec& spec, const std::string& kernel,
                                     const Tuning& tuning,
                                     std::int64_t generations) const override {
    if (spec.halo_rows == 0 || spec.rule.ranged() || spec.rule.from_file()) return std::nullopt;
    if (kernel == "simd" && has_one_circuit(spec) && !better_turned(spec, tuning))
      return band_seconds_here(spec, StripWork::of(spec.rule), tuning, generations);
    if (kernel != "compiled" || CompiledStepper::missing()) return std::nullopt;
    const auto planes = static_cast<int>(spec.rule.planes());
    return band_seconds_here(spec, StripWork::of_gates(StripWork::kUsualGates, planes), tuning,
                             generations);
  }

  std::optional<Ceiling> measure_ceiling(int) const override { return measure_cpu_ceiling(); }
  std::vector<std::pair<std::string, std::string>> clocks(int) const override {
    return cpu_clocks();
  }

 private:
  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    if (device != 0)
      throw UnsupportedError("there is one CPU device, cpu:0, not cpu:" + std::to_string(device));
    const std::string size = std::to_string(spec.width) + "x" + std::to_string(spec.height);
    if (!BitGrid::bytes(spec.width, spec.height) || spec.width > kMaxCpuSide ||
        spec.height > kMaxCpuSide) {
      throw UnsupportedError("a grid of " + size + " cells is too large: sides from 1 to " +
                             std::to_string(kMaxCpuSide) + " and up to 2^46 bytes are supported");
    }
    if (kernel == "compiled" && spec.odd_rule && spec.rule.states() > 2)
      throw UnsupportedError("the kernel compiled of cpu steps two rules in turns of two states");
    if (const auto why = GateRunner::refusal(spec); why && kernel == "gates")
      throw UnsupportedError("the kernel gates of cpu does not step " + *why);
    if (kernel == "sums") {
      if (const auto rule = SpanBackend::refusal(spec)) {
        throw UnsupportedError(
            "the kernel sums of cpu steps rules in turns that count their neighbours, and " +
            to_string(*rule) + " looks at how they lie");
      }
    }
    const bool turned = kernel == "simd" && better_turned(spec, tuning);
    const std::int64_t needed = bytes_needed(kernel, spec, turned);
    const std::int64_t machine = physical_memory();
    const std::int64_t limit = spec.max_memory > 0 ? std::min(spec.max_memory, machine) : machine;
    if (needed > limit) {
      throw UnsupportedError("a grid of " + size + " cells needs " + memory_text(needed) +
                             " with kernel " + kernel + "; " + memory_text(limit) +
                             (limit == machine ? " is what this machine has" : " is the limit"));
    }
    return [=, spec = limited(spec, limit)]() -> std::unique_ptr<StepBackend> {
      const BackendInfo info{"cpu", processor_name(), kernel, {}};
      if (kernel == "reference") return std::make_unique<ReferenceBackend>(spec, info);
      if (kernel == "compiled" && spec.rule.states() > 2)
        return std::make_unique<CompiledPlanesBackend>(spec, info, tuning);
      if (kernel == "compiled") return std::make_unique<CompiledBackend>(spec, info, tuning);
      if (kernel == "table") return std::make_unique<TableBackend>(spec, info, tuning);
      if (kernel == "sums" && BoxBackend::takes(spec, strip_lanes()))
        return std::make_unique<BoxBackend>(spec, info, tuning, strip_lanes());
      if (kernel == "sums") return std::make_unique<SpanBackend>(spec, info, tuning);
      if (kernel == "gates" && spec.rule.states() > 2)
        return std::make_unique<PlanesBackend>(spec, info, tuning);
      if (kernel == "gates") return std::make_unique<GatesBackend>(spec, info, tuning);
      if (kernel != "simd")
        return std::make_unique<WordBackend>(spec, info, kernel == "double-word");
      if (!turned) return std::make_unique<SimdBackend>(spec, info, tuning);
      return std::make_unique<TransposedBackend>(
          spec, std::make_unique<SimdBackend>(TransposedBackend::turned(spec), info, tuning));
    };
  }

  static BackendSpec limited(BackendSpec spec, std::int64_t limit) {
    spec.max_memory = limit;
    return spec;
  }

  static std::int64_t bytes_needed(const std::string& kernel, const BackendSpec& spec,
                                   bool turned) {
    if (kernel == "reference") return ReferenceBackend::bytes_needed(spec);
    if (kernel == "compiled") return CompiledStepper::bytes_needed(spec);
    if (kernel == "table") return TableBackend::bytes_needed(spec);
    if (kernel == "sums" && BoxBackend::takes(spec, strip_lanes()))
      return BoxBackend::bytes_needed(spec).value_or(std::int64_t{1} << 60);
    if (kernel == "sums") return SpanBackend::bytes_needed(spec);
    if (spec.rule.states() > 2) return PlanesBackend::bytes_needed(spec);
    if (kernel != "simd") return RingedBackend::bytes_needed(spec);
    if (!turned) return SimdBackend::bytes_needed(spec);
    return SimdBackend::bytes_needed(TransposedBackend::turned(spec)) +
           2 * *BitGrid::bytes(spec.width, spec.height);
  }

  static constexpr std::int64_t kMaxCpuSide = std::int64_t{1} << 40;
};

}  // namespace

const Driver& cpu_driver() {
  limit_vectors_as_asked();
  static const CpuDriver kDriver;
  return kDriver;
}

}  // namespace tessera
