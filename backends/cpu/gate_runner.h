#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/crew.h"
#include "backends/cpu/gate_plan.h"
#include "backends/cpu/rule_programs.h"
#include "core/cells/bit_grid.h"
#include "core/stepping/step_backend.h"
#include "core/stepping/tuning.h"

namespace tessera {

/// Steps any rule by its program, interpreted over blocks of words with the vectors of the
/// processor, bands of rows over threads. The planes lie in arrays with a ring of cells around the
/// grid (RingedBackend), which whoever holds them fills.
///
/// It begins with a program that is found at once, and has a shorter one searched for when it has
/// done so much work that this pays (RulePrograms).
class GateRunner {
 public:
  /// A gate of one word each: about a second's, beside which the search takes a half.
  static constexpr std::int64_t kPatience = std::int64_t{1} << 32;

  /// Why two rules cannot take turns here, or nothing.
  static std::optional<std::string> refusal(const BackendSpec& spec);

  /// The arrays of a generation: what is read of each plane, and where those planes go that gates
  /// make (`makes`). All have the same size.
  struct Arrays {
    std::array<const BitGrid*, kMostProgramPlanes> from{};
    std::array<BitGrid*, kMostProgramPlanes> to{};
  };

  /// For the arrays of a grid. `patience`: gates of one word each before the search.
  GateRunner(const BackendSpec& spec, const Tuning& tuning, std::int64_t patience);

  /// `info` with the tuning that is in force.
  static BackendInfo tuned(BackendInfo info, const Tuning& tuning);

  /// What steps from even generations; its planes, `next` and `codes` never change. That of odd
  /// ones has as many planes and the same codes.
  const StateProgram& program() const { return programs_.of(false); }
  /// Most planes that gates make in a generation (StateProgram::makes).
  std::size_t most_made() const;

  /// Steps so many generations, the first of them an odd one or not, which matters where the spec
  /// has an odd_rule: before each, `begin` fills the rings and says where all is, and after it
  /// `end` is called, both with the generation's program.
  void run(std::int64_t generations, bool begins_odd,
           const std::function<Arrays(const StateProgram&)>& begin,
           const std::function<void(const StateProgram&)>& end);

 private:
  using Scratch = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  void make_plans();
  std::int64_t work_of(bool odd) const;
  int tasks_of(bool odd) const;
  void make_scratch(int tasks);
  void step_band(const GatePlan& plan, const Arrays& arrays, std::int64_t first, std::int64_t last,
                 std::uint64_t* scratch) const;
  void step_block(const GatePlan& plan, const Arrays& arrays, std::int64_t y, std::int64_t rows,
                  std::int64_t column, std::uint64_t* scratch) const;

  std::int64_t words_, rows_;
  int threads_;
  RulePrograms programs_;
  std::vector<GatePlan> plans_;   // of even and, where there is one, of odd generations
  std::vector<Scratch> scratch_;  // one per task
  std::unique_ptr<Crew> crew_;    // made when first used
};

}  // namespace tessera
