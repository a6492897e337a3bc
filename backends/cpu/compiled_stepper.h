#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/cpu/rule_programs.h"
#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_grid.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Steps any rule by machine code of its program (StripCode), in strips as the kernel `simd` does.
///
/// It begins with a program that is found at once, and has a shorter one searched for when it has
/// done so much work that this pays (RulePrograms).
class CompiledStepper {
 public:
  /// Gates of one word each: about a second's, beside which the search takes a half.
  static constexpr std::int64_t kPatience = std::int64_t{1} << 35;

  /// `tuning`: what `tuned` made. Throws UnsupportedError where `missing` has a reason.
  CompiledStepper(const BackendSpec& spec, const Tuning& tuning, std::int64_t patience);

  /// `info` with the tuning that is in force.
  static BackendInfo tuned(BackendInfo info, const BackendSpec& spec, const Tuning& tuning);
  /// Why there is no machine code here; nothing where there is.
  static std::optional<std::string> missing();
  static std::int64_t bytes_needed(const BackendSpec& spec);

  const StateProgram& program() const { return programs_.of(false); }
  StripGrid& cells() { return *grid_; }
  const StripGrid& cells() const { return *grid_; }
  void step(std::int64_t generations, bool odd);

 private:
  void compile();
  std::int64_t work_of_generation() const;

  std::int64_t words_;  // of the grid
  std::int64_t pass_;   // generations
  Rule rule_;
  RulePrograms programs_;
  PlaneMoves moves_;
  std::array<std::shared_ptr<const StripCode>, 2> codes_;  // of even and odd generations
  std::optional<StripGrid> grid_;
};

}  // namespace tessera
