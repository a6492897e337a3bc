#include "backends/cpu/ringed_backend.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/stepping/surroundings.h"

namespace tessera {
namespace {

void clear_ring(BitGrid& array) {
  const std::int64_t w = array.width(), h = array.height();
  std::fill_n(array.row(0), array.words_per_row(), 0);
  std::fill_n(array.row(h - 1), array.words_per_row(), 0);
  for (std::int64_t y = 1; y < h - 1; y++) {
    array.set(0, y, false);
    array.set(w - 1, y, false);
  }
  array.clear_padding();
}

}  // namespace

void write_ring(BitGrid& array, const BackendSpec& spec) {
  if (spec.boundary == Boundary::plane) {
    clear_ring(array);
    return;
  }
  const std::int64_t w = spec.width, h = spec.height;
  if (!spec.plain_edges()) {
    const Surroundings surroundings(spec);
    const auto write = [&](std::int64_t x, std::int64_t y) {
      const std::optional<Cell> seen = surroundings.cell({x - 1, y - 1});
      array.set(x, y, seen && array.get(seen->x + 1, seen->y + 1));
    };
    for (const std::int64_t y : {std::int64_t{0}, h + 1})
      for (std::int64_t x = 0; x <= w + 1; x++) write(x, y);
    for (std::int64_t y = 1; y <= h; y++)
      for (const std::int64_t x : {std::int64_t{0}, w + 1}) write(x, y);
    return;
  }
  for (std::int64_t y = 1; y <= h; y++) {
    array.set(0, y, array.get(w, y));
    array.set(w + 1, y, array.get(1, y));
  }
  std::copy_n(array.row(h), array.words_per_row(), array.row(0));
  std::copy_n(array.row(1), array.words_per_row(), array.row(h + 1));
}

RingedBackend::RingedBackend(const BackendSpec& spec, BackendInfo info)
    : StepBackend(spec, std::move(info)),
      front_(spec.width + 2, spec.height + 2),
      back_(spec.width + 2, spec.height + 2) {}

std::int64_t RingedBackend::bytes_needed(const BackendSpec& spec) {
  return 2 * BitGrid::bytes(spec.width + 2, spec.height + 2).value_or(std::int64_t{1} << 61);
}

void RingedBackend::do_upload(const CellGrid& cells) { front_.paste(1, 1, cells.plane(0)); }

void RingedBackend::do_edit(const Cell& at, const CellGrid& cells) {
  front_.paste(at.x + 1, at.y + 1, cells.plane(0));
}

CellGrid RingedBackend::do_download(const Rect& rect) {
  return front_.window({rect.x + 1, rect.y + 1, rect.width, rect.height});
}

void RingedBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  count_cells(front_, {rect.x + 1, rect.y + 1, rect.width, rect.height}, scale, counts);
}

Survey RingedBackend::do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                                std::int64_t row0) {
  if (!parts.hash) {
    Survey found = survey_cells(front_, {rect.x + 1, rect.y + 1, rect.width, rect.height}, parts);
    if (found.bounds) found.bounds = found.bounds->shifted(-1, -1);
    return found;
  }
  // Words of the hash begin at the grid's own columns, one bit beside those of the array.
  Survey found;
  for (std::int64_t y = rect.y; y < rect.y + rect.height; y++) {
    const std::int64_t end = rect.x + rect.width;
    for (std::int64_t i = rect.x / 64; 64 * i < end; i++) {
      const std::int64_t begin = std::max(rect.x, 64 * i);
      const int left = static_cast<int>(begin - 64 * i);
      const int cells = static_cast<int>(std::min(end, 64 * i + 64) - begin);
      const std::uint64_t word = front_.bits(begin + 1, y + 1) & ~std::uint64_t{0} >> (64 - cells);
      survey_word(found, parts, word << left, 64 * i, y, column0 + i, row0 + y);
    }
  }
  return found;
}

}  // namespace tessera
