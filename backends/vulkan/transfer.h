#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/vulkan/chunks.h"
#include "backends/vulkan/commands.h"
#include "core/cells/bit_grid.h"
#include "core/cells/soup.h"
#include "core/pictures/density_image.h"

namespace tessera::vulkan {

/// What the transfer kernels work on: the present generation of every chunk.
struct CellsView {
  const BackendSpec* spec = nullptr;
  const KernelShape* shape = nullptr;
  const GridPlan* plan = nullptr;
  const std::vector<Chunk>* chunks = nullptr;
  const Buffer* transfer = nullptr;
  /// Per chunk: binds the present generation and the transfer buffer.
  std::vector<vk::DescriptorSet> sets;
};

/// Moves cells in and out of the device's layout and reduces them there. All calls wait for their
/// result.
class Transfer {
 public:
  Transfer(std::shared_ptr<Device> device, Commands& commands)
      : device_(std::move(device)), commands_(commands) {}

  /// Replaces the rectangle at `at` by cells.
  void put(const CellsView& view, const Cell& at, const BitGrid& cells);
  /// Records that the rows around a torus become copies of its other edge's; does not wait.
  void write_margins(const CellsView& view);
  /// Replaces everything by a soup, made on the device.
  void put_soup(const CellsView& view, const Soup& soup);
  BitGrid get(const CellsView& view, const Rect& rect);
  std::int64_t population(const CellsView& view);
  std::optional<Bounds> bounds(const CellsView& view);
  std::uint64_t hash(const CellsView& view, std::int64_t column0, std::int64_t row0);
  void density(const CellsView& view, const Rect& rect, std::int64_t scale, DensityImage& image);

 private:
  struct Band;

  vk::Pipeline pipeline(const CellsView& view, const char* shader, std::uint32_t reduce = 0);
  template <class Fill>
  void put_bands(const CellsView& view, const Rect& rect, Fill&& fill);
  void import_band(const CellsView& view, const Rect& band, std::int64_t row_words);
  std::vector<std::uint32_t> reduce(const CellsView& view, std::uint32_t what, std::int64_t column0,
                                    std::int64_t row0);
  void count_band(const CellsView& view, const Rect& rect, std::int64_t scale);
  void count_pixels(const CellsView& view, const Rect& rect, std::int64_t scale,
                    DensityImage& image);
  void shade_pixels(const CellsView& view, const Chunk& chunk, vk::DescriptorSet set,
                    const Rect& rect, std::int64_t scale, DensityImage& image);

  std::shared_ptr<Device> device_;
  Commands& commands_;
};

}  // namespace tessera::vulkan
