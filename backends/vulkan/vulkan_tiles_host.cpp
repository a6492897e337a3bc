// What a host tells a Vulkan device's tiles, and what it asks of them, through the transfer buffer.

#include <algorithm>
#include <cstring>

#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_tiles.h"
#include "core/base/geometry.h"
#include "core/tiles/packed_tiles.h"

namespace tessera::vulkan {

static_assert(TESSERA_TILE_COPY == kPackedCopy && TESSERA_TILE_NOWHERE == kPackedNowhere);

// Sends items of so many words in pieces that the transfer buffer holds: `put` writes a piece to
// it.
void VulkanTiles::send(TilesParams params, int slot, std::int64_t items, std::int64_t words,
                       std::int64_t invocations,
                       const std::function<void(std::int64_t from, std::int64_t count)>& put) {
  const std::int64_t most = kTransferWords / words;
  for (std::int64_t from = 0; from < items; from += most) {
    const std::int64_t count = std::min(most, items - from);
    put(from, count);
    params.count = narrow(count * invocations);
    on_host_items(params, set(work_, place(slot), transfer_));
    commands_.wait();
  }
}

void VulkanTiles::patch(const TilePatch& patch) {
  begin();
  commands_.wait();
  std::uint32_t* const to = transferred();
  const auto count_of = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  send(params(TESSERA_TILES_LINKS), patch.slot, count_of(patch.linked), 10, 1,
       [&](std::int64_t from, std::int64_t count) {
         for (std::int64_t n = 0; n < count; n++) {
           const auto at = static_cast<std::size_t>(from + n);
           const TilePatch::Links& links = patch.links[at];
           std::uint32_t* const words = to + 10 * n;
           words[0] = patch.linked[at];
           std::ranges::copy(links.next, words + 1);
           words[9] = packed(links);
         }
       });
  const std::vector<TileRows>& rows = codes_.coded(patch.rows);
  send(params(TESSERA_TILES_DRAW), patch.slot, count_of(patch.drawn), 1 + 2 * state_rows(),
       state_rows(), [&](std::int64_t from, std::int64_t count) {
         std::memcpy(to, patch.drawn.data() + from, static_cast<std::size_t>(4 * count));
         std::memcpy(to + count, rows.data() + from * codes_.own(),
                     static_cast<std::size_t>(state_bytes() * count));
       });
  const auto tiles = [&](const std::vector<TileId>& list, const TilesParams& what) {
    send(what, patch.slot, count_of(list), 1, 1, [&](std::int64_t from, std::int64_t count) {
      std::memcpy(to, list.data() + from, static_cast<std::size_t>(4 * count));
    });
  };
  TilesParams holds = params(TESSERA_TILES_HOLD);
  holds.until = clock_ + patch.visit_for - 1;
  tiles(patch.held, holds);
  tiles(patch.queued, params(TESSERA_TILES_QUEUE));
  active_ += count_of(patch.queued);
  if (copies_.empty()) return;
  // As if the step before had changed everything.
  TilesParams before = params(TESSERA_TILES_ALL);
  before.step = clock_ - 1;
  commands_.barrier_to_all();
  dispatch_copies(before, patch.slot);
}

bool VulkanTiles::takes_from(const StepBackend& grid) const {
  const auto* const cells = dynamic_cast<const VulkanBackend*>(&grid);
  if (codes_.own() > 1 || !cells || &cells->device() != device_.get()) return false;
  const BackendSpec& spec = grid.spec();
  const std::int64_t across = ceil_div(spec.width, kTileSide);
  const std::int64_t most = kTransferWords - TESSERA_BAND_TILES;
  return ceil_div(spec.height, kTileSide) <= most / across && cells->rows_at_a_time() > 0;
}

void VulkanTiles::take_from(StepBackend& grid, int slot, std::span<const TileId> tiles) {
  auto& cells = dynamic_cast<VulkanBackend&>(grid);
  begin();
  commands_.wait();
  std::uint32_t* const to = transferred();
  const std::int64_t width = grid.spec().width, height = grid.spec().height;
  to[TESSERA_BAND_WIDTH] = narrow(width);
  to[TESSERA_BAND_HEIGHT] = narrow(height);
  to[TESSERA_BAND_ACROSS] = narrow(ceil_div(width, kTileSide));
  to[TESSERA_BAND_DOWN] = narrow(ceil_div(height, kTileSide));
  to[TESSERA_BAND_TORUS] = grid.spec().boundary == Boundary::torus;
  to[TESSERA_BAND_WORDS] = narrow(2 * ceil_div(width, 64));
  std::ranges::copy(tiles, to + TESSERA_BAND_TILES);
  TilesParams band = params(TESSERA_TILES_BAND);
  const std::int64_t most = cells.rows_at_a_time();
  for (std::int64_t first = 0; first < height; first += most) {
    const std::int64_t rows = std::min(most, height - first);
    const Buffer& words = cells.rows_as_words(first, rows);
    to[TESSERA_BAND_FIRST] = narrow(first);
    band.count = narrow(rows * ceil_div(width, kTileSide));
    on_host_items(band, set(words, place(slot), transfer_));
    commands_.wait();
  }
  // What the grid's buffer was called another one may be called later.
  sets_.clear();
  made_.clear();
}

// Words of the work buffer, through the transfer buffer.
void VulkanTiles::read_work(std::int64_t first, std::int64_t words, std::uint32_t* to) {
  for (std::int64_t at = 0; at < words; at += kTransferWords) {
    const std::int64_t count = std::min(kTransferWords, words - at);
    commands_.barrier_to_all();
    commands_.copy(work_, 4 * (first + at), transfer_, 0, 4 * count);
    commands_.barrier_to_all();
    commands_.wait();
    std::memcpy(to + at, transfer_.mapped, static_cast<std::size_t>(4 * count));
  }
}

void VulkanTiles::look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) {
  begin();
  facts.resize(end_);
  if (room_ == 0) return;
  TilesParams looks = params(TESSERA_TILES_LOOK);
  looks.until = seen_slot_ < 0;
  const Buffer& since = place(seen_slot_ < 0 ? slot : seen_slot_);
  const std::uint16_t known = of_all_slots ? 0xFFFF : 0xFFFF & ~(1 << 14);
  for (std::int64_t first = 0; first < end_; first += kTransferWords) {
    looks.what = TESSERA_TILES_LOOK;
    looks.first = narrow(first);
    looks.count = narrow(std::min(kTransferWords, std::int64_t{end_} - first));
    on_host_items(looks, set(since, place(slot), transfer_));
    looks.what = TESSERA_TILES_FOLD;
    for (int k = 0; k < slots_ && of_all_slots; k++) {
      on_host_items(looks, set(work_, place(k), transfer_));
    }
    commands_.barrier_to_all();
    commands_.wait();
    const std::uint32_t* const words = transferred();
    for (std::size_t n = 0; n < looks.count; n++) {
      facts[static_cast<std::size_t>(first) + n].bits =
          static_cast<std::uint16_t>(words[n] & known);
    }
  }
  if (!remember) return;
  // What was looked ahead at is written over by the next such look, and nothing tells where.
  seen_slot_ = slot == slots_ ? -1 : slot;
  epoch_++;
}

void VulkanTiles::get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) {
  begin();
  commands_.wait();
  rows.resize(tiles.size() * static_cast<std::size_t>(codes_.own()));
  const std::int64_t most = kTransferWords / (1 + 2 * state_rows());
  const auto all = static_cast<std::int64_t>(tiles.size());
  for (std::int64_t from = 0; from < all; from += most) {
    const std::int64_t count = std::min(most, all - from);
    std::uint32_t* const words = transferred();
    std::memcpy(words, tiles.data() + from, static_cast<std::size_t>(4 * count));
    TilesParams takes = params(TESSERA_TILES_TAKE);
    takes.count = narrow(count * state_rows());
    on_host_items(takes, set(work_, place(slot), transfer_));
    commands_.barrier_to_all();
    commands_.wait();
    std::memcpy(rows.data() + from * codes_.own(), words + count,
                static_cast<std::size_t>(state_bytes() * count));
  }
  codes_.decode(rows);
}

void VulkanTiles::lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) {
  begin();
  shapes.clear();
  if (active_ == 0 || codes_.own() > 1) return;
  commands_.barrier_to_all();
  commands_.fill_zero(work_, 4 * TESSERA_WORK_SHAPES, 4);
  TilesParams looks = params(TESSERA_TILES_STEP);
  looks.first = static_cast<std::uint32_t>(cells);
  looks.until = static_cast<std::uint32_t>(most);
  commands_.barrier_to_sizes();
  commands_.dispatch_sized(pipeline("tile_shapes"), stepping_set(slot, slot), looks, work_,
                           std::int64_t{clock_ % 3} * 16);
  std::vector<std::uint32_t> words(TESSERA_WORK_FRAMES);
  read_work(0, TESSERA_WORK_FRAMES, words.data());
  const std::uint32_t count =
      std::min<std::uint32_t>(words[TESSERA_WORK_SHAPES], TESSERA_MOST_SHAPES);
  for (std::uint32_t n = 0; n < count; n++) {
    const std::size_t note = TESSERA_WORK_HEAD + 2 * std::size_t{n};
    shapes.push_back(unpacked_shape(words[note], words[note + 1]));
  }
  // Whoever was faster wrote first.
  std::ranges::sort(shapes, {}, &LoneShape::tile);
}

}  // namespace tessera::vulkan
