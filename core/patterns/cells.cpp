#include "core/patterns/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/patterns/dense_rows.h"
#include "core/patterns/pattern_text.h"

namespace tessera {
namespace {

constexpr const char* kCellsAccepted =
    "rows are spelled with . for dead and O or * for live cells, and comment lines begin with !";

// After '!' at a line's start.
void take_comment(TextSource& text, Pattern& pattern, Place& position_place) {
  const Place place = text.place();
  TextLine line = text.take_line();
  if (line.accept("Name:")) {
    take_title(pattern.name, line.rest(), "Name: ", pattern);
  } else if (line.accept("Author:")) {
    take_title(pattern.author, line.rest(), "Author: ", pattern);
  } else if (line.accept("Rule:")) {
    pattern.rule = line.rule();
  } else if (line.accept("Generation:")) {
    pattern.generation = line.integer(generation_range());
    line.expect_done("a generation is spelled !Generation: n");
  } else if (line.accept("Position:")) {
    position_place = place;
    pattern.position.emplace();
    pattern.position->x = line.integer(coordinate_range("x of the position"));
    pattern.position->y = line.integer(coordinate_range("y of the position"));
    line.expect_done("a position is spelled !Position: x y");
  } else {
    pattern.comments.push_back(comment_text(line.rest()));
  }
}

}  // namespace

Pattern read_cells(TextSource& text) {
  Pattern pattern;
  Place position_place;
  std::int64_t y = 0;
  for (int c = text.peek(); c != TextSource::kEnd; c = text.peek()) {
    if (c == '!') {
      text.get();
      take_comment(text, pattern, position_place);
      continue;
    }
    const std::int64_t width =
        take_row(text, "O*", kCellsAccepted,
                 [&](std::int64_t x, std::int64_t length) { pattern.cells.append(x, y, length); });
    y++;
    // Empty lines at the end are not rows.
    if (width > 0) pattern.height = y;
    pattern.width = std::max(pattern.width, width);
  }
  settle(pattern, text, position_place);
  return pattern;
}

void write_cells(const Pattern& pattern, TextSink& sink) {
  check_dense_size(pattern, ".cells");
  // Always written, so that the format can be recognised by the content.
  sink.write(pattern.name.empty() ? "!Name:\n" : fmt::format("!Name: {}\n", pattern.name));
  if (!pattern.author.empty()) sink.write(fmt::format("!Author: {}\n", pattern.author));
  if (pattern.rule) sink.write(fmt::format("!Rule: {}\n", to_string(*pattern.rule)));
  if (pattern.position) {
    sink.write(fmt::format("!Position: {} {}\n", pattern.position->x, pattern.position->y));
  }
  if (pattern.generation != 0) sink.write(fmt::format("!Generation: {}\n", pattern.generation));
  // The space lets a comment that happens to begin with "Name:" stay a comment.
  for (const std::string& comment : pattern.comments) {
    sink.write(comment.empty() ? "!\n" : fmt::format("! {}\n", comment));
  }
  write_rows(pattern, 'O', sink);
}

}  // namespace tessera
