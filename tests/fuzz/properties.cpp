#include "properties.h"

#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/pattern_io.h"
#include "core/patterns/macrocell.h"
#include "tests/support/as_written.h"

namespace tessera::fuzz {
namespace {

// Above this many characters or cells a format that spells them all is not written.
constexpr std::int64_t kSmall = 4096;
// Above this many bytes the cells of a macrocell file take long.
constexpr std::int64_t kMostMemory = std::int64_t{1} << 20;

bool small_box(const Pattern& p) { return p.height == 0 || p.width < kSmall / p.height; }

void require_identity(const Pattern& pattern, PatternFormat format) {
  const std::string text = format_pattern(pattern, format);
  const Pattern back = parse_pattern(text, kName);
  require(back == test::as_written(pattern, format),
          "a pattern that is written and read is the same");
  require(format_pattern(back, format) == text, "a pattern that was read is written as it was");
}

}  // namespace

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void require_message(const std::string& message) {
  require(message.starts_with(std::string(kName) + ":"), "a message begins with the name");
  require(message.find('\n') == std::string::npos, "a message is one line");
  require(message.size() < 500, "a message is short");
}

void require_pattern(const Pattern& p) {
  const std::optional<Bounds> cells = p.cells.bounds();
  require(cells.has_value() == (p.cells.population() > 0), "cells have a box");
  require((p.width > 0 && p.height > 0) || (p.width == 0 && p.height == 0),
          "a box has an area or is 0x0");
  require(!cells || (cells->xmin >= 0 && cells->ymin >= 0 && cells->xmax < p.width &&
                     cells->ymax < p.height),
          "the box holds the cells");
  require(p.generation >= 0, "generations count from 0");
  std::int64_t population = 0;
  CellRuns::Reader reader = p.cells.reader();
  while (const std::optional<CellRun> run = reader.next()) population += run->length;
  require(population == p.cells.population(), "the runs add up to the population");

  require_identity(p, PatternFormat::rle);
  require_identity(p, PatternFormat::macrocell);
  if (!p.planes.empty()) return;  // the other formats have two states
  if (small_box(p)) {
    require_identity(p, PatternFormat::cells);
    require_identity(p, PatternFormat::life105);
  }
  if (population < kSmall) require_identity(p, PatternFormat::life106);
}

void check_reader(Pattern (*read)(TextSource&), std::string_view bytes) {
  try {
    ByteSource source(bytes, kName);
    TextSource text(source);
    require_pattern(read(text));
  } catch (const InputError& error) {
    require_message(error.what());
  }
}

void check_macrocell(std::string_view bytes) {
  try {
    ByteSource source(bytes, kName);
    TextSource text(source);
    const Macrocell file(text);
    const PatternSummary& summary = file.summary();
    require(summary.bounds.has_value() == (summary.population > 0), "cells have a box");
    if (file.memory() > kMostMemory) return;
    const Pattern pattern = file.pattern();
    require(pattern.cells.population() == summary.population, "the summary knows the population");
    require(pattern.cells.bounds() == summary.bounds, "the summary knows the bounds");
    Pattern notes = pattern;
    notes.cells = {};
    notes.planes = {};
    require(notes == summary.pattern, "the summary has the rest");
    require_pattern(pattern);
  } catch (const InputError& error) {
    require_message(error.what());
  }
}

}  // namespace tessera::fuzz
