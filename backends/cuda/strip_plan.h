#pragma once

#include <cstdint>

#include "backends/cuda/cuda_device.h"
#include "core/stepping/tuning.h"

namespace tessera::cuda {

/// How a grid is divided among tiles; see StripRun.
struct StripPlan {
  std::int64_t tiles = 0, tile_rows = 0, tile_height = 0;
  std::int64_t shared_tiles = 0, shared_by = 1, shared_lanes = 1;
};

inline constexpr int kSchedulers = 4;  ///< of a multiprocessor

/// The part of all tiles that shared ones must save: they take longer than others.
inline constexpr double kLeastSaving = 1.0 / 200;
/// In a band whose passes take kernels with and without them by turns; and where there are none.
inline constexpr double kLeastOfBands = 1.0 / 200, kNeverShared = 2;

/// How `rows` rows of a grid of that width are divided among tiles of a shape.
StripPlan strip_plan(const Tuning& shape, std::int64_t width, std::int64_t rows,
                     const DeviceFacts& facts, double least_saving = kLeastSaving);

/// Rows that a tile of a shape completes.
std::int64_t rows_owned(const Tuning& shape);
/// Rows of a memory access.
int vector_rows(const Tuning& shape);
/// M of strips.cu: bits of halo on either side of a word.
int halo_bits(const Tuning& shape);
/// B*W of strips.cu: cells of a row of a macro-column.
std::int64_t macro_width(const Tuning& shape);

}  // namespace tessera::cuda
