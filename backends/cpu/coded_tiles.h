#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/tile_kernel.h"
#include "core/rules/state_program.h"
#include "core/tiles/state_planes.h"

namespace tessera {

/// Words of a window's plane: those of its 64 rows in the order of the window kernel (TileLane), so
/// that word 8 j + i is row 8 i + j, and column 0 is bit 0.
inline constexpr std::size_t kWindowWords = 64;

/// A window's planes, and as many for those that a generation makes (advance_planes); each aligned
/// to 64 bytes.
struct WindowPlanes {
  std::array<std::uint64_t*, kMostProgramPlanes> now, spare;
};

/// Steps windows under a rule whose states are bits of planes. Several threads may use it.
class WindowStepper {
 public:
  virtual ~WindowStepper() = default;

  /// Planes of a window.
  virtual int planes() const = 0;
  /// 64-bit words of memory that a generation needs, a multiple of 8.
  virtual std::size_t scratch_words() const = 0;
  /// One generation, of two rules in turns an even or an odd one. What lies beyond the window is
  /// taken for dead, so that cells at its sides are wrong: those that see it. `scratch` is aligned
  /// to 64 bytes.
  virtual void step(bool odd, std::uint64_t* scratch, WindowPlanes& planes) const = 0;
};

/// Tiles whose states are bits of planes, and how they are stepped.
struct CodedTiles {
  const WindowStepper* stepper = nullptr;
  StatePlanes* planes = nullptr;  ///< null with one plane, which is that of live cells
};

/// 64-bit words of memory that a thread needs, aligned to 64 bytes.
std::size_t coded_scratch_words(const WindowStepper& stepper);

/// As tile_visit and tile_peek.
void coded_tile_visit(const CodedTiles& tiles, const TileVisit& visit, TileLane& lane,
                      std::uint64_t* scratch, const TileId* list, std::size_t count);
TileState coded_tile_peek(const CodedTiles& tiles, const TileVisit& visit, std::uint64_t* scratch,
                          TileId tile);

}  // namespace tessera
