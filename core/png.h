#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/cells/cell_grid.h"
#include "core/files/atomic_file.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// Writes one pixel per cell and one bit per pixel, cells in any state but 0 black on white,
/// through a temporary and a rename. Throws FileError, or InputError above PNG's 2^31-1 pixels per
/// side.
void write_png(const std::string& path, const CellGrid& cells);

/// Writes a grey picture with 8 bits per pixel, inverted (full is black on white) to match the
/// other. With `durability`, pictures of a series need not wait for the disk one by one.
void write_png(const std::string& path, const DensityImage& image,
               Durability durability = Durability::synced);

/// Writes a picture whose bytes are colours: `colours` holds 256 of them, 0xAABBGGRR; it is a PNG
/// with a palette, 8 bits per pixel.
void write_png(const std::string& path, const DensityImage& image,
               std::span<const std::uint32_t> colours, Durability durability = Durability::synced);

/// Writes a picture of red, green and blue bytes, row by row; `rgb` holds 3 * width * height of
/// them.
void write_png(const std::string& path, std::int64_t width, std::int64_t height,
               std::span<const std::uint8_t> rgb);

}  // namespace tessera
