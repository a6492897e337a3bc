#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/measure/clock.h"
#include "core/universe.h"

namespace tessera {

/// One of several contenders that step the same simulation.
struct Contender {
  std::string name;  ///< as in "cuda:0 kernel strips"
  /// Makes the simulation at its start, on a backend of its own. Throws UnsupportedError or
  /// MemoryLimitError with the reason when it cannot hold it.
  std::function<std::unique_ptr<Universe>()> start;
  /// Decides whom to believe when equally many contenders agree on each state: the higher.
  int trust = 0;
};

/// How far they step, and how often they are compared.
struct LockstepPlan {
  std::int64_t generations = 0;
  std::int64_t block = 64;  ///< generations between checks, 1 to kMaxBlock
  /// Seconds that a contender may take for all generations; one that would need longer leaves after
  /// its first blocks. 0: no limit.
  double max_seconds = 0;
  static constexpr std::int64_t kMaxBlock = 256;
};

/// The result of one contender.
struct Standing {
  /// Generations for which its state was checked against the others' and equal.
  std::int64_t agreed = 0;
  BackendInfo info;      ///< of its backend when it ended; empty when it never began
  std::string left_out;  ///< why it never began, or why it left before the end; empty otherwise
  bool began = false;
};

/// Where two contenders differ.
struct Difference {
  std::size_t wrong = 0;        ///< index of the one that differs
  std::size_t judge = 0;        ///< index of the one that is believed
  std::int64_t generation = 0;  ///< the first that differs, counted from the start
  /// The first differing cell in reading order, in absolute coordinates; nothing when only the
  /// hashes differ.
  std::optional<Cell> cell;
  int state = 0;   ///< the cell's in `wrong`
  int other = 0;   ///< and in `judge`
  int states = 2;  ///< of the rule
  /// The difference came again when the steps were repeated, so that `generation` is exact.
  /// Otherwise that is the end of the block in which the difference was seen once.
  bool repeatable = true;
  /// Others that differ from the judge at the end of that block.
  std::vector<std::size_t> also;
};

/// What a lockstep run found.
struct LockstepResult {
  std::vector<Standing> standings;  ///< in the order of the contenders
  std::int64_t generation = 0;      ///< reached, counted from the start
  std::int64_t checks = 0;          ///< how often hashes were compared
  std::uint64_t hash = 0;           ///< at `generation`, of those who agree
  std::int64_t population = 0;      ///< likewise
  std::optional<Difference> difference;
};

/// Steps all contenders block by block and compares their state hashes after each block: at the
/// start, after generations 1 and 2, and then after every block. Stops at the first difference and
/// finds the first generation and cell that differ, by stepping to that block again. `progress` is
/// called for every generation reached and stops the run by returning false. Throws what stepping
/// throws, except that a contender leaves when its growing plane runs out of memory.
LockstepResult run_lockstep(const std::vector<Contender>& contenders, const LockstepPlan& plan,
                            const Clock& clock,
                            const std::function<bool(std::int64_t)>& progress = {});

}  // namespace tessera
