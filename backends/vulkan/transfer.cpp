#include "backends/vulkan/transfer.h"

#include <algorithm>
#include <cstring>

#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kGroup = 64;             // invocations a workgroup
constexpr std::int64_t kMostReduceGroups = 256;  // results a chunk
constexpr std::int64_t kReduceWords = 16;        // words of cells an invocation takes at least
constexpr std::int64_t kSlabRows = 16;           // of a pixel's cells, one invocation
constexpr std::int64_t kMostSlabs = 64;
constexpr std::int64_t kMostShaded =
    64;  // cells a side of pixels that one invocation looks at alone

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

CellsParams params_of(const CellsView& view, const Chunk& chunk) {
  CellsParams params{};
  params.width = narrow(chunk.plan.width);
  params.height = narrow(view.spec->height);
  params.stride = narrow(view.plan->stride);
  return params;
}

// Workgroups that reduce each chunk: as many as have something to do, by the largest chunk.
std::int64_t reduce_groups(const CellsView& view) {
  const std::int64_t words = ceil_div((*view.chunks)[0].plan.width, 32) * view.spec->height;
  return std::clamp<std::int64_t>(ceil_div(words, kGroup * kReduceWords), 1, kMostReduceGroups);
}

// Cuts a rectangle into bands whose canonical words fit the transfer buffer.
template <class Body>
void for_each_band(const CellsView& view, const Rect& rect, Body&& body) {
  const std::int64_t most_words = view.transfer->bytes / 8;
  const std::int64_t columns = std::min(rect.width, most_words * 64);
  for (std::int64_t x = 0; x < rect.width; x += columns) {
    const std::int64_t width = std::min(columns, rect.width - x);
    const std::int64_t row_words = ceil_div(width, 64);
    const std::int64_t rows = std::min(rect.height, most_words / row_words);
    for (std::int64_t y = 0; y < rect.height; y += rows) {
      body(Rect{rect.x + x, rect.y + y, width, std::min(rows, rect.height - y)}, row_words);
    }
  }
}

}  // namespace

vk::Pipeline Transfer::pipeline(const CellsView& view, const char* shader, std::uint32_t reduce) {
  Specialization values{};
  values[TESSERA_SPEC_GROUP_SIZE] = kGroup;
  view.shape->specialize_layout(values);
  values[TESSERA_SPEC_REDUCE] = reduce;
  return device_->guarded("make a pipeline",
                          [&] { return device_->pipelines().get(shader, values); });
}

void Transfer::import_band(const CellsView& view, const Rect& band, std::int64_t row_words) {
  const vk::Pipeline import = pipeline(view, "import");
  commands_.barrier();
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const Chunk& chunk = (*view.chunks)[c];
    const Overlap part = overlap(chunk.plan, band);
    if (part.columns <= 0) continue;
    CellsParams params = params_of(view, chunk);
    params.x = narrow(part.x);
    params.y = narrow(band.y);
    params.columns = narrow(part.columns);
    params.rows = narrow(band.height);
    params.first_bit = narrow(chunk.plan.x + part.x - band.x);
    params.row_words = narrow(2 * row_words);
    const std::int64_t macro = view.shape->macro();
    const std::int64_t macros = (part.x + part.columns - 1) / macro - part.x / macro + 1;
    commands_.dispatch(import, view.sets[c], params,
                       ceil_div(macros * view.shape->words * band.height, kGroup));
  }
  commands_.wait();
}

void Transfer::write_margins(const CellsView& view) {
  if (view.spec->boundary == Boundary::plane) return;
  const vk::Pipeline margins = pipeline(view, "margins");
  commands_.barrier();
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const Chunk& chunk = (*view.chunks)[c];
    const std::int64_t words = ceil_div(chunk.plan.width, view.shape->macro()) * view.shape->words;
    commands_.dispatch(margins, view.sets[c], params_of(view, chunk),
                       ceil_div(words * 2 * view.shape->margin, kGroup));
  }
}

void Transfer::put(const CellsView& view, const Cell& at, const BitGrid& cells) {
  for_each_band(view, {at.x, at.y, cells.width(), cells.height()},
                [&](const Rect& band, std::int64_t row_words) {
                  auto* to = static_cast<std::uint64_t*>(view.transfer->mapped);
                  for (std::int64_t y = 0; y < band.height; y++) {
                    std::memcpy(to + y * row_words,
                                cells.row(band.y - at.y + y) + (band.x - at.x) / 64, row_words * 8);
                  }
                  import_band(view, band, row_words);
                });
  write_margins(view);
  commands_.submit();
}

void Transfer::put_soup(const CellsView& view, const Soup& soup) {
  const std::int64_t grid_words = ceil_div(view.spec->width, 64);
  const vk::Pipeline make = pipeline(view, "soup");
  for_each_band(
      view, {0, 0, view.spec->width, view.spec->height},
      [&](const Rect& band, std::int64_t row_words) {
        if (soup.density == 0 || soup.density >= 65536) {
          std::memset(view.transfer->mapped, soup.density == 0 ? 0 : 0xFF,
                      band.height * row_words * 8);
        } else {
          const std::uint64_t first = static_cast<std::uint64_t>(band.y * grid_words + band.x / 64);
          const SoupParams params{.seed_low = low(soup.seed),
                                  .seed_high = high(soup.seed),
                                  .density = soup.density,
                                  .index_low = low(first),
                                  .index_high = high(first),
                                  .words = narrow(row_words),
                                  .rows = narrow(band.height),
                                  .grid_words_low = low(grid_words),
                                  .grid_words_high = high(grid_words)};
          commands_.barrier();
          commands_.dispatch(make, view.sets[0], params, ceil_div(row_words * band.height, kGroup));
        }
        import_band(view, band, row_words);
      });
  write_margins(view);
  commands_.submit();
}

BitGrid Transfer::get(const CellsView& view, const Rect& rect) {
  // The kernel exports whole words; a rectangle that begins inside one is cut out here.
  const Rect aligned{rect.x / 64 * 64, rect.y, rect.width + rect.x % 64, rect.height};
  BitGrid cells(aligned.width, aligned.height);
  const vk::Pipeline take = pipeline(view, "export");
  for_each_band(view, aligned, [&](const Rect& band, std::int64_t row_words) {
    // A band's last word may be half written; what no kernel writes must be dead.
    std::memset(view.transfer->mapped, 0, band.height * row_words * 8);
    commands_.barrier();
    for (std::size_t c = 0; c < view.chunks->size(); c++) {
      const Chunk& chunk = (*view.chunks)[c];
      const Overlap part = overlap(chunk.plan, band);
      if (part.columns <= 0) continue;
      CellsParams params = params_of(view, chunk);
      params.x = narrow(part.x);
      params.y = narrow(band.y);
      params.columns = narrow(part.columns);
      params.rows = narrow(band.height);
      params.first_bit = narrow(chunk.plan.x + part.x - band.x);
      params.row_words = narrow(2 * row_words);
      commands_.dispatch(take, view.sets[c], params,
                         ceil_div(ceil_div(part.columns, 32) * band.height, kGroup));
    }
    commands_.barrier_to_host();
    commands_.wait();
    const auto* from = static_cast<const std::uint64_t*>(view.transfer->mapped);
    for (std::int64_t y = 0; y < band.height; y++) {
      std::memcpy(cells.row(band.y - aligned.y + y) + (band.x - aligned.x) / 64,
                  from + y * row_words, row_words * 8);
    }
  });
  return rect == aligned ? std::move(cells)
                         : cells.window({rect.x % 64, 0, rect.width, rect.height});
}

std::vector<std::uint32_t> Transfer::reduce(const CellsView& view, std::uint32_t what,
                                            std::int64_t column0, std::int64_t row0) {
  const vk::Pipeline kernel = pipeline(view, "reduce", what);
  const auto chunks = static_cast<std::int64_t>(view.chunks->size());
  const std::int64_t groups = reduce_groups(view);
  // Chunks that do not fit the transfer buffer together take turns.
  const std::int64_t at_once = view.transfer->bytes / (16 * groups);
  std::vector<std::uint32_t> results;
  for (std::int64_t first = 0; first < chunks; first += at_once) {
    const std::int64_t count = std::min(at_once, chunks - first);
    commands_.barrier();
    for (std::int64_t c = 0; c < count; c++) {
      const Chunk& chunk = (*view.chunks)[first + c];
      CellsParams params = params_of(view, chunk);
      params.first_bit = narrow(c * groups);
      params.items = narrow(groups * kGroup);
      params.key_column = low(static_cast<std::uint64_t>(column0 + chunk.plan.x / 64));
      params.key_row = low(static_cast<std::uint64_t>(row0));
      commands_.dispatch(kernel, view.sets[first + c], params, groups);
    }
    commands_.barrier_to_host();
    commands_.wait();
    const auto* words = static_cast<const std::uint32_t*>(view.transfer->mapped);
    results.insert(results.end(), words, words + count * groups * 4);
  }
  return results;
}

std::int64_t Transfer::population(const CellsView& view) {
  const std::vector<std::uint32_t> results = reduce(view, TESSERA_REDUCE_POPULATION, 0, 0);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < results.size(); i += 4)
    sum += results[i] | std::uint64_t{results[i + 1]} << 32;
  return static_cast<std::int64_t>(sum);
}

std::uint64_t Transfer::hash(const CellsView& view, std::int64_t column0, std::int64_t row0) {
  const std::vector<std::uint32_t> results = reduce(view, TESSERA_REDUCE_HASH, column0, row0);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < results.size(); i += 4)
    sum += results[i] | std::uint64_t{results[i + 1]} << 32;
  return sum;
}

std::optional<Bounds> Transfer::bounds(const CellsView& view) {
  const std::vector<std::uint32_t> results = reduce(view, TESSERA_REDUCE_BOUNDS, 0, 0);
  const std::int64_t groups = reduce_groups(view);
  std::optional<Bounds> box;
  for (std::size_t c = 0; c < view.chunks->size(); c++) {
    const std::int64_t x0 = (*view.chunks)[c].plan.x;
    for (std::int64_t g = 0; g < groups; g++) {
      const std::uint32_t* r = results.data() + 4 * (c * groups + g);
      if (r[0] > r[2]) continue;  // nothing lives in what this workgroup saw
      const Bounds part{x0 + r[0], r[1], x0 + r[2], r[3]};
      if (!box) box = part;
      box = Bounds{std::min(box->xmin, part.xmin), std::min(box->ymin, part.ymin),
                   std::max(box->xmax, part.xmax), std::max(box->ymax, part.ymax)};
    }
  }
  return box;
}

// Counts into the transfer buffer, row-major, 64 bits a pixel; `rect` is as wide as the whole
// picture.
void Transfer::count_band(const CellsView& view, const Rect& rect, std::int64_t scale) {
  const std::int64_t width = ceil_div(rect.width, scale), rows = ceil_div(rect.height, scale);
  // No side of a chunk is longer, and larger numbers would not fit the kernel's.
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
        .image_width = narrow(width)};
    const std::int64_t items = std::int64_t{params.pixels} * params.pixel_rows * params.slabs;
    commands_.dispatch(count, view.sets[c], params, ceil_div(items, kGroup));
  }
  commands_.barrier_to_host();
  commands_.wait();
}

void Transfer::density(const CellsView& view, const Rect& rect, std::int64_t scale,
                       DensityImage& image) {
  // A scale beyond the rectangle changes nothing but the size of numbers.
  scale = std::min(scale, std::max(rect.width, rect.height));
  if (scale <= kMostShaded) {
    for (std::size_t c = 0; c < view.chunks->size(); c++) {
      const Chunk& chunk = (*view.chunks)[c];
      if (overlap(chunk.plan, rect).columns != rect.width) continue;
      return shade_pixels(view, chunk, view.sets[c], rect, scale, image);
    }
  }
  count_pixels(view, rect, scale, image);
}

// Pixels of a few cells, all of them in one chunk.
void Transfer::shade_pixels(const CellsView& view, const Chunk& chunk, vk::DescriptorSet set,
                            const Rect& rect, std::int64_t scale, DensityImage& image) {
  const vk::Pipeline shade = pipeline(view, "shade");
  const std::int64_t most_words = view.transfer->bytes / 4;
  const std::int64_t columns = std::min(ceil_div(image.width, 4), most_words) * 4;
  const std::int64_t rows = std::min(image.height, most_words / (columns / 4));
  for (std::int64_t px = 0; px < image.width; px += columns) {
    const std::int64_t width = std::min(columns, image.width - px), words = ceil_div(width, 4);
    for (std::int64_t py = 0; py < image.height; py += rows) {
      const std::int64_t height = std::min(rows, image.height - py);
      ViewParams params{};
      params.stride = narrow(view.plan->stride);
      params.x = narrow(rect.x - chunk.plan.x + px * scale);
      params.x_end = narrow(rect.x - chunk.plan.x + std::min((px + width) * scale, rect.width));
      params.y = narrow(rect.y + py * scale);
      params.y_end = narrow(rect.y + std::min((py + height) * scale, rect.height));
      params.scale = narrow(scale);
      params.pixel_rows = narrow(height);
      params.image_width = narrow(words);
      commands_.barrier();
      commands_.dispatch(shade, set, params, ceil_div(words * height, kGroup));
      commands_.barrier_to_host();
      commands_.wait();
      const auto* greys = static_cast<const std::uint8_t*>(view.transfer->mapped);
      for (std::int64_t y = 0; y < height; y++) {
        std::memcpy(image.pixels.data() + (py + y) * image.width + px, greys + y * 4 * words,
                    static_cast<std::size_t>(width));
      }
    }
  }
}

// Pixels of any number of cells: counted on the device, a share of a pixel an invocation.
void Transfer::count_pixels(const CellsView& view, const Rect& rect, std::int64_t scale,
                            DensityImage& image) {
  const std::int64_t most_pixels = view.transfer->bytes / 8;
  const std::int64_t columns = std::min(image.width, most_pixels);
  const std::int64_t rows = std::min(image.height, most_pixels / columns);
  for (std::int64_t px = 0; px < image.width; px += columns) {
    for (std::int64_t py = 0; py < image.height; py += rows) {
      const Rect band{rect.x + px * scale, rect.y + py * scale,
                      std::min(columns * scale, rect.width - px * scale),
                      std::min(rows * scale, rect.height - py * scale)};
      count_band(view, band, scale);
      const auto* counts = static_cast<const std::uint64_t*>(view.transfer->mapped);
      const std::int64_t band_width = ceil_div(band.width, scale),
                         band_rows = ceil_div(band.height, scale);
      for (std::int64_t y = 0; y < band_rows; y++) {
        const std::int64_t cells_high = std::min(scale, band.height - y * scale);
        for (std::int64_t x = 0; x < band_width; x++) {
          const std::int64_t area = std::min(scale, band.width - x * scale) * cells_high;
          image.pixels[(py + y) * image.width + px + x] =
              density_grey(static_cast<std::int64_t>(counts[y * band_width + x]), area);
        }
      }
    }
  }
}

}  // namespace tessera::vulkan
