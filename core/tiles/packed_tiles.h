#pragma once

#include <cstdint>

#include "core/tiles/tile_device.h"

namespace tessera {

/// In a word of links: a tile that repeats others; where the bits of the ways begin in which the
/// universe ends.
inline constexpr std::uint32_t kPackedCopy = 256;
inline constexpr int kPackedNowhere = 16;

/// A frame in the form in which kernels read it: left, right, top, bottom, a byte each.
inline std::uint32_t packed(const TileFrame& frame) {
  const auto byte = [](int value, int at) { return static_cast<std::uint32_t>(value) << 8 * at; };
  return byte(frame.left, 0) | byte(frame.right, 1) | byte(frame.top, 2) | byte(frame.bottom, 3);
}

/// What kernels read of a tile's links beside its neighbours.
inline std::uint32_t packed(const TilePatch::Links& links) {
  return links.frame | (links.copy ? kPackedCopy : 0) |
         static_cast<std::uint32_t>(links.nowhere) << kPackedNowhere;
}

/// A shape as kernels write it: shape | x << 9 | y << 15, or 0.
inline LoneShape unpacked_shape(TileId tile, std::uint32_t what) {
  return {tile, static_cast<int>(what >> 9 & 63), static_cast<int>(what >> 15 & 63),
          static_cast<int>(what & 511)};
}

}  // namespace tessera
