#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_device.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// What a GPU can do at most: LOP3 alone in eight chains a thread (kernels/ceiling.cu), and a copy
/// within its memory. Best of five, by the device's clock. Throws DeviceError.
Ceiling measure_ceiling(std::shared_ptr<const CudaDevice> device);

/// Clock rates of multiprocessors and memory at this moment, by NVIDIA's management library; empty
/// where that is missing.
std::vector<std::pair<std::string, std::string>> clock_rates(const CudaDevice& device);

}  // namespace tessera::cuda
