#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "core/rules/state_program.h"

namespace tessera {

/// Puts every plane where it belongs in the next generation: `spare` begins with those that gates
/// made, in order, and then with as many that are not needed any more. A plane goes to one place.
template <class Plane>
void advance_planes(const StateProgram& program, std::span<Plane> planes, std::span<Plane> spare) {
  const auto count = static_cast<std::size_t>(program.planes);
  const auto at = [&](std::size_t i) -> Plane& { return i < count ? planes[i] : spare[i - count]; };
  // What each place gets, planes first and spare ones behind them.
  std::array<std::size_t, 2 * kMostProgramPlanes> source;
  std::array<bool, kMostProgramPlanes> moved{};
  std::size_t made = 0, left = 0;
  for (std::size_t p = 0; p < count; p++) {
    const std::size_t from = program.next[p];
    if (from < count) moved[from] = true;
    source[p] = from < count ? from : count + made++;
  }
  for (std::size_t p = 0; p < count; p++) {
    if (!moved[p]) source[count + left++] = p;
  }
  // What was at a place that has got its own already, was swapped to where that came from.
  for (std::size_t i = 0; i < count + left; i++) {
    std::size_t from = source[i];
    while (from < i) from = source[from];
    if (from != i) std::swap(at(i), at(from));
  }
}

}  // namespace tessera
