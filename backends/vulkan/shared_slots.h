#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "backends/vulkan/device.h"
#include "core/pictures/shared_picture.h"

namespace tessera::vulkan {

/// Memory that another API may import, divided into places for pictures. A place is free when
/// nobody holds its picture.
class SharedSlots {
 public:
  /// One picture may be on its way to the window, one shown, one waiting, and one in the making.
  static constexpr std::size_t kCount = 4;

  /// Places of `bytes`. Throws DeviceError when the device has no room or does not export it.
  SharedSlots(const Device& device, std::int64_t bytes);

  /// A free place, or nothing.
  std::optional<std::size_t> find() const;
  /// The picture in a place, which its holders keep.
  const std::shared_ptr<const SharedPicture>& picture(std::size_t slot) const {
    return pictures_[slot];
  }
  const Buffer& buffer() const { return buffer_; }
  /// Of a place in the buffer; a multiple of 256.
  std::int64_t offset(std::size_t slot) const { return pictures_[slot]->offset; }
  /// Of each place.
  std::int64_t bytes() const { return bytes_; }

 private:
  Buffer buffer_;
  std::int64_t bytes_;
  std::array<std::shared_ptr<const SharedPicture>, kCount> pictures_;
};

}  // namespace tessera::vulkan
