#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/vulkan/shared_slots.h"
#include "backends/vulkan/transfer.h"
#include "core/pictures/age_map.h"

namespace tessera::vulkan {

/// A picture on the device that is looked at while later work is queued: greys of its pixels, or
/// their ages, which stay here. For grids in one chunk.
class PixelView {
 public:
  /// For pictures of about so many pixels. Throws DeviceMemoryError when the device has no room.
  PixelView(std::shared_ptr<Device> device, Commands& commands, const CellsView& cells,
            const PixelSpans& pixels);

  /// Whether buffers for so many pixels can be had on a device.
  static bool fits(const Gpu& gpu, const PixelSpans& pixels);
  /// True when these pixels find room, too.
  bool holds(const PixelSpans& pixels) const;

  /// Which pixels are looked at from now on. Waits, as all do that return something.
  void aim(const PixelSpans& pixels);
  void put_ages(const std::vector<std::int16_t>& ages);
  void take_ages(std::vector<std::int16_t>& ages);
  /// Looks at the cells in buffer `present` for the ages; does not wait.
  void add_ages(int present, int generations);

  /// Makes a picture of greys, or of ages, without waiting; one at a time. `share`: in memory that
  /// another API may import, if that can be.
  void begin_greys(int present, bool share) { begin(TESSERA_PIXELS_GREYS, present, share); }
  void begin_ages(bool share) { begin(TESSERA_PIXELS_COLOURS, 0, share); }
  /// Waits for it; null when it is not in such memory, but ready for `end`.
  std::shared_ptr<const SharedPicture> end_shared();
  void end(DensityImage& image);

  std::vector<const Buffer*> buffers() const { return {&ages_, &plan_, &transfer_}; }

 private:
  std::vector<vk::DescriptorSet> make_sets(vk::raii::DescriptorPool& pool,
                                           std::vector<vk::DescriptorBufferInfo> outs);
  void run(std::uint32_t what, vk::DescriptorSet set, std::int64_t items, int generations = 0);
  void begin(std::uint32_t what, int present, bool share);
  void make_slots();
  std::int64_t pixel_count() const;

  std::shared_ptr<Device> device_;
  Commands& commands_;
  std::uint32_t stride_;
  PixelSpans pixels_;
  std::array<vk::Buffer, 2> cells_;
  Buffer ages_, plan_, transfer_;
  vk::raii::DescriptorPool pool_ = nullptr;
  std::vector<vk::DescriptorSet> sets_;  // per buffer of cells
  vk::Pipeline pipeline_;
  std::int64_t submission_ = 0;  // of the picture under way

  std::optional<SharedSlots> slots_;
  bool no_slots_ = false;  // there is no room for them
  vk::raii::DescriptorPool slot_pool_ = nullptr;
  std::vector<vk::DescriptorSet> slot_sets_;   // per place, per buffer of cells
  std::shared_ptr<const SharedPicture> slot_;  // of the picture under way, or null
};

}  // namespace tessera::vulkan
