#pragma once

#include "core/stepping/driver.h"

namespace tessera {

/// The CPU backend's driver. It always has exactly one device. Kernels: simd (default),
/// double-word, word, reference.
const Driver& cpu_driver();

}  // namespace tessera
