#include "backends/cpu/block_stepper.h"

#include <algorithm>

#include "backends/cpu/coded_blocks.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/summed_blocks.h"

namespace tessera {
namespace {

// Bytes that a block keeps from row to row, and its fewest columns beside those that it needs
// beyond them.
constexpr std::int64_t kKept = 1 << 18, kFewestColumns = 16;

}  // namespace

std::int64_t BlockStepper::columns_for(const BoxLayout& layout, std::int64_t kept_bytes) {
  const std::int64_t most = std::clamp<std::int64_t>(
      kKept / kept_bytes, 8, std::max<std::int64_t>(kFewestColumns, layout.reach()));
  return ceil_div(layout.columns(), ceil_div(layout.columns(), most));
}

bool BlockStepper::codes(const BackendSpec& spec, int lanes) {
  const RangeRule& rule = *spec.rule.range;
  return !missing_machine_code(lanes) &&
         CodedBlocks::takes(rule, BoxLayout::row_words_of(spec, rule.radius));
}

std::unique_ptr<const BlockStepper> BlockStepper::of(const BackendSpec& spec,
                                                     const BoxLayout& layout, const EndProgram& end,
                                                     int lanes) {
  const RangeRule& rule = *spec.rule.range;
  if (codes(spec, lanes)) return std::make_unique<CodedBlocks>(rule, layout, end, lanes);
  return std::make_unique<SummedBlocks>(rule, layout, end);
}

}  // namespace tessera
