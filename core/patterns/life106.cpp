#include "core/patterns/life106.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/patterns/life_notes.h"
#include "core/patterns/pattern_text.h"

namespace tessera {
namespace {

void skip_spaces(TextSource& text) {
  while (text.peek() == ' ' || text.peek() == '\t') text.get();
}

std::int64_t take_coordinate(TextSource& text, const char* what) {
  skip_spaces(text);
  const Place place = text.place();
  const bool negative = text.peek() == '-';
  if (negative || text.peek() == '+') text.get();
  if (!is_digit(text.peek())) {
    text.fail_unexpected(
        fmt::format("{} of a live cell was expected; lines are spelled x y", what));
  }
  std::int64_t value = 0;
  while (is_digit(text.peek())) {
    const int digit = text.get() - '0';
    if (value > (kMaxCoordinate - digit) / 10) {
      text.fail(place, fmt::format("{} of a live cell must be within {} to {}", what,
                                   -kMaxCoordinate, kMaxCoordinate));
    }
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

// Reads -?[0-9]{1,18}, which is always in range, and moves `at` behind it; false for anything else.
bool read_plain(const char*& at, const char* end, std::int64_t& value) {
  const bool negative = at != end && *at == '-';
  at += negative;
  const char* const most = end - at > 18 ? at + 18 : end;
  const char* const digits = at;
  value = 0;
  for (; at != most && is_digit(*at); at++) value = value * 10 + (*at - '0');
  if (negative) value = -value;
  return at != digits;
}

// Takes a line that is spelled as usual and lies completely in the current block, several times as
// fast as character by character. Leaves any other to take_cell, also those that fail.
bool take_plain_cell(TextSource& text, CellCollector& cells) {
  const std::string_view ahead = text.ahead();
  const char* at = ahead.data();
  const char* const end = at + ahead.size();
  std::int64_t x, y;
  if (!read_plain(at, end, x) || at == end || *at++ != ' ') return false;
  if (!read_plain(at, end, y) || at == end || *at != '\n') return false;
  text.skip(static_cast<std::size_t>(at - ahead.data()));
  text.get();
  cells.add(x, y, 1);
  return true;
}

void take_cell(TextSource& text, CellCollector& cells) {
  const std::int64_t x = take_coordinate(text, "x");
  if (text.peek() != ' ' && text.peek() != '\t') {
    text.fail_unexpected("a space and y of a live cell were expected; lines are spelled x y");
  }
  const std::int64_t y = take_coordinate(text, "y");
  skip_spaces(text);
  if (text.peek() == '\r') text.get();
  if (text.peek() != '\n' && text.peek() != TextSource::kEnd) {
    text.fail_unexpected("the end of the line was expected; lines are spelled x y");
  }
  cells.add(x, y, 1);
}

}  // namespace

Pattern read_life106(TextSource& text) {
  Pattern pattern;
  LifeNotes notes(pattern);
  CellCollector cells;
  text.take_line();  // "#Life 1.06"
  text.skip_white();
  while (text.peek() != TextSource::kEnd) {
    if (text.peek() == '#') {
      text.get();
      notes.take(text.take_line());
    } else if (!take_plain_cell(text, cells)) {
      take_cell(text, cells);
    }
    text.skip_white();
  }
  pattern.cells = cells.take();
  if (const std::optional<Bounds> bounds = pattern.cells.bounds()) {
    if (bounds->xmax - kMaxCoordinate >= bounds->xmin ||
        bounds->ymax - kMaxCoordinate >= bounds->ymin) {
      text.fail(text.place(), "the cells lie further than 2^62 cells apart");
    }
    pattern.cells = pattern.cells.moved(-bounds->xmin, -bounds->ymin);
    pattern.position = Cell{bounds->xmin, bounds->ymin};
  }
  settle(pattern, text, text.place());
  return pattern;
}

void write_life106(const Pattern& pattern, TextSink& sink) {
  const Cell at = pattern.position.value_or(Cell{0, 0});
  if (const std::optional<Bounds> bounds = pattern.cells.bounds()) {
    const auto digits = [](std::int64_t low, std::int64_t high) {
      return static_cast<std::int64_t>(
          std::max(fmt::formatted_size("{}", low), fmt::formatted_size("{}", high)));
    };
    const Bounds box = bounds->shifted(at.x, at.y);
    const std::int64_t line = digits(box.xmin, box.xmax) + digits(box.ymin, box.ymax) + 2;
    if (pattern.cells.population() > (std::int64_t{1} << 32) / line) {
      throw InputError(fmt::format(
          "a pattern of {} live cells would take more than 4 GiB as Life 1.06, which lists "
          "each of them; .rle is accepted",
          pattern.cells.population()));
    }
  }
  sink.write("#Life 1.06\n");
  write_life_notes(pattern, sink);
  CellRuns::Reader reader = pattern.cells.reader();
  std::string lines;
  while (const std::optional<CellRun> run = reader.next()) {
    for (std::int64_t i = 0; i < run->length; i++) {
      fmt::format_to(std::back_inserter(lines), "{} {}\n", at.x + run->x + i, at.y + run->y);
      if (lines.size() < 65536) continue;
      sink.write(lines);
      lines.clear();
    }
  }
  sink.write(lines);
}

}  // namespace tessera
