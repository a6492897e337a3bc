#include "core/stepping/survey.h"

namespace tessera {

Survey survey_of(PieceSource& pieces) {
  Survey all;
  while (const std::optional<Piece> piece = pieces.next()) {
    Survey part{piece->cells.population(), piece->cells.bounds(), 0};
    if (part.bounds) part.bounds = part.bounds->shifted(piece->at.x, piece->at.y);
    all += part;
  }
  return all;
}

Survey survey_cells(const BitGrid& grid, const Rect& rect, SurveyParts parts, std::int64_t column0,
                    std::int64_t row0) {
  Survey found;
  const std::int64_t first = rect.x / 64, last = (rect.x + rect.width - 1) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << rect.x % 64;
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - (rect.x + rect.width - 1) % 64);
  for (std::int64_t y = rect.y; y < rect.y + rect.height; y++) {
    const std::uint64_t* row = grid.row(y);
    for (std::int64_t i = first; i <= last; i++) {
      const std::uint64_t word =
          row[i] & (i == first ? from : ~std::uint64_t{0}) & (i == last ? to : ~std::uint64_t{0});
      survey_word(found, parts, word, 64 * i, y, column0 + i, row0 + y);
    }
  }
  return found;
}

Survey survey_cells(const CellGrid& cells, const Rect& rect, SurveyParts parts,
                    std::int64_t column0, std::int64_t row0) {
  const int planes = cells.planes();
  if (planes == 1) return survey_cells(cells.plane(0), rect, parts, column0, row0);
  Survey found;
  const SurveyParts but_hash{parts.population, parts.bounds, false};
  const std::int64_t end = rect.x + rect.width;
  for (std::int64_t y = rect.y; y < rect.y + rect.height; y++) {
    for (std::int64_t i = rect.x / 64; 64 * i < end; i++) {
      std::uint64_t inside = ~std::uint64_t{0};
      if (64 * i < rect.x) inside <<= rect.x - 64 * i;
      if (64 * i + 64 > end) inside &= ~std::uint64_t{0} >> (64 * i + 64 - end);
      std::uint64_t any = 0;
      for (int p = 0; p < planes; p++) {
        const std::uint64_t word = cells.plane(p).row(y)[i] & inside;
        any |= word;
        if (parts.hash && word != 0) found.hash += hash_word(word, column0 + i, row0 + y, p);
      }
      survey_word(found, but_hash, any, 64 * i, y, column0 + i, row0 + y);
    }
  }
  return found;
}

}  // namespace tessera
