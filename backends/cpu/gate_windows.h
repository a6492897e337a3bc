#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/coded_tiles.h"
#include "backends/cpu/gate_plan.h"
#include "backends/cpu/rule_programs.h"

namespace tessera {

/// Steps windows by the programs of a rule, or of two in turns, interpreted as GateRunner does.
class GateWindows final : public WindowStepper {
 public:
  /// The programs as they are now; they are referred to.
  explicit GateWindows(const RulePrograms& programs);

  int planes() const override { return programs_.of(false).planes; }
  std::size_t scratch_words() const override;
  void step(bool odd, std::uint64_t* scratch, WindowPlanes& planes) const override;

 private:
  const RulePrograms& programs_;
  std::vector<GatePlan> plans_;  // one, or those of even and of odd generations
};

}  // namespace tessera
