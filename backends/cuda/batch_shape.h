#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/cuda/compiler.h"
#include "backends/cuda/cuda_device.h"
#include "backends/cuda/kernel_params.h"
#include "core/stepping/batch.h"

namespace tessera::cuda {

/// Rows of a column of words that a warp of the kernel sliced steps at a time.
inline constexpr int kSlicedRows = 16;

/// How a batch is stepped on a GPU.
struct BatchShape {
  bool whole = false;  ///< the kernel whole, universes in registers; else sliced
  BatchGrid grid{};    ///< how the universes lie in memory
  unsigned block = 4;  ///< warps of a block
  Tuning tuning{};     ///< rows of a lane, words of a row, warps of a universe (`group`)

  std::string kernel() const { return whole ? "whole" : "sliced"; }
  /// For people: "universes in registers, 4 a word".
  std::string packing() const;
  /// Bytes of all words.
  std::int64_t storage() const;
};

/// The cheapest shape in which the kernel whole steps the batch, with the rows and the warps of a
/// universe (`group`) that `tuning` names where they are not 0; nothing where no lanes hold a
/// universe: its height must be a product of rows and lanes.
std::optional<BatchShape> whole_shape(const BatchSpec& spec, const Tuning& tuning,
                                      const DeviceFacts& facts);
/// The shape of the kernel sliced, which takes every size.
BatchShape sliced_shape(const BatchSpec& spec);

/// The kernel's text with the rule's.
KernelSource batch_source(const BatchShape& shape, const BackendSpec& each);

}  // namespace tessera::cuda
