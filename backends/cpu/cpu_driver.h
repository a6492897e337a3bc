#pragma once

#include "core/stepping/driver.h"

namespace tessera {

/// The CPU backend's driver; one device, always there. Kernels: simd (default), double-word, word,
/// reference.
const Driver& cpu_driver();

}  // namespace tessera
