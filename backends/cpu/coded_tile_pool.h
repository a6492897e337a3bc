#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/coded_tiles.h"
#include "backends/cpu/tile_pool.h"
#include "core/rules/state_program.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Tiles whose states are bits of a program's planes (StateProgram::codes), stepped by a
/// WindowStepper.
class CodedTilePool : public CpuTilePool {
 public:
  int planes() const override { return rule_planes_; }
  TileState put(const TileRows& rows) override;
  TileState put_planes(std::span<const TileRows> planes) override;
  void get_planes(TileState state, std::span<TileRows> planes) const override;
  std::int64_t bytes_per_state() const override;
  std::int64_t bytes() const override;

 protected:
  /// Tiles of spec.rule, whose states `program` codes, within spec.max_memory.
  CodedTilePool(const BackendSpec& spec, const StateProgram& program, int threads);

  /// Tiles are stepped by it from now on; it is referred to.
  void use(const WindowStepper& stepper);
  void prepare(std::size_t tiles, int generations) override;

 private:
  void visit_tiles(const TileVisit& visit, std::size_t lane, const TileId* list,
                   std::size_t count) override;
  TileState peek_tile(const TileVisit& visit, TileId tile) override;

  using Scratch = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  CodedTiles tiles();

  int rule_planes_, own_planes_;
  std::optional<StatePlanes> planes_;              // with more than one
  std::vector<std::uint16_t> code_of_, state_of_;  // by state, and by code
  const WindowStepper* stepper_ = nullptr;
  std::vector<Scratch> scratch_;  // one per thread
};

}  // namespace tessera
