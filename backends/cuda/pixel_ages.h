#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/module.h"
#include "backends/cuda/stepper.h"
#include "core/age_map.h"

namespace tessera::cuda {

/// The ages of a picture's pixels on the device. The device's context must be current in all calls.
class PixelAges {
 public:
  /// `services`: the module with age_pixels and colour_ages, which must live as long.
  PixelAges(std::shared_ptr<const CudaDevice> device, const Stream& stream, const Module& services,
            const PixelSpans& pixels, const std::vector<std::int16_t>& ages);

  /// Device memory that so many pixels take, bytes.
  static std::int64_t bytes_needed(const PixelSpans& pixels);

  /// Looks at the cells; does not wait.
  void add(const Grid& grid, const DeviceMemory& cells, int generations);
  void view(DensityImage& image);
  void take(std::vector<std::int16_t>& ages);
  void check_guards();

 private:
  std::shared_ptr<const CudaDevice> device_;
  const Stream& stream_;
  CUfunction age_ = nullptr, colour_ = nullptr;
  i64 columns_, rows_;
  DeviceMemory spans_, ages_, colours_, bytes_;
};

}  // namespace tessera::cuda
