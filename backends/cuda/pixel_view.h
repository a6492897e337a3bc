#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/module.h"
#include "backends/cuda/stepper.h"
#include "core/pictures/age_map.h"

namespace tessera::cuda {

/// A picture on the device that is looked at while later work is queued: greys of its pixels, or
/// their ages, which stay here. The device's context must be current in all calls.
class PixelView {
 public:
  /// For pictures of about so many pixels. `services`: the module with shade_spans, age_pixels and
  /// colour_ages, which must live as long.
  PixelView(std::shared_ptr<const CudaDevice> device, const Stream& stream, const Module& services,
            const PixelSpans& pixels);
  ~PixelView();
  PixelView(const PixelView&) = delete;
  PixelView& operator=(const PixelView&) = delete;

  /// Device memory that it takes, bytes.
  static std::int64_t bytes_needed(const PixelSpans& pixels);
  /// True when these pixels find room, too.
  bool holds(const PixelSpans& pixels) const;

  /// Which pixels are looked at from now on.
  void aim(const PixelSpans& pixels);
  void put_ages(const std::vector<std::int16_t>& ages);
  void take_ages(std::vector<std::int16_t>& ages);
  /// Looks at the cells for the ages; does not wait.
  void add_ages(const Grid& grid, const DeviceMemory& cells, int generations);

  /// Makes a picture of greys, or of ages, without waiting, and waits for it. One at a time.
  void begin_greys(const Grid& grid, const DeviceMemory& cells);
  void begin_ages();
  void end(DensityImage& image);
  void check_guards();

 private:
  void wait_for_copy();
  void begin_copy();

  std::shared_ptr<const CudaDevice> device_;
  const Stream& stream_;
  Stream copies_;  // beside it, so that steps need not wait until a picture is on the host
  CUfunction shade_ = nullptr, age_ = nullptr, colour_ = nullptr;
  PixelSpans pixels_;
  i64 columns_ = 0, rows_ = 0;
  DeviceMemory spans_, ages_, colours_, bytes_;
  void* host_ = nullptr;    // where the picture is copied to
  CUevent done_ = nullptr;  // what was queued last for the picture
};

}  // namespace tessera::cuda
