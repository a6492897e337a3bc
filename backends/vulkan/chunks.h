#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/vulkan/device.h"
#include "backends/vulkan/kernel_shape.h"

namespace tessera::vulkan {

/// A slice of the grid's columns that one buffer can hold.
struct ChunkPlan {
  std::int64_t x = 0;      ///< first column of the grid
  std::int64_t width = 0;  ///< cells; a multiple of 64 in all chunks but the last
  std::int64_t bytes = 0;  ///< of each of its two buffers, all bit planes together
};

/// How a grid is cut, so that no buffer exceeds the limits of bindings and allocations.
struct GridPlan {
  std::vector<ChunkPlan> chunks;
  std::int64_t stride = 0;     ///< rows that a column of words takes in memory
  std::int64_t row_tiles = 0;  ///< tiles below each other
  std::int64_t bytes = 0;      ///< total device memory, including the transfer buffer
  std::int64_t transfer = 0;   ///< bytes of the transfer buffer
  std::int64_t tables = 0;     ///< and of the tables of states and codes
  bool addressed = false;      ///< one dispatch steps all chunks, by their addresses
  std::int64_t columns = 0;    ///< bytes of a table of macro-columns' addresses, or 0
  std::int64_t stripe = 0;     ///< macro-columns whose tiles such a dispatch takes row by row
  std::int64_t places = 0;     ///< and of what the kernel sums looks up
  std::int64_t reach = 0;      ///< rows of tiles above and below that a tile reads, where many
                               ///< passes are one dispatch (shaders/chained.glsl); 0 elsewhere
  std::int64_t turns = 0;      ///< and bytes by which their tiles wait for each other
  std::string problem;         ///< why there is no plan, or empty
};

/// Largest buffer that a plan may use on a device, in bytes.
std::int64_t largest_chunk(const Gpu& gpu);

/// Why no buffers hold a grid of that size, whatever the shape, or nothing. Shapes are for sizes of
/// which it says nothing.
std::optional<std::string> size_problem(const BackendSpec& spec);

/// Cuts a grid into buffers of `largest` bytes at most; where `addresses` are there, the kernel
/// strips uses them for grids of several chunks and where they are faster: from 2^31 cells on.
/// Allocates nothing on the device.
GridPlan plan_grid(const BackendSpec& spec, const KernelShape& shape, std::int64_t largest,
                   bool addresses);

/// Whether the kernel that steps writes a torus's margins itself: no row may be near both edges,
/// and no invocation may own rows near both. Never on a plane, which has none.
bool writes_margins(const BackendSpec& spec, const KernelShape& shape);

/// Where the cells begin in a chunk's buffers, in bytes: behind columns of margin.
std::int64_t first_byte(const GridPlan& plan, const KernelShape& shape);

/// A chunk on the device: two buffers that take turns as the present and the next generation.
struct Chunk {
  ChunkPlan plan;
  Buffer buffers[2];
};

}  // namespace tessera::vulkan
