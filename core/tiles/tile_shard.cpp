#include "core/tiles/tile_shard.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/cells/bit_grid.h"
#include "core/files/checkpoint_shards.h"
#include "core/files/piece_source.h"

namespace tessera {

namespace {

// Tiles in reading order as pieces: runs side by side, each of some kilobytes at most.
class ShardPieces final : public PieceSource {
 public:
  ShardPieces(TileDevice& device, const TileShard& what, std::span<const NumberedPlace> tiles)
      : device_(&device), what_(&what), left_(tiles) {}
  Rect extent() const override { return what_->order.extent; }

  std::optional<Piece> next() override {
    while (!left_.empty()) {
      if (got_ == 0) get();
      const Piece whole = run();
      const Rect cells = whole.rect(), part = cells.common(extent());
      if (part.empty()) continue;
      if (part == cells) return whole;
      return Piece{
          {part.x, part.y},
          whole.cells.window({part.x - cells.x, part.y - cells.y, part.width, part.height})};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kHandful = 4096;  // whose cells are held here
  static constexpr std::size_t kLongest = 256;   // tiles of a run

  void get() {
    std::vector<TileId> numbers;
    for (const NumberedPlace& each : left_.first(std::min(kHandful, left_.size())))
      numbers.push_back(each.tile);
    device_->get(what_->slot, numbers, rows_);
    got_ = numbers.size();
    first_ = 0;
  }

  // The longest run that begins with the next tile, of those whose cells are here.
  Piece run() {
    const Cell first = left_.front().at;
    const std::size_t most = std::min(kLongest, got_);
    std::size_t count = 1;
    while (count < most && left_[count].at.y == first.y &&
           left_[count].at.x == first.x + static_cast<std::int64_t>(count)) {
      count++;
    }
    const int planes = device_->planes();
    CellGrid cells(static_cast<std::int64_t>(count) * kTileSide, kTileSide, planes);
    BitGrid tile(kTileSide, kTileSide);
    for (std::size_t i = 0; i < count; i++) {
      for (int p = 0; p < planes; p++) {
        const TileRows& rows = rows_[first_++];
        for (int r = 0; r < kTileSide; r++) *tile.row(r) = rows[static_cast<std::size_t>(r)];
        cells.plane(p).paste(static_cast<std::int64_t>(i) * kTileSide, 0, tile);
      }
    }
    left_ = left_.subspan(count);
    got_ -= count;
    const Cell& corner = what_->corner;
    return {{first.x * kTileSide + corner.x, first.y * kTileSide + corner.y}, std::move(cells)};
  }

  TileDevice* device_;
  const TileShard* what_;
  std::span<const NumberedPlace> left_;
  std::vector<TileRows> rows_;
  std::size_t got_ = 0;    // of the first of left_ the cells are in rows_,
  std::size_t first_ = 0;  // from here on
};

}  // namespace

Shard write_tiles(TileDevice& device, const TileShard& what, std::vector<NumberedPlace> tiles) {
  if (!tiles.empty()) {
    std::vector<TileFacts> facts;
    device.look(what.slot, false, false, facts);
    std::erase_if(tiles, [&](const NumberedPlace& each) {
      return each.tile >= facts.size() || facts[each.tile].population() == 0;
    });
  }
  std::ranges::sort(tiles, {},
                    [](const NumberedPlace& each) { return std::tuple(each.at.y, each.at.x); });
  ShardPieces pieces(device, what, tiles);
  return write_shard(what.order, what.number, pieces);
}

Shard TileDevice::write_shard(const TileShard& what, const NextTiles& next) {
  std::vector<NumberedPlace> all;
  for (std::vector<NumberedPlace> some = next(); !some.empty(); some = next())
    all.insert(all.end(), some.begin(), some.end());
  return write_tiles(*this, what, std::move(all));
}

}  // namespace tessera
