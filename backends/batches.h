#pragma once

#include <memory>
#include <string>

#include "core/stepping/batch.h"

namespace tessera {

/// A batch, all cells dead, on a backend and kernel as KernelChooser takes their names.
///
/// "auto" takes the first driver in the table with a device that is no emulation and steps the
/// batch as one job. Where none does, and where a named backend or kernel does not, universes step
/// one after the other (GridsBatch), which BatchInfo::packing tells. Throws InputError for several
/// parts and for sizes that no machine holds, UnsupportedError where memory is missing and where a
/// kernel is named that steps batches alone, but not this one, and what KernelChooser and
/// Kernel::create throw.
std::unique_ptr<Batch> make_batch(const std::string& backend, const std::string& kernel,
                                  const BatchSpec& spec, const Tuning& tuning);

}  // namespace tessera
