#include "backends/cpu/compiled_backend.h"

#include "backends/cpu/strip_tuning.h"

namespace tessera {

KernelInfo CompiledBackend::kernel_info() {
  KernelInfo info{"compiled",
                  "any rule of range 1 and up to 256 states as machine code of its own, made by "
                  "Xbyak: vectors of strips, several generations per pass, bands over threads",
                  strip_parameters()};
  info.any_rule = info.two_rules = info.crews = true;
  return info;
}

}  // namespace tessera
