#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/stepping/batch.h"

namespace tessera {

/// Why `kernel` of the CPU ("auto", or a name) steps no batch in strips (StripBatch); nothing where
/// it does. Allocates nothing.
std::optional<std::string> cpu_batch_unsupported(const BatchSpec& spec, const std::string& kernel);

/// The batch, all cells dead. Throws UnsupportedError, also where the universes need more memory
/// than the spec's limit or the machine has.
std::unique_ptr<Batch> make_cpu_batch(const BatchSpec& spec, const std::string& kernel,
                                      const Tuning& tuning);

}  // namespace tessera
