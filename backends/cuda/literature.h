#pragma once

#include <memory>
#include <vector>

#include "backends/cuda/stepper.h"
#include "core/stepping/kernel_info.h"

namespace tessera::cuda {

/// A kernel of the literature: what it says about itself, and how its stepper is made, with a
/// tuning that it accepts. Making one throws UnsupportedError for values that exclude each other.
struct LiteratureKernel {
  KernelInfo info;
  std::unique_ptr<Stepper> (*make)(const BackendSpec& spec, const Tuning& tuning);
};

/// All of them, in the order in which they are listed.
const std::vector<LiteratureKernel>& literature_kernels();

}  // namespace tessera::cuda
