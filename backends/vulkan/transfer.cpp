#include "backends/vulkan/transfer.h"

#include <algorithm>
#include <cstring>

#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kGroup = 64;             // invocations per workgroup
constexpr std::int64_t kMostReduceGroups = 256;  // results per chunk
constexpr std::int64_t kReduceWords = 16;        // fewest words of cells per invocation
constexpr std::int64_t kSlabRows = 16;           // of a pixel's cells, one invocation
constexpr std::int64_t kMostSlabs = 64;
constexpr std::int64_t kMostSmall = 64;  // cells per side of pixels that one invocation counts
constexpr std::int64_t kMostTogether = 1 << 20;  // words of a plane: the kernel counts their bits

constexpr std::uint32_t low(std::uint64_t n) { return static_cast<std::uint32_t>(n); }
constexpr std::uint32_t high(std::uint64_t n) { return static_cast<std::uint32_t>(n >> 32); }
constexpr std::uint32_t narrow(std::int64_t n) { return static_cast<std::uint32_t>(n); }

// The part of a rectangle's columns that lies in a chunk, in the chunk's own coordinates.
struct Overlap {
  std::int64_t x, columns;
};

Overlap overlap(const ChunkPlan& chunk, const Rect& rect) {
  const std::int64_t from = std::max(rect.x, chunk.x);
  const std::int64_t to = std::min(rect.x + rect.width, chunk.x + chunk.width);
  return {from - chunk.x, to - from};
}

// Of a chunk as a whole.
CellsParams params_of(const CellsView& view, const Chunk& chunk) {
  CellsParams params{};
  params.width = narrow(chunk.plan.width);
  params.height = narrow(view.spec->height);
  params.stride = narrow(view.plan->stride);
  params.bit_plane = bit_plane_words(chunk.plan, *view.shape);
  return params;
}

// Of the part of a rectangle in it.
CellsParams params_of(const CellsView& view, const Chunk& chunk, const Overlap& part,
                      const Rect& rect) {
  CellsParams params = params_of(view, chunk);
  params.x = narrow(part.x);
  params.y = narrow(rect.y);
  params.columns = narrow(part.columns);
  params.rows = narrow(rect.height);
  return params;
}

// Workgroups that reduce each chunk: as many as the largest chunk keeps busy.
std::int64_t reduce_groups(const CellsView& view, const Rect& rect) {
  const std::int64_t width = std::min((*view.chunks)[0].plan.width, rect.width);
  return std::clamp<std::int64_t>(
      ceil_div(ceil_div(width, 32) * rect.height, kGroup * kReduceWords), 1, kMostReduceGroups);
}

// Adds what one workgroup found, see TESSERA_REDUCE_WORDS; `x0` is the chunk's first column.
void add_result(Survey& found, SurveyParts parts, const std::uint32_t* words, std::int64_t x0) {
  const auto wide = [&](int at) { return words[at] | std::uint64_t{words[at + 1]} << 32; };
  Survey part;
  if (parts.population) part.population = static_cast<std::int64_t>(wide(0));
  if (parts.hash) part.hash = wide(2);
  if (parts.bounds && words[4] <= words[6]) {  // else nothing lives in what the workgroup saw
    part.bounds = Bounds{x0 + words[4], words[5], x0 + words[6], words[7]};
  }
  found += part;
}

// Canonical words of every plane of states that the transfer buffer holds.
std::int64_t staged_words(const CellsView& view) {
  return view.transfer->bytes / 8 / view.shape->state_planes;
}

// The kernel exports whole words: what it takes of a rectangle that begins inside a word, and the
// rectangle out of that.
Rect whole_words(const Rect& rect) {
  return {rect.x / 64 * 64, rect.y, rect.width + rect.x % 64, rect.height};
}

CellGrid cut_from(CellGrid&& cells, const Rect& rect) {
  return rect.x % 64 == 0 ? std::move(cells)
                          : cells.window({rect.x % 64, 0, rect.width, rect.height});
}

// One plane of a piece in the transfer buffer.
std::uint64_t* staged(const CellsView& view, const gpu::WordPiece& piece, int plane) {
  return static_cast<std::uint64_t*>(view.transfer->mapped) + plane * piece.count();
}

}  // namespace

std::uint32_t bit_plane_words(const ChunkPlan& chunk, const KernelShape& shape) {
  return narrow(chunk.bytes / 4 / shape.bit_planes);
}

vk::Pipeline Transfer::pipeline(const CellsView& view, const char* shader, std::uint32_t reduce) {
  Specialization values{};
  values[TESSERA_SPEC_GROUP_SIZE] = kGroup;
  view.shape->specialize_layout(values);
  values[TESSERA_SPEC_REDUCE] = reduce;
  return device_->guarded("make a pipeline",
                          [&] { return device_->pipelines().get(shader, values); });
}

void Transfer::import_piece(const CellsView& view, const gpu::WordPiece& piece) {
  const vk::Pipeline import = pipeline(view, "import");
  const Rect& cells = piece.cells;
  commands_.barrier();
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const Chunk& chunk = (*view.chunks)[c];
    const Overlap part = overlap(chunk.plan, cells);
    if (part.columns <= 0) continue;
    CellsParams params = params_of(view, chunk, part, cells);
    params.first_bit = narrow(chunk.plan.x + part.x - cells.x);
    params.row_words = narrow(2 * piece.words);
    const std::int64_t macro = view.shape->macro();
    const std::int64_t macros = (part.x + part.columns - 1) / macro - part.x / macro + 1;
    commands_.dispatch(import, view.sets[c], params,
                       ceil_div(macros * view.shape->words * cells.height, kGroup));
  }
  commands_.wait();
}

void Transfer::write_margins(const CellsView& view) {
  if (view.spec->boundary == Boundary::plane || view.spec->rule.ranged()) return;
  const vk::Pipeline margins = pipeline(view, "margins");
  commands_.barrier();
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const Chunk& chunk = (*view.chunks)[c];
    const std::int64_t words = ceil_div(chunk.plan.width, view.shape->macro()) * view.shape->words;
    commands_.dispatch(margins, view.sets[c], params_of(view, chunk),
                       ceil_div(words * 2 * view.shape->margin, kGroup));
  }
}

void Transfer::put(const CellsView& view, const Cell& at, const CellGrid& cells) {
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  gpu::for_each_word_piece(rect, staged_words(view), [&](const gpu::WordPiece& piece) {
    for (int p = 0; p < cells.planes(); p++) {
      std::memcpy(staged(view, piece, p), cells.plane(p).words().data() + piece.first,
                  static_cast<std::size_t>(piece.count() * 8));
    }
    import_piece(view, piece);
  });
  write_margins(view);
  commands_.submit();
}

void Transfer::put_soup(const CellsView& view, const Soup& soup, std::int64_t y, std::int64_t rows,
                        std::uint64_t index) {
  const std::int64_t grid_words = ceil_div(view.spec->width, 64);
  const vk::Pipeline make = pipeline(view, "soup");
  const Rect rect{0, y, view.spec->width, rows};
  gpu::for_each_word_piece(rect, staged_words(view), [&](const gpu::WordPiece& piece) {
    if (soup.density == 0) {
      std::memset(view.transfer->mapped, 0,
                  static_cast<std::size_t>(piece.count() * 8 * view.shape->state_planes));
    } else {
      const std::uint64_t first = index + static_cast<std::uint64_t>(piece.first);
      const SoupParams params{.seed_low = low(soup.seed),
                              .seed_high = high(soup.seed),
                              .density = soup.density,
                              .index_low = low(first),
                              .index_high = high(first),
                              .words = narrow(piece.words),
                              .rows = narrow(piece.cells.height),
                              .grid_words_low = low(grid_words),
                              .grid_words_high = high(grid_words),
                              .states = soup.states};
      commands_.barrier();
      commands_.dispatch(make, view.sets[0], params, ceil_div(piece.count(), kGroup));
    }
    import_piece(view, piece);
  });
  write_margins(view);
  commands_.submit();
}

// Records the export of a piece's cells to the transfer buffer, plane by plane from word `to` on.
void Transfer::export_piece(const CellsView& view, const gpu::WordPiece& piece, std::int64_t to) {
  const vk::Pipeline take = pipeline(view, "export");
  // A piece's last word may be half written; what no kernel writes must be dead.
  std::memset(static_cast<std::uint64_t*>(view.transfer->mapped) + to, 0,
              static_cast<std::size_t>(piece.count() * 8) * view.shape->state_planes);
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const Chunk& chunk = (*view.chunks)[c];
    const Overlap part = overlap(chunk.plan, piece.cells);
    if (part.columns <= 0) continue;
    CellsParams params = params_of(view, chunk, part, piece.cells);
    params.first_bit = narrow(64 * to + chunk.plan.x + part.x - piece.cells.x);
    params.row_words = narrow(2 * piece.words);
    commands_.dispatch(take, view.sets[c], params,
                       ceil_div(ceil_div(part.columns, 32) * piece.cells.height, kGroup));
  }
}

CellGrid Transfer::get(const CellsView& view, const Rect& rect) {
  const Rect aligned = whole_words(rect);
  CellGrid cells(aligned.width, aligned.height, view.spec->rule.planes());
  gpu::for_each_word_piece(aligned, staged_words(view), [&](const gpu::WordPiece& piece) {
    commands_.barrier();
    export_piece(view, piece, 0);
    commands_.barrier_to_host();
    commands_.wait();
    for (int p = 0; p < cells.planes(); p++) {
      std::memcpy(cells.plane(p).words().data() + piece.first, staged(view, piece, p),
                  static_cast<std::size_t>(piece.count() * 8));
    }
  });
  return cut_from(std::move(cells), rect);
}

void Transfer::stage_rows(const CellsView& view, std::int64_t y, std::int64_t rows) {
  commands_.barrier();
  export_piece(view, {{0, y, view.spec->width, rows}, ceil_div(view.spec->width, 64), 0}, 0);
  commands_.barrier_to_all();
  commands_.wait();
}

std::vector<CellGrid> Transfer::get(const CellsView& view, std::span<const Rect> rects) {
  std::vector<CellGrid> all;
  std::vector<gpu::WordPiece> asked;
  std::int64_t used = 0;  // words of a plane
  const std::int64_t most = std::min(staged_words(view), kMostTogether);
  const auto collect = [&] {
    if (asked.empty()) return;
    commands_.barrier_to_host();
    commands_.wait();
    const auto* from = static_cast<const std::uint64_t*>(view.transfer->mapped);
    for (const gpu::WordPiece& piece : asked) {
      CellGrid cells(piece.cells.width, piece.cells.height, view.spec->rule.planes());
      for (int p = 0; p < cells.planes(); p++, from += piece.count())
        std::copy_n(from, piece.count(), cells.plane(p).words().data());
      all.push_back(cut_from(std::move(cells), rects[all.size()]));
    }
    asked.clear();
    used = 0;
  };
  for (const Rect& rect : rects) {
    const Rect aligned = whole_words(rect);
    const gpu::WordPiece piece{aligned, ceil_div(aligned.width, 64), 0};
    if (used + piece.count() > most) collect();
    if (piece.count() > most) {
      all.push_back(get(view, rect));
      continue;
    }
    if (asked.empty()) commands_.barrier();
    export_piece(view, piece, used * view.shape->state_planes);
    used += piece.count();
    asked.push_back(piece);
  }
  collect();
  return all;
}

Survey Transfer::survey(const CellsView& view, const Rect& rect, SurveyParts parts,
                        std::int64_t column0, std::int64_t row0) {
  const vk::Pipeline kernel = pipeline(view, "reduce",
                                       (parts.population ? TESSERA_REDUCE_POPULATION : 0) |
                                           (parts.bounds ? TESSERA_REDUCE_BOUNDS : 0) |
                                           (parts.hash ? TESSERA_REDUCE_HASH : 0));
  const std::int64_t groups = reduce_groups(view, rect);
  // Chunks that do not fit the transfer buffer together take turns.
  const auto at_once =
      static_cast<std::size_t>(view.transfer->bytes / (4 * TESSERA_REDUCE_WORDS * groups));
  Survey found;
  std::vector<std::int64_t> asked;  // first columns of the chunks under way
  const auto collect = [&] {
    commands_.barrier_to_host();
    commands_.wait();
    const auto* words = static_cast<const std::uint32_t*>(view.transfer->mapped);
    for (const std::int64_t x0 : asked) {
      for (std::int64_t g = 0; g < groups; g++, words += TESSERA_REDUCE_WORDS) {
        add_result(found, parts, words, x0);
      }
    }
    asked.clear();
  };
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const Chunk& chunk = (*view.chunks)[c];
    const Overlap part = overlap(chunk.plan, rect);
    if (part.columns <= 0) continue;
    if (asked.empty()) commands_.barrier();
    CellsParams params = params_of(view, chunk, part, rect);
    params.first_bit = narrow(static_cast<std::int64_t>(asked.size()) * groups);
    params.items = narrow(groups * kGroup);
    params.key_column = low(static_cast<std::uint64_t>(column0 + chunk.plan.x / 64));
    params.key_row = low(static_cast<std::uint64_t>(row0));
    commands_.dispatch(kernel, view.sets[c], params, groups);
    asked.push_back(chunk.plan.x);
    if (asked.size() == at_once) collect();
  }
  if (!asked.empty()) collect();
  return found;
}

// Counts into the transfer buffer, row-major, 64 bits per pixel; `rect` is as wide as the whole
// picture.
void Transfer::count_piece(const CellsView& view, const Rect& rect, std::int64_t scale) {
  const std::int64_t width = ceil_div(rect.width, scale), rows = ceil_div(rect.height, scale);
  // No side of a chunk is longer, and larger numbers would not fit the kernel's types.
  const std::int64_t kernel_scale = std::min<std::int64_t>(scale, std::int64_t{1} << 30);
  const std::int64_t slab_rows = std::max(kSlabRows, ceil_div(kernel_scale, kMostSlabs));
  const vk::Pipeline count = pipeline(view, "view");
  std::memset(view.transfer->mapped, 0, width * rows * 8);
  commands_.barrier();
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const ChunkPlan& chunk = (*view.chunks)[c].plan;
    const Overlap part = overlap(chunk, rect);
    if (part.columns <= 0) continue;
    const std::int64_t from = chunk.x + part.x - rect.x;  // in the rectangle
    const std::int64_t first = from / scale, last = (from + part.columns - 1) / scale;
    const std::int64_t split = (first + 1) * scale - from + part.x;
    const ViewParams params{
        .width = narrow(chunk.width),
        .height = narrow(view.spec->height),
        .stride = narrow(view.plan->stride),
        .x = narrow(part.x),
        .split = narrow(std::min(split, part.x + part.columns)),
        .x_end = narrow(part.x + part.columns),
        .y = narrow(rect.y),
        .y_end = narrow(rect.y + rect.height),
        .scale = narrow(kernel_scale),
        .pixels = narrow(last - first + 1),
        .pixel_rows = narrow(rows),
        .slabs = narrow(ceil_div(std::min(kernel_scale, rect.height), slab_rows)),
        .slab_rows = narrow(slab_rows),
        .first_pixel = narrow(first),
        .image_width = narrow(width),
        .bit_plane = bit_plane_words(chunk, *view.shape)};
    const std::int64_t items = std::int64_t{params.pixels} * params.pixel_rows * params.slabs;
    commands_.dispatch(count, view.sets[c], params, ceil_div(items, kGroup));
  }
  commands_.barrier_to_host();
  commands_.wait();
}

void Transfer::count(const CellsView& view, const Rect& rect, std::int64_t scale,
                     CellCounts& counts) {
  if (scale <= kMostSmall) {
    for (std::size_t c = 0; c < view.chunks->size(); c++) {
      if (overlap((*view.chunks)[c].plan, rect).columns != rect.width) continue;
      return count_small(view, c, rect, scale, counts);
    }
  }
  count_large(view, rect, scale, counts);
}

// Pixels of a few cells, all of them in one chunk: four per invocation.
void Transfer::count_small(const CellsView& view, std::size_t chunk, const Rect& rect,
                           std::int64_t scale, CellCounts& counts) {
  const vk::Pipeline kernel = pipeline(view, "counts");
  const ChunkPlan& plan = (*view.chunks)[chunk].plan;
  const std::int64_t x0 = plan.x, fours = ceil_div(counts.width, 4);
  gpu::for_each_piece(fours, counts.height, view.transfer->bytes / 8, [&](const Rect& piece) {
    const Rect cells = gpu::cells_under(piece, rect, 4 * scale, scale);
    ViewParams params{};
    params.stride = narrow(view.plan->stride);
    params.x = narrow(cells.x - x0);
    params.x_end = narrow(cells.x - x0 + cells.width);
    params.y = narrow(cells.y);
    params.y_end = narrow(cells.y + cells.height);
    params.scale = narrow(scale);
    params.pixel_rows = narrow(piece.height);
    params.image_width = narrow(piece.width);
    params.bit_plane = bit_plane_words(plan, *view.shape);
    commands_.barrier();
    commands_.dispatch(kernel, view.sets[chunk], params,
                       ceil_div(piece.width * piece.height, kGroup));
    commands_.barrier_to_host();
    commands_.wait();
    const auto* live = static_cast<const std::uint16_t*>(view.transfer->mapped);
    const std::int64_t width = std::min(4 * piece.width, counts.width - 4 * piece.x);
    for (std::int64_t y = 0; y < piece.height; y++, live += 4 * piece.width) {
      std::copy_n(live, width, counts.row(piece.y + y) + 4 * piece.x);
    }
  });
}

// Pixels of any number of cells: a share of a pixel per invocation.
void Transfer::count_large(const CellsView& view, const Rect& rect, std::int64_t scale,
                           CellCounts& counts) {
  gpu::for_each_piece(counts.width, counts.height, view.transfer->bytes / 8,
                      [&](const Rect& piece) {
                        count_piece(view, gpu::cells_under(piece, rect, scale, scale), scale);
                        const auto* live = static_cast<const std::uint64_t*>(view.transfer->mapped);
                        for (std::int64_t y = 0; y < piece.height; y++, live += piece.width) {
                          std::copy_n(live, piece.width, counts.row(piece.y + y) + piece.x);
                        }
                      });
}

}  // namespace tessera::vulkan
