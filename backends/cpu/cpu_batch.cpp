#include "backends/cpu/cpu_batch.h"

#include <algorithm>

#include "backends/cpu/compiled_stepper.h"
#include "backends/cpu/cpu_driver.h"
#include "backends/cpu/strip_batch.h"
#include "core/base/error.h"

namespace tessera {
namespace {

// "simd" or "compiled" where the kernel is left open: machine code for all that is not Life.
std::string kernel_for(const BatchSpec& spec, const std::string& kernel) {
  if (kernel != "auto") return kernel;
  const bool plain =
      spec.each.rule == kLife || (CompiledStepper::missing() && spec.each.rule.outer_totalistic());
  return plain ? "simd" : "compiled";
}

}  // namespace

std::optional<std::string> cpu_batch_unsupported(const BatchSpec& spec, const std::string& kernel) {
  const std::string name = kernel_for(spec, kernel);
  if (name != "simd" && name != "compiled") return "the kernel " + name + " steps no batches";
  const auto why = StripBatch::unsupported(spec, name == "compiled");
  if (!why) return std::nullopt;
  return "the kernel " + name + " of cpu: " + *why;
}

std::unique_ptr<Batch> make_cpu_batch(const BatchSpec& spec, const std::string& kernel,
                                      const Tuning& tuning) {
  if (const auto why = cpu_batch_unsupported(spec, kernel)) throw UnsupportedError(*why);
  batch_bytes(spec);
  const std::string name = kernel_for(spec, kernel);
  const DeviceInfo device = cpu_driver().devices().devices.front();
  BatchSpec limited = spec;
  std::int64_t& limit = limited.each.max_memory;
  limit = limit > 0 ? std::min(limit, device.memory) : device.memory;
  const bool compiled = name == "compiled";
  return std::make_unique<StripBatch>(limited, BackendInfo{"cpu", device.name, name, {}},
                                      StripBatch::plan(limited, tuning, compiled), compiled);
}

}  // namespace tessera
