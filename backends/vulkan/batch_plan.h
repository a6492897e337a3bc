#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/gpu/batch_fit.h"
#include "backends/vulkan/gpu.h"
#include "core/stepping/batch.h"

namespace tessera::vulkan {

/// Universes that lie in a buffer of their own: bindings and allocations have limits.
struct BatchPart {
  std::int64_t first = 0;      ///< universe
  std::int64_t universes = 0;  ///< how many
  gpu::BatchFit fit;           ///< how they lie in words
  std::int64_t bytes = 0;      ///< of all words
};

/// How a batch is stepped on a device, completely determined.
struct BatchPlan {
  bool whole = false;             ///< the kernel whole, universes in registers; else sliced
  std::uint32_t all_lanes = 1;    ///< of a tile: the subgroup's, or those of sliced
  std::uint32_t group_tiles = 1;  ///< subgroups of a workgroup of whole
  std::vector<BatchPart> parts;
  std::int64_t transfer = 0;  ///< bytes of the transfer buffer: some universes' canonical words
  std::int64_t bytes = 0;     ///< total device memory, including the transfer buffer
  std::string problem;        ///< why there is no plan, or empty

  std::string kernel() const { return whole ? "whole" : "sliced"; }
  /// For people: "universes in registers, 4 a word".
  std::string packing() const;
};

/// Plans a batch by `kernel` ("auto", "whole" or "sliced") with buffers of `largest` bytes at most
/// and the rows and the subgroups of a universe (`group`) that `tuning` names where they are not 0.
/// Allocates nothing on the device.
BatchPlan plan_batch(const Gpu& gpu, const BatchSpec& spec, const std::string& kernel,
                     const Tuning& tuning, std::int64_t largest);

}  // namespace tessera::vulkan
