#pragma once

#include "backends/cpu/block_stepper.h"
#include "core/rules/range_rule.h"

namespace tessera {

/// Squares of which all cells count: sums of rows and boxes run along (box_kernel.h), and the gates
/// that follow are interpreted over rows of a block (EndGates). For any processor.
class SummedBlocks final : public BlockStepper {
 public:
  SummedBlocks(const RangeRule& rule, const BoxLayout& layout, const EndProgram& end);

  std::int64_t columns() const override { return columns_; }
  std::int64_t scratch_words() const override;
  int cost() const override;
  void step(const BoxBlock& block, const BoxPlanes& from, const BoxPlanes& to,
            std::uint64_t* scratch) const override;

 private:
  const BoxLayout& layout_;
  int radius_, row_bits_, box_bits_;
  BoxFunction add_row_;
  EndGates end_;
  int end_cost_;
  std::int64_t columns_;
  std::int64_t stride_;  // words of a plane of sums, and of what gates make
};

}  // namespace tessera
