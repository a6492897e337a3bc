#include "backends/vulkan/shared_slots.h"

#include <utility>

#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::int64_t kAlignment =
    256;  // the largest alignment that any device requires of a storage buffer

}  // namespace

SharedSlots::SharedSlots(const Device& device, std::int64_t bytes)
    : bytes_(ceil_div(bytes, kAlignment) * kAlignment) {
  auto [buffer, memory] = device.make_shared(static_cast<std::int64_t>(kCount) * bytes_);
  buffer_ = std::move(buffer);
  for (std::size_t slot = 0; slot < kCount; slot++) {
    pictures_[slot] = std::make_shared<const SharedPicture>(
        SharedPicture{memory, static_cast<std::int64_t>(slot) * bytes_});
  }
}

std::optional<std::size_t> SharedSlots::find() const {
  for (std::size_t slot = 0; slot < kCount; slot++) {
    if (pictures_[slot].use_count() == 1) return slot;
  }
  return std::nullopt;
}

}  // namespace tessera::vulkan
