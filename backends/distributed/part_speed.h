#pragma once

#include "core/stepping/kernel.h"

namespace tessera {

/// What to ask a driver for its default kernel of a band: a small grid. What is fastest on a large
/// grid that is alone need not hide exchanges of rows behind its steps, as the usual kernel may.
BackendSpec as_band(BackendSpec spec);

/// Cells per second that a kernel steps: measured once per process on a soup of Life of moderate
/// size, for some hundredths of a second. Throws what Kernel::create and stepping throw.
/// Thread-safe.
double measured_speed(const Kernel& kernel, const Tuning& tuning);

/// The same by the kind of device, without measuring, for a processor by `threads`: good to a
/// factor of a few.
double nominal_speed(const Kernel& kernel, int threads);

}  // namespace tessera
