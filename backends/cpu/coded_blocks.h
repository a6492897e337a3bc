#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/block_stepper.h"
#include "backends/cpu/range_code.h"
#include "core/rules/range_rule.h"

namespace tessera {

/// Neighbourhoods of any shape: counts change from cell to cell by the cells at the edges of the
/// neighbourhood, in machine code.
class CodedBlocks final : public BlockStepper {
 public:
  CodedBlocks(const RangeRule& rule, const BoxLayout& layout, const EndProgram& end, int lanes);

  /// Whether the edges of a rule are so short, and rows of so many words too, that there is code.
  static bool takes(const RangeRule& rule, std::int64_t row_words);

  std::int64_t columns() const override { return columns_; }
  std::int64_t scratch_words() const override;
  int cost() const override { return cost_; }
  void step(const BoxBlock& block, const BoxPlanes& from, const BoxPlanes& to,
            std::uint64_t* scratch) const override;

 private:
  void place(RangeCodeFrame& frame, const BoxPlanes& from, const BoxPlanes& to, std::int64_t row,
             std::int64_t column) const;

  const BoxLayout& layout_;
  std::int64_t bits_;  // of counts
  int cost_, at_once_ = 1;
  std::int64_t columns_;
  std::vector<std::int64_t> distances_;  // of all cells that count
  std::unique_ptr<const RangeCode> code_;
};

}  // namespace tessera
