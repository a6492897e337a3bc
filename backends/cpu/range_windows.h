#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/box_kernel.h"
#include "backends/cpu/coded_tiles.h"
#include "backends/cpu/end_gates.h"
#include "core/rules/rule.h"

namespace tessera {

/// Steps windows under a rule of longer range, at most kTileMargin: counts of the cells that every
/// cell sees, bit-sliced, and gates from those (EndProgram). Squares of which all cells count are
/// summed by running sums, other shapes cell by cell.
class RangeWindows final : public WindowStepper {
 public:
  explicit RangeWindows(const Rule& rule);

  int radius() const { return radius_; }
  const StateProgram& states() const { return end_.states; }
  int planes() const override { return end_.states.planes; }
  std::size_t scratch_words() const override;
  void step(bool odd, std::uint64_t* scratch, WindowPlanes& planes) const override;

 private:
  void sum_squares(const std::uint64_t* cells, std::uint64_t* zeros, std::uint64_t* sums) const;

  int radius_, row_bits_;
  BoxFunction add_row_;
  bool square_;
  EndProgram end_;
  EndGates gates_;
  std::vector<std::int64_t> seen_;  // where cells that count lie from one, in words
};

}  // namespace tessera
