#pragma once

#include <cstddef>

#include "core/stepping/kernel.h"

namespace tessera {

/// What to ask a driver for its default kernel of a band, where so many parts have a grid: a band's
/// size with plain edges, and that it has halos.
/// `peers`: as in HaloCosts.
BackendSpec as_band(BackendSpec spec, std::size_t parts, bool peers = false);

/// Cells per second that a kernel steps: measured once per process on a soup of Life of moderate
/// size, for some hundredths of a second; of a kernel for other rules that of its device's default
/// one. Throws what Kernel::create and stepping throw.
/// Thread-safe.
double measured_speed(const Kernel& kernel, const Tuning& tuning);

/// The same by the kind of device, without measuring, for a processor by `threads`: good to a
/// factor of a few.
double nominal_speed(const Kernel& kernel, int threads);

}  // namespace tessera
