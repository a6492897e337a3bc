#pragma once

#include <cstddef>

namespace tessera::gpu {

/// Rough instructions of a GPU to add so many cells to a bit-sliced number of so many bits.
inline double counting_work(std::size_t cells, int bits) {
  return static_cast<double>(cells) * (3 + 0.25 * bits) + 8.0 * bits;
}

}  // namespace tessera::gpu
