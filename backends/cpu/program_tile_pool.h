#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/gate_plan.h"
#include "backends/cpu/program_tiles.h"
#include "backends/cpu/rule_programs.h"
#include "backends/cpu/tile_pool.h"

namespace tessera {

/// Tiles of any rule that is a program of gates (StateProgram), or of two such in turns,
/// interpreted as GateRunner does: neighbourhoods of eight, six or four cells in any arrangement,
/// and up to 256 states.
class ProgramTilePool final : public CpuTilePool {
 public:
  /// Tiles under the rules of `spec`, within spec.max_memory. `patience`: see GateRunner.
  ProgramTilePool(const BackendSpec& spec, int threads, std::int64_t patience);

  int planes() const override { return rule_planes_; }
  bool two_rules() const override { return programs_.alternate(); }
  TileState put(const TileRows& rows) override;
  TileState put_planes(std::span<const TileRows> planes) override;
  void get_planes(TileState state, std::span<TileRows> planes) const override;
  std::int64_t bytes_per_state() const override;
  std::int64_t bytes() const override;

 private:
  void prepare(std::size_t tiles, int generations) override;
  void visit_tiles(const TileVisit& visit, std::size_t lane, const TileId* list,
                   std::size_t count) override;
  TileState peek_tile(const TileVisit& visit, TileId tile) override;

  using Scratch = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  void make_plans();
  TileProgram program();

  int rule_planes_;
  RulePrograms programs_;
  std::optional<TilePlanes> planes_;               // with more than one
  std::vector<std::uint16_t> code_of_, state_of_;  // by state, and by code
  std::vector<GatePlan> plans_;                    // one, or those of even and odd generations
  std::vector<Scratch> scratch_;                   // one per thread
};

}  // namespace tessera
