#include "core/tiles/tile_layout.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace tessera {

namespace {

// Kinds of frames along a side: what a tile's window meets there.
constexpr int kFirst = 1, kLastButOne = 2, kLast = 4, kKinds = 8;

}  // namespace

TileLayout::Axis::Axis(bool torus, std::int64_t side)
    : cells(side), tiles(ceil_div(side, kTileSide)) {
  round = torus && side % kTileSide == 0;
  seam = torus && !round;
  if (!seam) return;
  const auto fill = [&](std::int64_t at, int first, int end, std::vector<Stretch>& out) {
    for (int to = first; to < end;) {
      const std::int64_t cell = floor_mod(at * kTileSide + to, cells);
      const int from = static_cast<int>(cell % kTileSide);
      const int size = std::min(kTileSide - from, end - to);
      out.push_back({cell / kTileSide, from, to, size});
      to += size;
    }
  };
  fill(-1, kTileSide - kTileMargin, kTileSide, before);
  fill(tiles, 0, kTileMargin, behind);
}

int TileLayout::Axis::own(std::int64_t at) const {
  if (cells == 0) return kTileSide;
  return static_cast<int>(std::min<std::int64_t>(kTileSide, cells - at * kTileSide));
}

int TileLayout::Axis::kind(std::int64_t at) const {
  // A last tile of few cells leaves some of the window beside it beyond the edge.
  const bool near = cells - (at + 1) * kTileSide < kTileMargin;
  return (at == 0 ? kFirst : 0) | (at == tiles - 1 ? kLast : 0) |
         (at == tiles - 2 && near ? kLastButOne : 0);
}

TileLayout::Places TileLayout::Axis::places(std::int64_t at) const {
  Places out;
  const auto add = [&](std::int64_t place) {
    out.at[static_cast<std::size_t>(out.count++)] = place;
  };
  const auto holds_some = [&](const Stretch& stretch) { return stretch.tile == at; };
  add(at);
  if (std::ranges::any_of(before, holds_some)) add(-1);
  if (std::ranges::any_of(behind, holds_some)) add(tiles);
  return out;
}

// Along a side with a seam the cells come again every `cells` up to the last tile's end.
std::vector<std::int64_t> TileLayout::Axis::shifts(std::int64_t at, std::int64_t size) const {
  std::vector<std::int64_t> out{0};
  if (!seam || size <= 0) return out;
  while (at + out.back() + cells < tiles * kTileSide) out.push_back(out.back() + cells);
  return out;
}

TileLayout::TileLayout(Topology topology, std::int64_t width, std::int64_t height) {
  if (topology == Topology::infinite) return;
  plane_ = topology == Topology::plane;
  x_ = Axis(!plane_, width);
  y_ = Axis(!plane_, height);
}

bool TileLayout::copies(const Cell& at) const {
  if (x_.copied(at.x)) return y_.holds(at.y) || y_.copied(at.y);
  return y_.copied(at.y) && x_.holds(at.x);
}

void TileLayout::clip(const Cell& at, TileRows& rows) const {
  const int columns = x_.own(at.x);
  if (columns < kTileSide) {
    for (std::uint64_t& row : rows) row &= (std::uint64_t{1} << columns) - 1;
  }
  for (int r = y_.own(at.y); r < kTileSide; r++) rows[static_cast<std::size_t>(r)] = 0;
}

std::uint8_t TileLayout::frame(const Cell& at) const {
  if (!plane_) return 0;
  return static_cast<std::uint8_t>(y_.kind(at.y) * kKinds + x_.kind(at.x));
}

std::vector<TileFrame> TileLayout::frames() const {
  if (!plane_) return {};
  const auto side = [](const Axis& axis, int kind, int& begin, int& end) {
    begin = kind & kFirst ? kTileMargin : 0;
    end = kTileWindowSide;
    if (kind & kLast) end = kTileMargin + axis.own(axis.tiles - 1);
    if (kind & kLastButOne) end = kTileMargin + kTileSide + axis.own(axis.tiles - 1);
  };
  std::vector<TileFrame> out(kKinds * kKinds);
  for (int i = 0; i < kKinds * kKinds; i++) {
    TileFrame& frame = out[static_cast<std::size_t>(i)];
    side(x_, i % kKinds, frame.left, frame.right);
    side(y_, i / kKinds, frame.top, frame.bottom);
  }
  return out;
}

std::vector<Cell> TileLayout::all_copies() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  if (x_.tiles > kMost || y_.tiles > kMost) {
    throw UnsupportedError("a torus of " + std::to_string(x_.cells) + "x" +
                           std::to_string(y_.cells) +
                           " cells is too long for the tiles of this backend");
  }
  std::vector<Cell> out;
  const auto add = [&](std::int64_t x, std::int64_t y) {
    if (copies({x, y})) out.push_back({x, y});
  };
  for (std::int64_t x = -1; x <= x_.tiles; x++) add(x, -1), add(x, y_.tiles);
  for (std::int64_t y = 0; y < y_.tiles; y++) add(-1, y), add(x_.tiles, y);
  return out;
}

std::vector<Cell> TileLayout::repetitions(const Rect& rect) const {
  std::vector<Cell> out;
  for (const std::int64_t y : y_.shifts(rect.y, rect.height)) {
    for (const std::int64_t x : x_.shifts(rect.x, rect.width)) out.push_back({x, y});
  }
  return out;
}

}  // namespace tessera
