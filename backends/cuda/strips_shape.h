#pragma once

#include <vector>

#include "backends/cuda/cuda_device.h"
#include "core/stepping/step_backend.h"
#include "core/stepping/tuning.h"

namespace tessera::cuda {

/// The shape of the kernel strips for a grid, and what follows from it.
struct StripsShape {
  Tuning tuning;      ///< the values in force
  int planes = 1;     ///< of a cell's state
  int blocks = 1;     ///< that should fit a multiprocessor
  double cycles = 0;  ///< of a generation, approximately
};

/// `wanted`, which StripsStepper::kernel_info() accepts: what is 0 is chosen for the grid and the
/// device. Throws UnsupportedError for values that exclude each other or need a wider grid.
StripsShape strips_shape(const BackendSpec& spec, const Tuning& wanted, const DeviceFacts& facts);

/// Shapes that are chosen without a tuning: what continuous integration compiles for every
/// architecture.
std::vector<Tuning> strips_shapes();
/// The same for rules that are programs: of which those suit that have room for the program.
std::vector<Tuning> strips_program_shapes();

}  // namespace tessera::cuda
