#include "backends/cpu/strip_planes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "backends/cpu/column_code.h"

namespace tessera {

PlaneMoves::PlaneMoves(const StateProgram& program) {
  for (int p = 0; p < program.planes; p++) {
    const int from = plane_moves(program, p) ? program.next[static_cast<std::size_t>(p)] : 0;
    if (from > 0 && std::find(from_.begin(), from_.end(), from) != from_.end()) permute_ = false;
    from_.push_back(from);
  }
}

std::vector<PlaneMemory> PlaneMoves::after(int generations) const {
  PlaneMemory now{};
  for (std::size_t p = 0; p < from_.size(); p++) now[p] = static_cast<int>(p);
  std::vector<PlaneMemory> all{now};
  for (int t = 0; t < generations; t++) {
    const PlaneMemory before = now;
    std::vector<int> left;
    for (std::size_t p = 1; p < from_.size(); p++) {
      if (std::find(from_.begin(), from_.end(), static_cast<int>(p)) == from_.end())
        left.push_back(before[p]);
    }
    for (std::size_t p = 1; p < from_.size(); p++) {
      if (from_[p] > 0) {
        now[p] = before[static_cast<std::size_t>(from_[p])];
      } else {
        now[p] = left.back();
        left.pop_back();
      }
    }
    all.push_back(now);
  }
  return all;
}

std::int64_t strip_window_rows(int generations, int rows) { return 3 * (generations + rows); }

std::int64_t strip_window_words(const StripLayout& layout, int planes, int generations, int rows) {
  return (planes - 1) * strip_window_rows(generations, rows) * layout.stride * layout.lanes;
}

PlaneWindow::PlaneWindow(const StripLayout& layout, const StripPlanes& planes, int generations,
                         int rows)
    : layout_(layout),
      planes_(planes),
      generations_(generations),
      group_rows_(rows),
      rows_(strip_window_rows(generations, rows)),
      row_words_(layout.stride * layout.lanes),
      base_(-layout.margin_top) {
  if (!planes.moves) return;
  for (std::int64_t m = 1; m < planes.moves->planes(); m++) {
    const auto to = static_cast<std::size_t>(m);
    base_row_[to] = planes.window ? planes.window + (m - 1) * rows_ * row_words_ + layout.lanes
                                  : planes.back[to] + layout.at(base_, 0);
  }
}

// Makes room in the window for the rows of a group, see enter().
void PlaneWindow::slide(std::int64_t top) {
  const std::int64_t first = top - 1, last = first + group_rows_, begin = top - generations_;
  if (!begun_) {
    begun_ = true;
    base_ = begin;
  } else if (last > base_ + rows_) {
    for (int m = 1; m < planes_.moves->planes(); m++) {
      if (planes_.moves->stays(m)) continue;
      std::uint64_t* to = base_row_[static_cast<std::size_t>(m)] - layout_.lanes;
      std::memmove(to, to + (begin - base_) * row_words_,
                   static_cast<std::size_t>((first - begin) * row_words_) * 8);
    }
    base_ = begin;
  }
}

// Generation t of the group steps rows top - t and on.
void PlaneWindow::enter(std::int64_t top, std::int64_t end) {
  if (!planes_.moves) return;
  if (planes_.window) slide(top);
  const std::int64_t first = top - 1, last = first + group_rows_;
  const int count = planes_.moves->planes();
  // What lies beyond the margins, nobody needs.
  const std::int64_t from = std::max(first, -layout_.margin_top),
                     to = std::min({last, end, layout_.band_rows + layout_.margin_bottom});
  if (from >= to) return;
  for (int p = 1; p < count; p++) {
    if (planes_.moves->stays(p)) continue;
    std::memcpy(row(p, from), planes_.front[static_cast<std::size_t>(p)] + layout_.at(from, 0),
                static_cast<std::size_t>((to - from) * row_words_ - 2 * layout_.lanes) * 8);
  }
}

void PlaneWindow::leave(std::int64_t first, std::int64_t last) const {
  if (!planes_.window) return;
  for (int p = 1; p < planes_.moves->planes(); p++) {
    if (planes_.moves->stays(p)) continue;
    const int from = memory(static_cast<int>(generations_))[static_cast<std::size_t>(p)];
    std::memcpy(planes_.back[static_cast<std::size_t>(p)] + layout_.at(first, 0), row(from, first),
                static_cast<std::size_t>((last - first) * row_words_ - 2 * layout_.lanes) * 8);
  }
}

}  // namespace tessera
