#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "backends/cpu/coded_tile_pool.h"
#include "backends/cpu/gate_windows.h"
#include "backends/cpu/rule_programs.h"

namespace tessera {

/// Tiles of any rule that is a program of gates (StateProgram), or of two such in turns:
/// neighbourhoods of eight, six or four cells in any arrangement, and up to 256 states.
class ProgramTilePool final : public CodedTilePool {
 public:
  /// Tiles under the rules of `spec`, within spec.max_memory. `patience`: see GateRunner.
  ProgramTilePool(const BackendSpec& spec, int threads, std::int64_t patience);

  bool two_rules() const override { return programs_->alternate(); }

 private:
  ProgramTilePool(const BackendSpec& spec, int threads, std::unique_ptr<RulePrograms> programs);

  void prepare(std::size_t tiles, int generations) override;

  std::unique_ptr<RulePrograms> programs_;
  std::optional<GateWindows> windows_;
};

}  // namespace tessera
