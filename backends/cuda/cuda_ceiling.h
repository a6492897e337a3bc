#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_device.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// The peak rates of a GPU: only LOP3 in eight chains per thread (kernels/ceiling.cu), and a copy
/// within its memory. Best of five, by the device's clock. Throws DeviceError.
Ceiling measure_ceiling(std::shared_ptr<const CudaDevice> device);

/// Present clock rates of multiprocessors and memory, from NVIDIA's management library; empty where
/// that is missing.
std::vector<std::pair<std::string, std::string>> clock_rates(const CudaDevice& device);

}  // namespace tessera::cuda
