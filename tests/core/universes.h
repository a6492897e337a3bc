#pragma once

#include <initializer_list>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/universe.h"
#include "tests/support/fake_backend.h"

// What the tests of universes have in common.

namespace tessera::test {

/// Backends whose cells all move by `speed` per generation.
inline BackendFactory fakes(Cell speed = {1, 0}) {
  return [speed](const BackendSpec& spec) { return std::make_unique<FakeBackend>(spec, speed); };
}

/// Fakes up to a number of cells; larger ones are refused as a driver would.
inline BackendFactory small_fakes(std::int64_t cells) {
  return [cells](const BackendSpec& spec) -> std::unique_ptr<StepBackend> {
    if (spec.width * spec.height > cells) throw UnsupportedError("no more than a few cells");
    return std::make_unique<FakeBackend>(spec);
  };
}

/// A pattern of these runs in reading order.
inline Pattern pattern_of(std::initializer_list<CellRun> runs, std::optional<Cell> position = {}) {
  Pattern pattern;
  for (const CellRun& run : runs) pattern.cells.append(run.x, run.y, run.length);
  pattern.position = position;
  return pattern;
}

/// It moves right and down.
inline Pattern glider(std::optional<Cell> position = {}) {
  return pattern_of({{1, 0, 1}, {2, 1, 1}, {0, 2, 3}}, position);
}

inline bool alive(Universe& universe, std::int64_t x, std::int64_t y) {
  return universe.window({x, y, 1, 1}).state(0, 0) != 0;
}

}  // namespace tessera::test
