#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/vulkan/pipelines.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/tuning.h"

namespace tessera::vulkan {

struct SumsRule;

/// Sets the specialization constants of an outer-totalistic rule's circuit.
void specialize_rule(const Rule& rule, Specialization& values);

/// A kernel's tile and the layout it steps, completely determined.
struct KernelShape {
  std::string kernel;
  Tuning tuning;                    ///< the values in force
  std::uint32_t words = 1;          ///< W of the layout (shaders/layout.glsl)
  std::uint32_t bits = 32;          ///< cells per word
  std::uint32_t margin = 4;         ///< rows above and below the grid
  std::uint32_t generations = 1;    ///< T: most generations per launch
  std::uint32_t group_size = 0;     ///< invocations per workgroup
  std::uint32_t subgroup_size = 0;  ///< 0: the kernel does not use subgroups
  std::uint32_t tiles_per_group = 1;
  std::uint32_t rows = 1;          ///< R
  std::uint32_t access = 1;        ///< rows per memory access
  std::uint32_t planes = 1;        ///< planes a column of words is stored in
  std::uint32_t bit_planes = 1;    ///< planes of a cell's code (core/rules/state_program.h)
  std::uint32_t state_planes = 1;  ///< Rule::planes
  std::uint32_t tile_words = 1;    ///< words per row of a tile over plain words
  std::uint32_t overlap = 0;  ///< lanes at either end of a subgroup that copy rows of the next one
  bool all_give = false;      ///< all lanes write what is copied
  std::uint32_t sums = 0;     ///< TESSERA_SUM_*: what is added up rather than computed by gates
  std::uint32_t before = 0, behind = 0;  ///< of sums: columns of margin before the grid and behind
  std::shared_ptr<const SumsRule> sums_rule;  ///< of sums: what it knows of the rule
  std::int64_t places = 0;                    ///< of sums: words of SumsRule::places
  bool chained = false;    ///< of strips: many passes in one dispatch, where the plan allows it
  bool one_chunk = false;  ///< the kernel takes no grid that is cut
  std::int64_t notes = 0;  ///< of table: bytes of what it tells the host
  double slowness = 1;     ///< how many times the work of a cell is that of Life's, roughly
  std::int64_t tile_columns = 32;  ///< cells of a tile that a launch completes
  std::int64_t tile_rows = 1;      ///< rows of a tile that a launch completes
  std::int64_t halo_rows = 8;      ///< rows of a tile besides those

  /// M: bits of halo on each side of a word.
  std::int64_t halo_bits() const { return (32 - bits) / 2; }
  /// Cells of a macro-column.
  std::int64_t macro() const { return std::int64_t{bits} * words; }
  /// The specialization constants to step `spec` with; `cut` where there are several chunks. Those
  /// of a rule that is a program are left open.
  Specialization specialization(const BackendSpec& spec, bool cut) const;
  /// Sets those that describe the layout.
  void specialize_layout(Specialization& values) const;
};

}  // namespace tessera::vulkan
