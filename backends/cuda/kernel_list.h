#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/stepper.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// Every kernel, the default first.
std::vector<KernelInfo> kernel_list();

/// A stepper of the named kernel with a tuning that it accepts; nothing is compiled or allocated
/// yet. Throws UnsupportedError for values that exclude each other or do not fit the grid.
std::unique_ptr<Stepper> make_stepper(const std::string& kernel, const BackendSpec& spec,
                                      const Tuning& tuning, const DeviceFacts& facts);

}  // namespace tessera::cuda
