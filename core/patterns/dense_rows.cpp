#include "core/patterns/dense_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::int64_t kMostDenseBytes = std::int64_t{1} << 32;
constexpr std::size_t kBlock = std::size_t{1} << 16;

// Gathers characters into blocks.
class Rows {
 public:
  explicit Rows(TextSink& sink) : sink_(&sink) {}
  void put(std::int64_t count, char c) {
    while (count > 0) {
      const std::int64_t piece = std::min<std::int64_t>(count, kBlock - text_.size());
      text_.append(static_cast<std::size_t>(piece), c);
      count -= piece;
      if (text_.size() == kBlock) flush();
    }
  }
  void flush() {
    sink_->write(text_);
    text_.clear();
  }

 private:
  TextSink* sink_;
  std::string text_;
};

}  // namespace

void check_dense_size(const Pattern& pattern, const char* format) {
  if (pattern.height > 0 && pattern.width >= kMostDenseBytes / pattern.height) {
    throw InputError(
        fmt::format("a pattern of {}x{} cells would take more than 4 GiB as {}, which spells out "
                    "every cell; .rle is accepted",
                    pattern.width, pattern.height, format));
  }
}

void write_rows(const Pattern& pattern, char alive, TextSink& sink) {
  Rows rows(sink);
  CellRuns::Reader reader = pattern.cells.reader();
  std::optional<CellRun> run = reader.next();
  for (std::int64_t y = 0; y < pattern.height; y++) {
    std::int64_t x = 0;
    for (; run && run->y == y; run = reader.next()) {
      rows.put(run->x - x, '.');
      rows.put(run->length, alive);
      x = run->x + run->length;
    }
    rows.put(pattern.width - x, '.');
    rows.put(1, '\n');
  }
  rows.flush();
}

}  // namespace tessera
