#pragma once

#include <cstdint>
#include <vector>

#include "backends/cuda/stepper.h"
#include "core/cells/cell_grid.h"
#include "core/cells/soup.h"
#include "core/stepping/step_backend.h"

namespace tessera::cuda {

/// Cells of all states, half of them 0.
inline CellGrid random_states(const BackendSpec& spec, std::uint64_t seed) {
  CellGrid cells(spec.width, spec.height, spec.rule.planes());
  for (std::int64_t y = 0; y < spec.height; y++) {
    for (std::int64_t x = 0; x < spec.width; x++) {
      const std::uint64_t draw =
          mix64(seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(y * 65536 + x));
      const auto states = static_cast<std::uint64_t>(spec.rule.states() - 1);
      if (draw & 1) cells.set_state(x, y, static_cast<int>(1 + (draw >> 8) % states));
    }
  }
  return cells;
}

/// The kernel's planes of cells.
inline std::vector<BitGrid> planes_of(const CellGrid& cells, const Stepper& stepper) {
  if (stepper.planes() == 1) return {cells.plane(0)};
  const std::vector<std::uint16_t> codes = stepper.codes();
  const BitGrid none(cells.width(), cells.height());
  std::vector<BitGrid> out(static_cast<std::size_t>(stepper.planes()), none);
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) {
      const unsigned code = codes[static_cast<std::size_t>(cells.state(x, y))];
      for (std::size_t p = 0; code >> p != 0; p++)
        if (code >> p & 1) out[p].set(x, y, true);
    }
  }
  return out;
}

}  // namespace tessera::cuda
