#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Takes one row and its line end: '.' for dead cells and the characters of `alive` for live ones.
/// Calls `on_run(x, length)` for each run of live cells, x from 0, and returns the number of cells.
/// Throws ParseError for other characters, naming what is `accepted`.
template <class OnRun>
std::int64_t take_row(TextSource& text, std::string_view alive, const char* accepted,
                      OnRun on_run) {
  std::int64_t x = 0;
  for (;;) {
    const int next = text.peek();
    if (next == TextSource::kEnd) return x;
    const char c = static_cast<char>(next);
    if (c == '\n') {
      text.get();
      return x;
    }
    if (c == '\r') {
      text.get();
      if (text.peek() != '\n' && text.peek() != TextSource::kEnd) text.fail_unexpected(accepted);
      continue;
    }
    if (c != '.' && alive.find(c) == std::string_view::npos) text.fail_unexpected(accepted);
    const std::int64_t length = text.take_while(c);
    if (c != '.') on_run(x, length);
    x += length;
  }
}

/// Throws InputError when a fitted pattern's box takes more than 4 GiB at one character per cell.
void check_dense_size(const Pattern& pattern, const char* format);

/// Writes the box row by row: `alive` or '.' for each cell.
void write_rows(const Pattern& pattern, char alive, TextSink& sink);

}  // namespace tessera
