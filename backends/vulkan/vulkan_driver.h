#pragma once

#include "core/stepping/driver.h"

namespace tessera {

/// Every GPU with Vulkan 1.2, and software devices, which are marked as such. The Vulkan loader is
/// opened when devices are first asked for, never before.
const Driver& vulkan_driver();

}  // namespace tessera
