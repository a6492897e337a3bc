#include "backends/cpu/compiled_planes_backend.h"

namespace tessera {

CompiledPlanesBackend::CompiledPlanesBackend(const BackendSpec& spec, BackendInfo info,
                                             const Tuning& tuning, std::int64_t patience)
    : CompiledPlanesBackend(
          spec, CompiledStepper::tuned(info, spec, tuning),
          std::make_unique<CompiledStepper>(spec, CompiledStepper::tuned(info, spec, tuning).tuning,
                                            patience)) {}

}  // namespace tessera
