#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/module.h"
#include "backends/cuda/stepper.h"
#include "backends/gpu/picture_size.h"
#include "core/stepping/look.h"

namespace tessera::cuda {

/// A picture on the device that is looked at while later work is queued.
class PixelView final : public LookRoom {
 public:
  /// For pictures of about so many pixels of `cells.front`. `services`: the module with
  /// shade_spans, age_pixels and colour_ages. All of them must live as long.
  PixelView(std::shared_ptr<const CudaDevice> device, const Stream& stream, const Module& services,
            const Grid& grid, const Cells& cells, const PixelSpans& pixels);
  ~PixelView() override;
  PixelView(const PixelView&) = delete;
  PixelView& operator=(const PixelView&) = delete;

  /// Device memory that it takes, bytes.
  static std::int64_t bytes_needed(const PixelSpans& pixels);
  /// Throws DeviceError when a buffer was overrun; see gpu::AllocationTrial.
  void check_guards() const;

  bool holds(const PixelSpans& pixels) const override;
  void aim(const PixelSpans& pixels) override;
  void put_ages(const std::vector<std::int16_t>& ages) override;
  void take_ages(std::vector<std::int16_t>& ages) override;
  void add_ages(int generations) override;
  void begin_greys(const std::optional<DeviceIdentity>& sharing) override;
  void begin_ages(const std::optional<DeviceIdentity>& sharing) override;
  std::shared_ptr<const SharedPicture> end(DensityImage& image) override;

 private:
  void wait_for_copy();
  void begin_copy();

  std::shared_ptr<const CudaDevice> device_;
  const Stream& stream_;
  const Grid& grid_;
  const Cells& cells_;
  Stream copies_;  // a second stream, so that steps need not wait until a picture is on the host
  CUfunction shade_ = nullptr, age_ = nullptr, colour_ = nullptr;
  PixelSpans pixels_;
  gpu::PictureSize size_;
  DeviceMemory spans_, ages_, colours_, bytes_;
  void* host_ = nullptr;    // where the picture is copied to
  CUevent done_ = nullptr;  // the last work queued for the picture
};

}  // namespace tessera::cuda
