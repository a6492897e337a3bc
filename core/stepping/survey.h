#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/geometry.h"

namespace tessera {

/// What a survey is asked for: any subset, so that nobody pays for what nobody reads.
struct SurveyParts {
  bool population = false;
  bool bounds = false;
  bool hash = false;
  bool operator==(const SurveyParts&) const = default;
};

inline constexpr SurveyParts kWholeSurvey{true, true, true};

/// What one pass over a rectangle of cells finds. Surveys of parts of a universe that do not
/// overlap add up to that of the whole.
struct Survey {
  std::int64_t population = 0;   ///< cells in another state than 0
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

}  // namespace tessera
