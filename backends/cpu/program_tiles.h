#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/gate_plan.h"
#include "backends/cpu/tile_kernel.h"
#include "core/rules/state_program.h"

namespace tessera {

/// The planes of tiles' states under rules of more than two states, by the numbers of a StateStore,
/// which has the cells that are live in any of them. Each is kWords words in the store's order.
class TilePlanes {
 public:
  static constexpr std::size_t kWords = StateStore::kWords;

  explicit TilePlanes(int planes) : planes_(static_cast<std::size_t>(planes)) {}

  /// Room for the states below `end`; state 0 is empty. Throws std::bad_alloc.
  void reserve(std::size_t end);
  std::uint64_t* words(TileState state) {
    return chunks_[state / kPerChunk].get() + state % kPerChunk * planes_ * kWords;
  }
  const std::uint64_t* words(TileState state) const {
    return chunks_[state / kPerChunk].get() + state % kPerChunk * planes_ * kWords;
  }
  std::int64_t bytes() const {
    return std::ssize(chunks_) * static_cast<std::int64_t>(kPerChunk * planes_ * kWords * 8);
  }

 private:
  static constexpr std::size_t kPerChunk = 256;

  std::size_t planes_;
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
};

/// How tiles are stepped by a program, or by two in turns.
struct TileProgram {
  struct Turn {
    const StateProgram* program = nullptr;
    const GatePlan* plan = nullptr;  ///< of one block of kTileBlock x kTileBlock words
  };
  std::array<Turn, 2> turns;     ///< of even and of odd generations
  TilePlanes* planes = nullptr;  ///< null with one plane, which is that of live cells

  /// Planes of a state, which two programs in turns have alike.
  std::size_t count() const { return static_cast<std::size_t>(turns[0].program->planes); }
  /// Scratch memory of either plan, in words.
  std::size_t gate_words() const;
};

/// Words a side of the block that a window is to a program: its rows in the order of the window
/// kernel (TileLane), so that the rows above and below are the words a block's row before and
/// behind.
inline constexpr std::int64_t kTileBlock = 8;

/// 64-bit words of memory that a thread needs, aligned to 64 bytes.
std::size_t program_scratch_words(const TileProgram& program);

/// As tile_visit and tile_peek, by a program.
void program_tile_visit(const TileProgram& program, const TileVisit& visit, TileLane& lane,
                        std::uint64_t* scratch, const TileId* list, std::size_t count);
TileState program_tile_peek(const TileProgram& program, const TileVisit& visit,
                            std::uint64_t* scratch, TileId tile);

}  // namespace tessera
