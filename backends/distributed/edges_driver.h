#pragma once

#include "core/stepping/driver.h"

namespace tessera {

/// `driver`, whose kernels also step grids with shifted and twisted edges: as one band of
/// DistributedBackend, whose halos show what lies beyond the edges. All else is passed on. The
/// driver is referred to, and what is returned lives as long as the program.
const Driver& with_any_edges(const Driver& driver);

/// Whether a grid with shifted or twisted edges has so many cells that a device steps it faster
/// that way than a processor does, for which edges cost nothing.
bool pays_for_edges(const BackendSpec& spec);

}  // namespace tessera
