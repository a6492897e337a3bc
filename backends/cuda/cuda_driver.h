#pragma once

#include "core/stepping/driver.h"

namespace tessera {

/// The CUDA backend's driver: NVIDIA GPUs through the driver library found at run time and kernels
/// compiled by NVRTC.
const Driver& cuda_driver();

}  // namespace tessera
