#include "core/tiles/glider.h"

#include <algorithm>
#include <bit>

namespace tessera {

namespace {

// A shape one generation later, in the smallest box that starts at its first column and row;
// nothing when it does not fit 3 x 3. `move` is where that box stands from the old one.
std::optional<int> stepped(const Rule& rule, int shape, Cell& move) {
  constexpr int kSide = 7, kAt = 2;
  bool cells[kSide][kSide] = {}, next[kSide][kSide] = {};
  for (int i = 0; i < 9; i++) cells[kAt + i / 3][kAt + i % 3] = (shape >> i & 1) != 0;
  int left = kSide, top = kSide, right = -1, bottom = -1;
  for (int y = 1; y < kSide - 1; y++) {
    for (int x = 1; x < kSide - 1; x++) {
      int neighbours = -int{cells[y][x]};
      for (int i = 0; i < 9; i++) neighbours += cells[y - 1 + i / 3][x - 1 + i % 3];
      next[y][x] = rule.next(cells[y][x], neighbours);
      if (!next[y][x]) continue;
      left = std::min(left, x), right = std::max(right, x);
      top = std::min(top, y), bottom = std::max(bottom, y);
    }
  }
  if (right - left > 2 || bottom - top > 2 || right < 0) return std::nullopt;
  move = {left - kAt, top - kAt};
  int out = 0;
  for (int i = 0; i < 9; i++) {
    const int y = top + i / 3, x = left + i % 3;
    if (y < kSide && x < kSide && next[y][x]) out |= 1 << i;
  }
  return out;
}

int mirrored(int shape, bool sideways, bool upside_down) {
  int out = 0;
  for (int i = 0; i < 9; i++) {
    const int x = sideways ? 2 - i % 3 : i % 3, y = upside_down ? 2 - i / 3 : i / 3;
    if (shape >> i & 1) out |= 1 << (3 * y + x);
  }
  return out;
}

}  // namespace

GliderKind::GliderKind(const Rule& rule) {
  if (!rule.outer_totalistic()) return;  // whose births and deaths other things decide, too
  constexpr int kSouthEast = 1 << 1 | 1 << 5 | 7 << 6;  // .o. / ..o / ooo
  for (int way = 0; way < 4; way++) {
    const int dx = way & 1 ? -1 : 1, dy = way & 2 ? -1 : 1;
    const int first = mirrored(kSouthEast, dx < 0, dy < 0);
    int shape = first;
    Cell all;
    for (int q = 0; q < 4; q++) {
      Cell move;
      const std::optional<int> next = stepped(rule, shape, move);
      if (!next) return;
      phases_[static_cast<std::size_t>(shape)] = {dx, dy, *next, static_cast<int>(move.x),
                                                  static_cast<int>(move.y)};
      all.x += move.x, all.y += move.y;
      shape = *next;
    }
    if (shape != first || all.x != dx || all.y != dy) return;
  }
  exists_ = true;
}

std::optional<Glider> GliderKind::of(int shape) const {
  const Phase& phase = phases_[static_cast<std::size_t>(shape)];
  if (phase.dx == 0) return std::nullopt;
  return Glider{{}, 0, shape, phase.dx, phase.dy};
}

std::vector<Glider> GliderKind::lone(const std::array<std::uint64_t, 64>& window, int first,
                                     int count) const {
  constexpr int kClear = 8, kSide = 3;
  std::vector<Glider> out;
  std::array<std::uint64_t, 64> left = window;  // without the gliders that were found
  for (int y = first; y < first + count && y + kSide <= 64; y++) {
    std::uint64_t& row = left[static_cast<std::size_t>(y)];
    for (; row; row &= row - 1) {
      // The box's first row holds this cell and none before it; its first column may lie before.
      const int x = std::max(std::countr_zero(row) - (kSide - 1), 0);
      const auto three = [&](int column) {
        int shape = 0;
        for (int r = 0; r < kSide; r++) {
          shape |= static_cast<int>(window[static_cast<std::size_t>(y + r)] >> column & 7)
                   << (kSide * r);
        }
        return shape;
      };
      int column = x;
      while (column <= std::countr_zero(row) && (three(column) & 0b001001001) == 0) column++;
      if (column < first || column >= first + count || column + kSide > 64) continue;
      std::optional<Glider> glider = of(three(column));
      if (!glider) continue;
      const int begin = std::max(column - kClear, 0), end = std::min(column + kSide + kClear, 64);
      const std::uint64_t around = (~std::uint64_t{0} >> (64 - (end - begin))) << begin;
      const std::uint64_t box = std::uint64_t{7} << column;
      std::uint64_t others = 0;
      for (int r = std::max(y - kClear, 0); r < std::min(y + kSide + kClear, 64); r++) {
        const bool inside = r >= y && r < y + kSide;
        others |= window[static_cast<std::size_t>(r)] & around & ~(inside ? box : 0);
      }
      if (others) continue;
      glider->at = {column, y};
      out.push_back(*glider);
      for (int r = 0; r < kSide; r++) left[static_cast<std::size_t>(y + r)] &= ~box;
    }
  }
  return out;
}

Glider GliderKind::later(const Glider& glider, std::int64_t generation) const {
  const std::int64_t passed = generation - glider.generation, quarters = passed / 4;
  Glider out = glider;
  out.generation = generation;
  out.at.x += quarters * glider.dx;
  out.at.y += quarters * glider.dy;
  for (std::int64_t rest = passed % 4; rest > 0; rest--) {
    const Phase& phase = phases_[static_cast<std::size_t>(out.shape)];
    out.at.x += phase.move_x;
    out.at.y += phase.move_y;
    out.shape = phase.next;
  }
  return out;
}

}  // namespace tessera
