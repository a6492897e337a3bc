#pragma once

#include <memory>

#include "core/driver.h"
#include "backends/cpu/word_backend.h"

namespace tessera {

struct SimdBackend {
  static const char* target_name() { return "scalar"; }
  static KernelInfo kernel_info() { return {"simd", "8-gate circuit over vectors", {}}; }
  static std::int64_t bytes_needed(const BackendSpec& spec) { return WordBackend::bytes_needed(spec); }
};
inline std::unique_ptr<StepBackend> make_simd_backend(const BackendSpec& spec, const BackendInfo& info, const Tuning&) {
  return std::make_unique<WordBackend>(spec, info, true);
}

}  // namespace tessera
