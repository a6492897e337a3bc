#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/vulkan/transfer.h"
#include "core/age_map.h"

namespace tessera::vulkan {

/// The ages of a picture's pixels on the device. For grids in one chunk.
class PixelAges {
 public:
  /// Throws DeviceMemoryError when the device has no room.
  PixelAges(std::shared_ptr<Device> device, Commands& commands, const CellsView& cells,
            const PixelSpans& pixels, const std::vector<std::int16_t>& ages);

  /// Whether the buffers for so many pixels can be had on a device.
  static bool fits(const Gpu& gpu, const PixelSpans& pixels);

  /// Looks at the cells in buffer `present`; does not wait.
  void add(int present, int generations);
  void view(DensityImage& image);
  void take(std::vector<std::int16_t>& ages);
  std::vector<const Buffer*> buffers() const { return {&ages_, &plan_, &transfer_}; }

 private:
  void make_sets(const Chunk& chunk);
  void run(std::uint32_t what, int present, std::int64_t items, int generations = 0);

  std::shared_ptr<Device> device_;
  Commands& commands_;
  std::uint32_t stride_, columns_, rows_;
  Buffer ages_, plan_, transfer_;
  vk::raii::DescriptorPool pool_ = nullptr;
  std::vector<vk::DescriptorSet> sets_;  // per buffer of cells
  vk::Pipeline pipeline_;
};

}  // namespace tessera::vulkan
