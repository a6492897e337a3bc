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
  if (side == 0) return {{0, size, at}};  // without end
  if (topology != Topology::torus) {
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

// The cells of every plane, each moved to where `where` says.
template <class Where>
CellGrid moved_cells(const CellGrid& cells, std::int64_t width, std::int64_t height,
                     Where&& where) {
  CellGrid out(width, height, cells.planes());
  for (int p = 0; p < cells.planes(); p++) {
    for (std::int64_t y = 0; y < cells.height(); y++) {
      for (std::int64_t x = 0; x < cells.width(); x++) {
        if (!cells.plane(p).get(x, y)) continue;
        const Cell to = where(x, y);
        out.plane(p).set(to.x, to.y, true);
      }
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

CellGrid rotated(const CellGrid& cells) {
  const std::int64_t last = cells.height() - 1;
  return moved_cells(cells, cells.height(), cells.width(), [last](std::int64_t x, std::int64_t y) {
    return Cell{last - y, x};
  });
}

CellGrid flipped_x(const CellGrid& cells) {
  const std::int64_t last = cells.width() - 1;
  return moved_cells(cells, cells.width(), cells.height(), [last](std::int64_t x, std::int64_t y) {
    return Cell{last - x, y};
  });
}

CellGrid flipped_y(const CellGrid& cells) {
  CellGrid out(cells.width(), cells.height(), cells.planes());
  for (int p = 0; p < cells.planes(); p++) {
    const BitGrid& from = cells.plane(p);
    for (std::int64_t y = 0; y < cells.height(); y++) {
      std::copy_n(from.row(y), from.words_per_row(), out.plane(p).row(cells.height() - 1 - y));
    }
  }
  return out;
}

void combine(CellGrid& under, const CellGrid& cells, PasteMode mode) {
  if (mode == PasteMode::replace) {
    under = cells;
    return;
  }
  const BitGrid below = under.live(), above = cells.live();
  for (std::size_t i = 0; i < above.words().size(); i++) {
    const std::uint64_t any = above.words()[i];
    // Where both are alive, nothing is afterwards.
    const std::uint64_t both = mode == PasteMode::xor_ ? any & below.words()[i] : 0;
    for (int p = 0; p < cells.planes(); p++) {
      std::uint64_t& to = under.plane(p).words()[i];
      to = ((to & ~any) | cells.plane(p).words()[i]) & ~both;
    }
  }
}

CellGrid fitted(CellGrid cells, const Rule& rule) {
  if (cells.planes() == rule.planes() && cells.highest_state(rule.states()) == 0) return cells;
  CellGrid out(cells.width(), cells.height(), rule.planes());
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) {
      const int state = cells.state(x, y);
      if (state != 0) out.set_state(x, y, state < rule.states() ? state : 1);
    }
  }
  return out;
}

std::vector<Overlap> overlaps(const Rect& rect, const RuleSpec& spec) {
  std::vector<Overlap> parts;
  if (rect.empty()) return parts;
  const Cell low = spec.origin();
  for (const Span& y : spans_of(rect.y, rect.height, low.y, spec.height, spec.topology)) {
    for (const Span& x : spans_of(rect.x, rect.width, low.x, spec.width, spec.topology)) {
      parts.push_back({{x.begin, y.begin, x.size, y.size}, {x.at, y.at}});
    }
  }
  return parts;
}

}  // namespace tessera
