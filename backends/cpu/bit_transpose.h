#pragma once

#include <array>
#include <cstdint>

#include "core/cells/bit_grid.h"

namespace tessera {

/// 64 words of 64 bits.
using BitBlock = std::array<std::uint64_t, 64>;

/// Bit c of word r becomes bit r of word c (Warren, Hacker's Delight, section 7-3).
void transpose(BitBlock& block);

/// The grid mirrored along its diagonal: cell (x, y) becomes cell (y, x).
BitGrid transposed(const BitGrid& grid);

}  // namespace tessera
