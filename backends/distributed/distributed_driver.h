#pragma once

#include <cstdint>
#include <vector>

#include "backends/distributed/distributed_plan.h"
#include "core/stepping/driver.h"

namespace tessera {

/// A device that steps a band. The same one may have several.
struct PartDevice {
  const Driver* driver = nullptr;
  DeviceInfo device;
};

/// A driver whose one device is all of these parts, at least one, together. It is made once for
/// each list and kept until the program ends. Its name is that which --backend takes, as
/// "cuda:0+cuda:1" or "cpu:0*3".
///
/// Parts of one kind of backend offer the kernels of that; parts of several kinds the kernels that
/// they have in common by name, and by default the best of each, as "strips+simd". Bands are as
/// high as their parts are fast, which is measured where parts are unlike. The memory limit of a
/// spec is that of all parts together.
const Driver& distributed_driver(const std::vector<PartDevice>& parts, const BandOptions& options);

}  // namespace tessera
