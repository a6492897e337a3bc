#include "backends/cpu/simd_backend.h"

#include <utility>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_tuning.h"
#include "backends/cpu/tile_pool.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {

KernelInfo SimdBackend::kernel_info() {
  KernelInfo info{
      "simd",
      "vectors of strips, eight gates per word, several generations per pass, bands over threads",
      strip_parameters(), true};
  info.crews = true;
  return info;
}

std::unique_ptr<TilePool> SimdBackend::tiles() {
  return std::make_unique<CpuTilePool>(spec().rule, spec().max_memory,
                                       usable_threads(info().tuning));
}

const char* SimdBackend::target_name() { return strip_target(); }

std::int64_t SimdBackend::bytes_needed(const BackendSpec& spec) {
  return StripGrid::bytes_needed(spec, strip_tuning(spec, StripWork::of(spec.rule), {}));
}

double SimdBackend::expected_seconds(const BackendSpec& spec, const Tuning& tuning) {
  return strip_plan_here(spec, StripWork::of(spec.rule), tuning).nanoseconds * 1e-9;
}

SimdBackend::SimdBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning)
    : StepBackend(spec,
                  [&] {
                    info.tuning = strip_tuning(spec, StripWork::of(spec.rule), tuning);
                    return std::move(info);
                  }()),
      grid_(spec, this->info().tuning) {}

}  // namespace tessera
