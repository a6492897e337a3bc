#include "core/patterns/life105.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/patterns/dense_rows.h"
#include "core/patterns/life_notes.h"
#include "core/patterns/pattern_text.h"

namespace tessera {
namespace {

constexpr const char* kLife105Accepted =
    "rows are spelled with . for dead and * for live cells, and other lines begin with #";

class Life105Reader {
 public:
  explicit Life105Reader(TextSource& text) : text_(&text), notes_(pattern_) {}

  Pattern read() {
    for (int c = text_->peek(); c != TextSource::kEnd; c = text_->peek()) {
      if (c == '#') {
        take_hash_line();
      } else {
        take_block_row();
      }
    }
    place_cells();
    settle(pattern_, *text_, block_place_);
    return std::move(pattern_);
  }

 private:
  void take_hash_line() {
    const Place place = text_->place();
    text_->get();
    TextLine line = text_->take_line();
    if (line.text().starts_with("Life")) {
      if (place.line != 1) line.fail("a #Life line was expected only at the start");
    } else if (line.accept("P ") || line.accept("P\t")) {
      block_place_ = place;
      next_.x = line.integer(coordinate_range("x of the block"));
      next_.y = line.integer(coordinate_range("y of the block"));
      line.expect_done("a block's position is spelled #P x y");
      if (!placed_) first_block_ = next_;
      placed_ = true;
    } else {
      notes_.take(line);
    }
  }

  void take_block_row() {
    const Place place = text_->place();
    const std::int64_t width =
        take_row(*text_, "*", kLife105Accepted, [&](std::int64_t x, std::int64_t length) {
          if (next_.y > kMaxCoordinate || next_.x + (x + length - 1) > kMaxCoordinate) {
            text_->fail(place, "this row reaches further than 2^62 cells from the origin");
          }
          cells_.add(next_.x + x, next_.y, length);
        });
    if (width == 0) return;
    const Bounds row{next_.x, next_.y, next_.x + width - 1, next_.y};
    box_ = box_ ? Bounds{std::min(box_->xmin, row.xmin), std::min(box_->ymin, row.ymin),
                         std::max(box_->xmax, row.xmax), std::max(box_->ymax, row.ymax)}
                : row;
    next_.y++;
  }

  // From coordinates of the universe to those of the box.
  void place_cells() {
    pattern_.cells = cells_.take();
    if (box_) {
      const Rect rect = box_->rect();
      if (box_->xmax - kMaxCoordinate >= box_->xmin || box_->ymax - kMaxCoordinate >= box_->ymin) {
        text_->fail(block_place_, "the blocks lie further than 2^62 cells apart");
      }
      pattern_.width = rect.width;
      pattern_.height = rect.height;
      pattern_.cells = pattern_.cells.moved(-rect.x, -rect.y);
      if (placed_) pattern_.position = Cell{rect.x, rect.y};
    } else if (placed_) {
      pattern_.position = first_block_;
    }
  }

  TextSource* text_;
  Pattern pattern_;
  LifeNotes notes_;
  CellCollector cells_;
  std::optional<Bounds> box_;  // around the rows so far
  Cell next_{0, 0};            // where the next row starts
  Cell first_block_{0, 0};
  bool placed_ = false;
  Place block_place_;
};

}  // namespace

Pattern read_life105(TextSource& text) { return Life105Reader(text).read(); }

void write_life105(const Pattern& pattern, TextSink& sink) {
  check_dense_size(pattern, "Life 1.05");
  sink.write("#Life 1.05\n");
  write_life_notes(pattern, sink);
  if (pattern.position)
    sink.write(fmt::format("#P {} {}\n", pattern.position->x, pattern.position->y));
  write_rows(pattern, '*', sink);
}

}  // namespace tessera
