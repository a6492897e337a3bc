#include "core/pattern_io.h"

#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/patterns/cells.h"
#include "core/patterns/life105.h"
#include "core/patterns/life106.h"
#include "core/patterns/macrocell.h"
#include "core/patterns/mcell.h"
#include "core/patterns/pattern_text.h"
#include "core/patterns/recognise.h"
#include "core/patterns/rle.h"
#include "core/rules/rule_folders.h"

namespace tessera {
namespace {

Pattern read(TextSource& text, PatternFormat format) {
  switch (format) {
    case PatternFormat::rle:
      return read_rle(text);
    case PatternFormat::cells:
      return read_cells(text);
    case PatternFormat::life105:
      return read_life105(text);
    case PatternFormat::life106:
      return read_life106(text);
    case PatternFormat::mcell:
      return read_mcell(text);
    case PatternFormat::macrocell:
      break;
  }
  return read_macrocell(text);
}

void write(const Pattern& pattern, PatternFormat format, TextSink& sink) {
  const std::optional<Pattern> tidy = tidied(pattern);
  const Pattern& ready = tidy ? *tidy : pattern;
  if (!ready.planes.empty() && !holds_states(format))
    throw InputError("cells of more than two states are written as .rle and .mc alone");
  switch (format) {
    case PatternFormat::rle:
      write_rle(ready, sink);
      break;
    case PatternFormat::cells:
      write_cells(ready, sink);
      break;
    case PatternFormat::life105:
      write_life105(ready, sink);
      break;
    case PatternFormat::life106:
      write_life106(ready, sink);
      break;
    case PatternFormat::macrocell:
      write_macrocell(ready, sink);
      break;
    case PatternFormat::mcell:
      throw InputError("MCell files are read and not written");
  }
}

bool is_packed(const std::string& path) {
  return path.size() > 3 && (path.ends_with(".gz") || path.ends_with(".GZ"));
}

}  // namespace

Pattern read_pattern(const std::string& path) {
  const RulesBeside beside(path);
  ByteSource bytes(path);
  TextSource text(bytes);
  return read(text, recognise(text));
}

PatternSummary read_summary(const std::string& path, PatternFormat* format) {
  const RulesBeside beside(path);
  ByteSource bytes(path);
  TextSource text(bytes);
  const PatternFormat found = recognise(text);
  if (format) *format = found;
  if (found == PatternFormat::macrocell) return Macrocell(text).summary();
  PatternSummary summary;
  summary.pattern = read(text, found);
  const CellRuns cells = std::exchange(summary.pattern.cells, {});
  summary.pattern.planes.clear();
  summary.population = cells.population();
  summary.bounds = cells.bounds();
  return summary;
}

Pattern parse_pattern(std::string_view bytes, const std::string& name) {
  ByteSource source(bytes, name);
  TextSource text(source);
  return read(text, recognise(text));
}

PatternFormat pattern_format_of(const std::string& path) {
  if (path == "-") return PatternFormat::rle;
  if (const std::optional<PatternFormat> format = format_of_suffix(path)) return *format;
  throw InputError(printable(path) +
                   ": the suffix names no pattern format; accepted are .rle, .mc (macrocell), "
                   ".cells, .lif and .life (Life 1.06), .l (Life 1.05), each also with .gz");
}

void write_pattern(const std::string& path, const Pattern& pattern) {
  const PatternFormat format = pattern_format_of(path);
  std::unique_ptr<TextSink> sink;
  if (path == "-") {
    sink = std::make_unique<StandardOutputSink>();
  } else {
    sink = std::make_unique<FileSink>(path);
  }
  if (is_packed(path)) sink = std::make_unique<GzipSink>(std::move(sink));
  write(pattern, format, *sink);
  sink->finish();
}

std::string format_pattern(const Pattern& pattern, PatternFormat format) {
  StringSink sink;
  write(pattern, format, sink);
  return sink.take();
}

}  // namespace tessera
