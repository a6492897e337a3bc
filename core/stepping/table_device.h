#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/transition_graph.h"

namespace tessera {

/// A cell whose next state a device could not tell, as its kernels write it.
struct UnknownCell {
  std::uint32_t x, y;
  /// Of TransitionGraph::cells(), four to a word, the first one in the lowest byte.
  std::uint32_t states[3];
};

/// A device that steps a grid under rules of files by copies of their TransitionGraph. It has two
/// buffers of cells, and its kernels take words of up to 32 cells in an order of its own.
///
/// Where a copy has no entry for a neighbourhood, the cell is noted. Its generation is done for the
/// other cells, so that all that is missing comes to light together, but no later one.
class TableDevice {
 public:
  /// What stopped it.
  struct Stop {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t generation = kNone;  ///< which counts from begin_steps(), or kNone
    std::vector<UnknownCell> cells;    ///< of that generation, kMostUnknown of them at most
  };
  /// Unknown cells that are noted; it forgets others.
  static constexpr std::size_t kMostUnknown = std::size_t{1} << 16;

  virtual ~TableDevice() = default;
  /// Words of the grid.
  virtual std::int64_t words() const = 0;
  /// Makes room for so many entries of a rule, all 0: rule 0, or where two rules take turns rule 1
  /// for odd generations. Throws DeviceMemoryError.
  virtual void make_room(int rule, std::int64_t entries) = 0;
  /// Copies entries into that room. What was queued before sees them, or does not.
  virtual void send(int rule, const TransitionGraph::Piece& piece) = 0;
  /// Forgets what stopped it. Generations are counted from here on.
  virtual void begin_steps() = 0;
  /// Queues the words `first` to `end` - 1 of a generation under a rule.
  virtual void queue(int rule, std::uint32_t generation, std::int64_t first, std::int64_t end) = 0;
  /// Waits for what was queued.
  virtual Stop stopped() = 0;
  /// Puts a state, which is states[0], into each of these cells of the generation that the one
  /// with number 0 becomes. Nothing else has put a state there. At most kMostUnknown cells.
  virtual void put(const std::vector<UnknownCell>& cells) = 0;
  /// So many generations since begin_steps() are done: the last of them is the present one.
  virtual void advance(std::int64_t generations) = 0;
};

}  // namespace tessera
