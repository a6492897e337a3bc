#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/cells/bit_grid.h"
#include "core/files/atomic_file.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// Writes cells one pixel each, 1 bit a pixel, live cells black on white, through a temporary and a
/// rename. Throws FileError, or InputError above PNG's 2^31-1 pixels a side.
void write_png(const std::string& path, const BitGrid& cells);

/// Writes a grey picture, 8 bits a pixel, inverted (full is black on white) to match the other.
/// Pictures of a series need not wait for the disk one by one: `durability`.
void write_png(const std::string& path, const DensityImage& image,
               Durability durability = Durability::synced);

/// Writes a picture of red, green and blue bytes, row by row; `rgb` holds 3 * width * height of
/// them.
void write_png(const std::string& path, std::int64_t width, std::int64_t height,
               std::span<const std::uint8_t> rgb);

}  // namespace tessera
