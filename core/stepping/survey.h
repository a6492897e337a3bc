#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "core/base/geometry.h"
#include "core/cells/bit_grid.h"
#include "core/cells/state_hash.h"
#include "core/files/piece_source.h"

namespace tessera {

/// The parts of a survey to find: any subset, so that nothing unused is computed.
struct SurveyParts {
  bool population = false;
  bool bounds = false;
  bool hash = false;
  bool operator==(const SurveyParts&) const = default;
};

inline constexpr SurveyParts kWholeSurvey{true, true, true};

/// The results of one pass over a rectangle of cells. Surveys of disjoint parts of a universe add
/// up to that of the whole; hashes do so where the parts meet at multiples of 64 columns.
struct Survey {
  std::int64_t population = 0;   ///< cells whose state is not 0
  std::optional<Bounds> bounds;  ///< box around them, or nothing when there are none
  std::uint64_t hash = 0;        ///< their share of the state hash (core/cells/state_hash.h)

  Survey& operator+=(const Survey& other) {
    population += other.population;
    hash += other.hash;
    if (!bounds) {
      bounds = other.bounds;
    } else if (other.bounds) {
      bounds = Bounds{
          std::min(bounds->xmin, other.bounds->xmin), std::min(bounds->ymin, other.bounds->ymin),
          std::max(bounds->xmax, other.bounds->xmax), std::max(bounds->ymax, other.bounds->ymax)};
    }
    return *this;
  }
  bool operator==(const Survey&) const = default;
};

/// Population and bounds of pieces that do not overlap; no hash.
Survey survey_of(PieceSource& pieces);

/// Surveys `rect` (inside the grid) of a canonical grid, as StepBackend::survey defines it.
Survey survey_cells(const BitGrid& grid, const Rect& rect, SurveyParts parts,
                    std::int64_t column0 = 0, std::int64_t row0 = 0);

/// The same of cells of any number of states.
Survey survey_cells(const CellGrid& cells, const Rect& rect, SurveyParts parts,
                    std::int64_t column0 = 0, std::int64_t row0 = 0);

/// Adds one canonical word of cells of two states to a survey: `x` and `y` are the coordinates of
/// its first cell, `column` and `row` its place in the hash.
inline void survey_word(Survey& found, SurveyParts parts, std::uint64_t word, std::int64_t x,
                        std::int64_t y, std::int64_t column, std::int64_t row) {
  if (word == 0) return;
  if (parts.population) found.population += std::popcount(word);
  if (parts.hash) found.hash += hash_word(word, column, row);
  if (!parts.bounds) return;
  const std::int64_t xmin = x + std::countr_zero(word), xmax = x + 63 - std::countl_zero(word);
  if (!found.bounds) {
    found.bounds = Bounds{xmin, y, xmax, y};
    return;
  }
  Bounds& box = *found.bounds;
  box = {std::min(box.xmin, xmin), std::min(box.ymin, y), std::max(box.xmax, xmax),
         std::max(box.ymax, y)};
}

}  // namespace tessera
