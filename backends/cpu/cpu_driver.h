#pragma once

#include "core/stepping/driver.h"

namespace tessera {

/// The CPU backend's driver. It always has exactly one device. Kernels: simd (default),
/// double-word, word, reference. Throws InputError where TESSERA_VECTORS names no instruction set
/// that this processor has.
const Driver& cpu_driver();

}  // namespace tessera
