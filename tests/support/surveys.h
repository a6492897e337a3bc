#pragma once

#include <cstdint>
#include <optional>

#include "core/stepping/step_backend.h"

namespace tessera::test {

/// One part of a survey of the whole grid.
inline std::int64_t population_of(StepBackend& backend) {
  return backend.survey({.population = true}).population;
}
inline std::optional<Bounds> bounds_of(StepBackend& backend) {
  return backend.survey({.bounds = true}).bounds;
}
inline std::uint64_t hash_of(StepBackend& backend) { return backend.survey({.hash = true}).hash; }

/// The hash of the grid as a part of a larger one.
inline std::uint64_t hash_at(StepBackend& backend, std::int64_t column0, std::int64_t row0) {
  const Rect whole{0, 0, backend.spec().width, backend.spec().height};
  return backend.survey(whole, {.hash = true}, column0, row0).hash;
}

}  // namespace tessera::test
