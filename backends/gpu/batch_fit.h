#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/stepping/batch.h"
#include "core/stepping/kernel_info.h"

namespace tessera::gpu {

/// How universes lie in the registers of a GPU's subgroups (CUDA: warps). A word of 32 bits has
/// cells of `per_word` universes, in 32 / per_word strips of `columns` columns: bit
/// s * per_word + u of word j is column s * columns + j of universe u of the word. Universes that
/// share words are a set. `rows` rows of a set belong to a lane, `lanes` lanes to each of `sets`
/// sets of a subgroup, and where a set takes several subgroups, `group` subgroups to a set; lanes
/// left over stay empty.
struct BatchFit {
  std::int64_t per_word = 32, columns = 1, rows = 1, lanes = 1, sets = 1, group = 1;
  std::int64_t tiles = 0;  ///< subgroups' worths of words
  double cost = 0;         ///< operations per word and generation that the model expects

  /// The tuning that names it.
  Tuning tuning() const {
    Tuning out;
    out.rows = static_cast<int>(rows);
    out.words = static_cast<int>(columns);
    out.group = static_cast<int>(group);
    return out;
  }
};

/// What a device offers a universe.
struct FitLimits {
  std::int64_t lanes = 32;        ///< of a subgroup
  std::int64_t most_words = 128;  ///< of a lane: more leave no registers
  std::int64_t usual_words = 64;  ///< up to here the device runs at full speed
  std::int64_t most_group = 16;   ///< subgroups of a universe
  std::int64_t shared_bytes = 0;  ///< of a workgroup, for the rows between its subgroups
  std::int64_t wanted_tiles = 0;  ///< subgroups that keep the device busy
};

/// Bytes of a workgroup's shared memory: two halves of the first and last row of every subgroup.
inline std::int64_t edge_bytes(std::int64_t group, std::int64_t columns) {
  return group == 1 ? 0 : 2 * 2 * group * columns * 4;
}

/// The words of a batch whose other numbers are given, in subgroups of `all_lanes` lanes.
inline BatchFit fit_of(const BatchSpec& spec, BatchFit fit, std::int64_t all_lanes) {
  fit.sets = all_lanes / fit.lanes;
  fit.tiles = ceil_div(ceil_div(spec.universes, fit.per_word), fit.sets) * fit.group;
  return fit;
}

/// Gates of Life, and what else a kernel does for a word, in the same unit: the codes of the rows
/// above and below, turned ends, rows of other subgroups and the barrier, loads and stores. Lanes
/// that are left over, and a device without enough work, make all of it dearer.
inline double fit_cost(const BatchFit& fit, const FitLimits& limits) {
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const double rows = number(fit.rows), words = number(fit.columns);
  double cost = 8 + 4 / rows + 2 / words + 8 / (rows * words);
  if (fit.group > 1) cost += 3 / rows + 1;
  if (fit.rows * fit.columns > limits.usual_words) cost *= 1.05;
  cost *= number(limits.lanes) / number(fit.sets * fit.lanes);
  return cost * std::max(1.0, number(limits.wanted_tiles) / number(fit.tiles));
}

/// The cheapest fit of the batch, with the rows and the subgroups of a universe (`group`) that
/// `tuning` names where they are not 0; nothing where no lanes hold a universe: its height must be
/// a product of rows and lanes.
inline std::optional<BatchFit> best_fit(const BatchSpec& spec, const Tuning& tuning,
                                        const FitLimits& limits) {
  const std::int64_t width = spec.each.width, height = spec.each.height;
  std::optional<BatchFit> best;
  const auto offer = [&](std::int64_t strips, std::int64_t rows, std::int64_t lanes,
                         std::int64_t group) {
    if ((tuning.rows != 0 && tuning.rows != rows) || (tuning.group != 0 && tuning.group != group))
      return;
    if (edge_bytes(group, width / strips) > limits.shared_bytes) return;
    BatchFit next;
    next.per_word = 32 / strips;
    next.columns = width / strips;
    next.rows = rows;
    next.lanes = lanes;
    next.group = group;
    next = fit_of(spec, next, limits.lanes);
    next.cost = fit_cost(next, limits);
    if (!best || next.cost < best->cost) best = next;
  };
  for (std::int64_t strips = 1; strips <= 32; strips *= 2) {
    const std::int64_t words = width / strips;
    if (width % strips != 0 || words > limits.most_words) continue;
    for (std::int64_t rows = 1; rows * words <= limits.most_words && rows <= height; rows++) {
      if (height % rows != 0) continue;
      const std::int64_t lanes = height / rows;
      if (lanes <= limits.lanes) {
        offer(strips, rows, lanes, 1);
      } else if (lanes % limits.lanes == 0 && lanes / limits.lanes <= limits.most_group) {
        offer(strips, rows, limits.lanes, lanes / limits.lanes);
      }
    }
  }
  return best;
}

// What is said about such batches, and by what names their kernels go.

/// For people: how universes share the words of the kernel whole, and of sliced.
inline std::string whole_packing(std::int64_t per_word) {
  return "universes in registers, " + std::to_string(per_word) + " a word";
}
inline constexpr const char* kSlicedPacking =
    "a universe in every bit of a word, one generation a launch";

/// The kernels that step batches alone.
inline std::vector<KernelInfo> batch_kernels() {
  return {{"whole", "whole universes in registers, several in a word where they are narrow", {}},
          {"sliced", "a universe in every bit of a word, of any size", {}}};
}

/// Why the kernel whole of that backend takes no universe of this kind.
inline std::string no_whole(const std::string& backend, const BackendSpec& each) {
  return "the kernel whole of " + backend +
         " takes universes that fit registers, with a height that is a product of lanes and rows, "
         "not " +
         std::to_string(each.width) + "x" + std::to_string(each.height);
}

/// Why no batch of this kind is stepped as one job by `kernel` of a GPU's backend, whatever the
/// device; nothing where one may be.
inline std::optional<std::string> batch_refused(const std::string& backend, const BackendSpec& each,
                                                const std::string& kernel) {
  if (kernel != "auto" && kernel != "whole" && kernel != "sliced")
    return "the kernel " + kernel + " of " + backend + " steps no batches; whole and sliced do";
  const std::string batches = "batches of " + backend + " are ";
  if (each.rule.states() > 2 || each.rule.ranged())
    return batches + "stepped under rules of two states and eight neighbours";
  if (each.rule.from_file()) return batches + "stepped under rules of no file";
  if (each.odd_rule) return batches + "stepped under one rule, not under two in turns";
  if (!each.plain_edges()) return batches + "tori and bounded planes";
  return std::nullopt;
}

}  // namespace tessera::gpu
