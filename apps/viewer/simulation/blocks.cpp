#include "apps/viewer/simulation/blocks.h"

#include <algorithm>

namespace tessera {
namespace {

// Along one side: where a part begins within the rectangle, how long it is, where it lies.
struct Span {
  std::int64_t begin;
  std::int64_t size;
  std::int64_t at;
};

std::vector<Span> spans_of(std::int64_t at, std::int64_t size, std::int64_t low, std::int64_t side,
                           Topology topology) {
  if (topology == Topology::infinite) return {{0, size, at}};
  if (topology == Topology::plane) {
    const std::int64_t begin = std::max(at, low), end = std::min(at + size, low + side);
    if (begin >= end) return {};
    return {{begin - at, end - begin, begin}};
  }
  size = std::min(size, side);
  const std::int64_t first = floor_mod(at - low, side);
  const std::int64_t before_edge = std::min(size, side - first);
  std::vector<Span> spans{{0, before_edge, low + first}};
  if (before_edge < size) spans.push_back({before_edge, size - before_edge, low});
  return spans;
}

template <class Where>
BitGrid moved_cells(const BitGrid& cells, std::int64_t width, std::int64_t height, Where&& where) {
  BitGrid out(width, height);
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) {
      if (!cells.get(x, y)) continue;
      const Cell to = where(x, y);
      out.set(to.x, to.y, true);
    }
  }
  return out;
}

}  // namespace

const char* name_of(PasteMode mode) {
  switch (mode) {
    case PasteMode::or_:
      return "or";
    case PasteMode::xor_:
      return "xor";
    case PasteMode::replace:
      return "replace";
  }
  return "";
}

BitGrid rotated(const BitGrid& cells) {
  const std::int64_t last = cells.height() - 1;
  return moved_cells(cells, cells.height(), cells.width(), [last](std::int64_t x, std::int64_t y) {
    return Cell{last - y, x};
  });
}

BitGrid flipped_x(const BitGrid& cells) {
  const std::int64_t last = cells.width() - 1;
  return moved_cells(cells, cells.width(), cells.height(), [last](std::int64_t x, std::int64_t y) {
    return Cell{last - x, y};
  });
}

BitGrid flipped_y(const BitGrid& cells) {
  BitGrid out(cells.width(), cells.height());
  for (std::int64_t y = 0; y < cells.height(); y++) {
    std::copy_n(cells.row(y), cells.words_per_row(), out.row(cells.height() - 1 - y));
  }
  return out;
}

void combine(BitGrid& under, const BitGrid& cells, PasteMode mode) {
  const std::span<std::uint64_t> to = under.words();
  const std::span<const std::uint64_t> from = cells.words();
  for (std::size_t i = 0; i < to.size(); i++) {
    switch (mode) {
      case PasteMode::or_:
        to[i] |= from[i];
        break;
      case PasteMode::xor_:
        to[i] ^= from[i];
        break;
      case PasteMode::replace:
        to[i] = from[i];
        break;
    }
  }
}

std::vector<Piece> pieces_of(const Rect& rect, const RuleSpec& spec) {
  std::vector<Piece> pieces;
  if (rect.empty()) return pieces;
  const Cell low = spec.origin();
  for (const Span& y : spans_of(rect.y, rect.height, low.y, spec.height, spec.topology)) {
    for (const Span& x : spans_of(rect.x, rect.width, low.x, spec.width, spec.topology)) {
      pieces.push_back({{x.begin, y.begin, x.size, y.size}, {x.at, y.at}});
    }
  }
  return pieces;
}

}  // namespace tessera
