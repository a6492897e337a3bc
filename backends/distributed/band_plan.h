#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// The rows of a grid that one part steps.
struct BandRows {
  std::int64_t first = 0;  ///< row of the grid
  std::int64_t rows = 0;   ///< at least 1
  std::int64_t end() const { return first + rows; }
  bool operator==(const BandRows&) const = default;
};

/// Cuts `rows` rows into bands from the top down, one for each part, in proportion to the parts'
/// weights, but of at least `least` rows where there are enough: then all get as many as possible.
/// With fewer rows than parts the last parts get none, and no band. `rows` >= 1; at least one
/// weight, all of them positive. The same arguments give the same bands everywhere.
std::vector<BandRows> plan_bands(std::int64_t rows, const std::vector<double>& weights,
                                 std::int64_t least = 1);

}  // namespace tessera
