#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/box_layout.h"
#include "backends/cpu/end_gates.h"

namespace tessera {

/// Planes of cells in a BoxLayout, and a group behind each, which may be read.
using BoxPlanes = std::vector<hwy::AlignedFreeUniquePtr<std::uint64_t[]>>;

/// Rows and columns of a BoxLayout: first to last - 1.
struct BoxBlock {
  std::int64_t first_row, last_row, first_column, last_column;
};

/// Steps blocks of a grid under a rule of longer range: counts and then gates (EndProgram).
/// Immutable; any thread may use it.
class BlockStepper {
 public:
  virtual ~BlockStepper() = default;

  /// Columns of a block, at most.
  virtual std::int64_t columns() const = 0;
  /// Words that a block needs while it is stepped, in memory that is aligned to 64 bytes.
  virtual std::int64_t scratch_words() const = 0;
  /// Gates per word of cells.
  virtual int cost() const = 0;
  /// Writes the planes that gates make of a block to `to`. What its cells see beyond their strips
  /// and bands is filled.
  virtual void step(const BoxBlock& block, const BoxPlanes& from, const BoxPlanes& to,
                    std::uint64_t* scratch) const = 0;

  /// How many columns of a grid a block has where it keeps so many bytes for each.
  static std::int64_t columns_for(const BoxLayout& layout, std::int64_t kept_bytes);

  /// Whether there is machine code for a grid under a rule, for vectors of `lanes` lanes.
  static bool codes(const BackendSpec& spec, int lanes);

  /// For a grid under a rule that BoxBackend takes, with machine code for vectors of `lanes` lanes
  /// where it can be made. `layout` and `end` are referred to.
  static std::unique_ptr<const BlockStepper> of(const BackendSpec& spec, const BoxLayout& layout,
                                                const EndProgram& end, int lanes);
};

}  // namespace tessera
