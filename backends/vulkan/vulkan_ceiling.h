#pragma once

#include <memory>

#include "backends/vulkan/device.h"
#include "core/stepping/driver.h"

namespace tessera::vulkan {

/// What a device can do at most: shaders/ceiling.comp, best of five, by the device's clock, or by
/// the clock on the wall where it has none. Throws DeviceError.
Ceiling measure_ceiling(const std::shared_ptr<Device>& device);

}  // namespace tessera::vulkan
