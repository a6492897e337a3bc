#include "backends/vulkan/sums_rule.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "backends/gpu/cell_lines.h"
#include "backends/gpu/counting_work.h"
#include "core/rules/range_gates.h"

namespace tessera::vulkan {

namespace {

std::uint32_t size_of(const std::vector<CellOffset>& cells) {
  return static_cast<std::uint32_t>(cells.size());
}

std::uint32_t far(int by) { return static_cast<std::uint32_t>(by + TESSERA_FAR); }

}  // namespace

SumsRule::SumsRule(const RangeRule& from)
    : rule(from),
      across(CountEdges(from, CountEdges::Step::right).cells),
      down(CountEdges(from, CountEdges::Step::down).cells),
      corners(change_below(across)),
      cells(counted_cells(from)) {}

bool SumsRule::has_lines() const { return runs_down() && gpu::holds_lines(across, {0, 1}); }

void SumsRule::specialize(Specialization& values) const {
  const int bits = count_bits(rule);
  const int gain = std::bit_width(size_of(across.plus)) + 1;
  values[TESSERA_SPEC_COUNT_BITS] = static_cast<std::uint32_t>(bits);
  values[TESSERA_SPEC_GAIN_BITS] = static_cast<std::uint32_t>(std::min(gain, bits));
  values[TESSERA_SPEC_ACROSS] = size_of(across.plus);
  values[TESSERA_SPEC_DOWN] = size_of(down.plus);
  values[TESSERA_SPEC_CELLS] = size_of(cells);
  values[TESSERA_SPEC_TABLE] = takes_table(rule);
  values[TESSERA_SPEC_SIDE] = static_cast<std::uint32_t>(rule.radius + 1);
  if (!runs_down()) return;
  values[TESSERA_SPEC_CORNERS] = size_of(corners.plus);
  for (std::size_t i = 0; i < corners.plus.size(); i++) {
    const auto place = [](const CellOffset& at) { return 2048 * far(at.dx) + far(at.dy); };
    values[TESSERA_SPEC_CORNER + i] = place(corners.plus[i]);
    values[TESSERA_SPEC_CORNER + TESSERA_MOST_CORNERS + i] = place(corners.minus[i]);
  }
  if (!has_lines()) return;
  values[TESSERA_SPEC_RUN] = 1;
  values[TESSERA_SPEC_AHEAD] = size_of(across.plus) <= gpu::kMostAhead;
  values[TESSERA_SPEC_SQUARE] = rule.shape == RangeShape::moore;
  values[TESSERA_SPEC_RUN_ENTERS] = far(across.plus[0].dx);
  values[TESSERA_SPEC_RUN_LEAVES] = far(across.minus[0].dx);
  values[TESSERA_SPEC_RUN_FIRST] = far(across.plus[0].dy);
}

std::int64_t SumsRule::place_count(std::int64_t rows) const {
  return count_table_words(rule) + std::ssize(cells) + (rows - 1) * 2 * std::ssize(down.plus) +
         (runs_down() ? 1 : rows) * 2 * std::ssize(across.plus);
}

std::vector<std::uint32_t> SumsRule::places(std::int64_t rows, std::int64_t stride) const {
  std::vector<std::uint32_t> out;
  if (takes_table(rule)) out = count_table(rule);
  const auto add = [&](const std::vector<CellOffset>& list, std::int64_t row) {
    for (const CellOffset& each : list) {
      const std::int64_t y = row + each.dy + TESSERA_FAR;  // whole groups of rows further down
      out.push_back(static_cast<std::uint32_t>(each.dx * stride + y % rows * (stride / rows) +
                                               y / rows - TESSERA_FAR / rows));
    }
  };
  add(cells, 0);
  for (std::int64_t row = 1; row < rows; row++) add(down.plus, row), add(down.minus, row);
  for (std::int64_t row = 0; row < (runs_down() ? 1 : rows); row++)
    add(across.plus, row), add(across.minus, row);
  return out;
}

LoopRounds SumsRule::loop_rounds(std::int64_t rows) const {
  const std::int64_t all = std::ssize(cells), entering = std::ssize(across.plus) / 8;
  const std::int64_t table = takes_table(rule) ? 32 * rows : 0;
  return {all / 32 + 4 + (rows - 1) * 2 * (std::ssize(down.plus) / 8),
          1 + table + (runs_down() ? 1 : rows) * 2 * entering};
}

double SumsRule::first_work(std::uint32_t rows) const {
  const int bits = count_bits(rule);
  return gpu::counting_work(cells.size(), bits) +
         (rows - 1) * gpu::counting_work(2 * down.plus.size(), bits);
}

double SumsRule::word_work(std::uint32_t rows) const {
  const int bits = count_bits(rule);
  const double edges = gpu::counting_work(2 * across.plus.size(), bits);
  const double gates =
      takes_table(rule) ? 64.0 * bits : static_cast<double>(range_gates(rule).gates.size());
  const double each = gates + 12 + 2.0 * bits;
  if (has_lines()) return 4.0 * size_of(across.plus) + rows * (each + 4.0 + bits);
  return runs_down() ? edges + rows * (each + size_of(corners.plus) * (4.0 + bits))
                     : rows * (each + edges);
}

}  // namespace tessera::vulkan
