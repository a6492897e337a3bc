#pragma once

#include <memory>

#include "backends/vulkan/device.h"
#include "core/stepping/driver.h"

namespace tessera::vulkan {

/// The peak rates of a device: shaders/ceiling.comp, best of five, by the device's clock, or by the
/// wall clock where it has none. Throws DeviceError.
Ceiling measure_ceiling(const std::shared_ptr<Device>& device);

}  // namespace tessera::vulkan
