#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/rules/state_program.h"

namespace tessera {

/// Puts every plane where it belongs in the next generation: `spare` begins with those that gates
/// made, in order, and then holds what is not needed any more.
template <class Plane>
void advance_planes(const StateProgram& program, std::vector<Plane>& planes,
                    std::vector<Plane>& spare) {
  std::vector<Plane> old = std::move(planes), left;
  std::vector<bool> moved(old.size());
  planes.clear();
  std::size_t made = 0;
  for (std::size_t p = 0; p < old.size(); p++) {
    const std::size_t from = program.next[p];
    if (from < old.size()) moved[from] = true;
    planes.push_back(std::move(from < old.size() ? old[from] : spare[made++]));
  }
  for (std::size_t p = 0; p < old.size(); p++) {
    if (!moved[p]) left.push_back(std::move(old[p]));
  }
  for (; made < spare.size(); made++) left.push_back(std::move(spare[made]));
  spare = std::move(left);
}

}  // namespace tessera
