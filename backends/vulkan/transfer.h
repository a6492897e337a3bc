#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/gpu/pieces.h"
#include "backends/vulkan/chunks.h"
#include "backends/vulkan/commands.h"
#include "core/cells/cell_grid.h"
#include "core/cells/soup.h"
#include "core/pictures/cell_counts.h"
#include "core/stepping/survey.h"

namespace tessera::vulkan {

/// The data of the transfer kernels: the present generation of every chunk.
struct CellsView {
  const BackendSpec* spec = nullptr;
  const KernelShape* shape = nullptr;
  const GridPlan* plan = nullptr;
  const std::vector<Chunk>* chunks = nullptr;
  const Buffer* transfer = nullptr;
  /// Per chunk: binds the present generation, the transfer buffer, and the tables of codes and
  /// states where there are several bit planes.
  std::vector<vk::DescriptorSet> sets;
};

/// Words of a bit plane of a chunk.
std::uint32_t bit_plane_words(const ChunkPlan& chunk, const KernelShape& shape);

/// Moves cells in and out of the device's layout and reduces them there. All calls wait for their
/// result.
class Transfer {
 public:
  Transfer(std::shared_ptr<Device> device, Commands& commands)
      : device_(std::move(device)), commands_(commands) {}

  /// Replaces the rectangle at `at` by cells.
  void put(const CellsView& view, const Cell& at, const CellGrid& cells);
  /// Records copies of a torus's edge rows to the rows around the other edge; does not wait.
  /// Nothing under rules of longer range.
  void write_margins(const CellsView& view);
  /// Replaces `rows` rows from row `y` on by the words of a soup from `index` on, made on the
  /// device.
  void put_soup(const CellsView& view, const Soup& soup, std::int64_t y, std::int64_t rows,
                std::uint64_t index);
  CellGrid get(const CellsView& view, const Rect& rect);
  /// Leaves the canonical words of some rows, of one plane, in the transfer buffer, which holds
  /// them.
  void stage_rows(const CellsView& view, std::int64_t y, std::int64_t rows);
  /// Of several rectangles, with one wait for as many of them as the transfer buffer holds.
  std::vector<CellGrid> get(const CellsView& view, std::span<const Rect> rects);
  /// As StepBackend::survey defines it.
  Survey survey(const CellsView& view, const Rect& rect, SurveyParts parts, std::int64_t column0,
                std::int64_t row0);
  /// Counts live cells by pixels of scale x scale cells; `counts` has its size.
  void count(const CellsView& view, const Rect& rect, std::int64_t scale, CellCounts& counts);

 private:
  vk::Pipeline pipeline(const CellsView& view, const char* shader, std::uint32_t reduce = 0);
  void export_piece(const CellsView& view, const gpu::WordPiece& piece, std::int64_t to);
  void import_piece(const CellsView& view, const gpu::WordPiece& piece);
  void count_piece(const CellsView& view, const Rect& rect, std::int64_t scale);
  void count_large(const CellsView& view, const Rect& rect, std::int64_t scale, CellCounts& counts);
  void count_small(const CellsView& view, std::size_t chunk, const Rect& rect, std::int64_t scale,
                   CellCounts& counts);

  std::shared_ptr<Device> device_;
  Commands& commands_;
};

}  // namespace tessera::vulkan
