#pragma once

#include <cstdint>
#include <vector>

#include "backends/vulkan/pipelines.h"
#include "core/rules/count_edges.h"
#include "core/rules/range_rule.h"

namespace tessera::vulkan {

/// Rounds of the loops of an invocation: before its first word, and for each.
struct LoopRounds {
  std::int64_t first, word;
};

/// What the kernel sums (shaders/sums.comp) knows of a rule: which cells enter and leave a
/// neighbourhood from a word to the one on its right and from a row to the next.
struct SumsRule {
  explicit SumsRule(const RangeRule& from);

  RangeRule rule;
  CellBalance across, down;       ///< cells as seen from where they enter
  CellBalance corners;            ///< what `across` gains from a row to the next
  std::vector<CellOffset> cells;  ///< that count

  /// Whether what counts gain runs down rows.
  bool runs_down() const { return few_corners(corners, across); }
  /// Whether the cells that enter, and those that leave, are few below each other in one column, so
  /// that an invocation holds them all.
  bool has_lines() const;
  /// Sets all that the shader asks.
  void specialize(Specialization& values) const;
  /// The table of counts, where there is one, and the lists of neighbours, in words from a row that
  /// begins an invocation's: for rows in `rows` planes of columns of `stride` words.
  std::vector<std::uint32_t> places(std::int64_t rows, std::int64_t stride) const;
  /// Words of that.
  std::int64_t place_count(std::int64_t rows) const;
  LoopRounds loop_rounds(std::int64_t rows) const;
  /// Rough instructions of an invocation of so many rows before its first word, and for each.
  double first_work(std::uint32_t rows) const;
  double word_work(std::uint32_t rows) const;
};

}  // namespace tessera::vulkan
