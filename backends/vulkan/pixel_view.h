#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/gpu/picture_size.h"
#include "backends/vulkan/descriptor_sets.h"
#include "backends/vulkan/shared_slots.h"
#include "backends/vulkan/transfer.h"
#include "core/stepping/look.h"

namespace tessera::vulkan {

/// A picture on the device that is looked at while later work is queued. For grids in one chunk.
class PixelView final : public LookRoom {
 public:
  /// For pictures of about this many pixels. `present` tells which buffer of the chunk holds the
  /// present generation; it and `commands` must live as long. Throws DeviceMemoryError when the
  /// device has no room.
  PixelView(std::shared_ptr<Device> device, Commands& commands, const CellsView& cells,
            const int& present, const PixelSpans& pixels);
  /// Waits for what still uses the buffers.
  ~PixelView() override;

  /// Whether a device can hold buffers for so many pixels.
  static bool fits(const Gpu& gpu, const PixelSpans& pixels);
  bool holds(const PixelSpans& pixels) const override;
  void aim(const PixelSpans& pixels) override;
  void put_ages(const std::vector<std::int16_t>& ages) override;
  void take_ages(std::vector<std::int16_t>& ages) override;
  void add_ages(int generations) override;
  void begin_greys(const std::optional<DeviceIdentity>& sharing) override {
    begin(TESSERA_PIXELS_GREYS, sharing);
  }
  void begin_ages(const std::optional<DeviceIdentity>& sharing) override {
    begin(TESSERA_PIXELS_COLOURS, sharing);
  }
  std::shared_ptr<const SharedPicture> end(DensityImage& image) override;

  std::vector<const Buffer*> buffers() const { return {&ages_, &plan_, &transfer_}; }

 private:
  std::vector<vk::DescriptorSet> make_sets(DescriptorSets& made,
                                           std::span<const vk::DescriptorBufferInfo> outs);
  void run(std::uint32_t what, vk::DescriptorSet set, std::int64_t items, int generations = 0);
  void begin(std::uint32_t what, const std::optional<DeviceIdentity>& sharing);
  std::size_t present() const { return static_cast<std::size_t>(present_); }
  void make_slots();

  std::shared_ptr<Device> device_;
  Commands& commands_;
  const int& present_;
  std::uint32_t stride_, bit_plane_;
  std::int64_t first_byte_;  // of the cells in their buffers
  PixelSpans pixels_;
  gpu::PictureSize size_;
  std::array<vk::Buffer, 2> cells_;
  Buffer ages_, plan_, transfer_;
  DescriptorSets pool_;
  std::vector<vk::DescriptorSet> sets_;  // per buffer of cells
  vk::Pipeline pipeline_;
  std::int64_t submission_ = 0;  // of the picture under way

  std::optional<SharedSlots> slots_;
  bool no_slots_ = false;  // there is no room for them
  DescriptorSets slot_pool_;
  std::vector<vk::DescriptorSet> slot_sets_;   // per place, per buffer of cells
  std::shared_ptr<const SharedPicture> slot_;  // of the picture under way, or null
};

}  // namespace tessera::vulkan
