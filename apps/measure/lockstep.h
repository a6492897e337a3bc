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

/// One of several that step the same simulation.
struct Contender {
  std::string name;  ///< as in "cuda:0 kernel strips"
  /// The simulation at its start, on a backend of its own. Throws UnsupportedError or
  /// MemoryLimitError with the reason when this one cannot hold it.
  std::function<std::unique_ptr<Universe>()> start;
  /// Whom to believe when as many say one thing as another: the higher.
  int trust = 0;
};

/// How far they step, and how often they are compared.
struct LockstepPlan {
  std::int64_t generations = 0;
  std::int64_t block = 64;  ///< generations between checks, 1 to kMaxBlock
  /// What a contender may take for all generations, seconds; one that would need longer leaves
  /// after its first blocks. 0: as long as it takes.
  double max_seconds = 0;
  static constexpr std::int64_t kMaxBlock = 256;
};

/// How one of them fared.
struct Standing {
  /// Generations for which its state was checked against the others', and the same.
  std::int64_t agreed = 0;
  BackendInfo info;      ///< of its backend when it ended; empty when it never began
  std::string left_out;  ///< why it never began, or left before the end; empty otherwise
  bool began = false;
};

/// Where two of them part.
struct Difference {
  std::size_t wrong = 0;        ///< index of the one that differs
  std::size_t judge = 0;        ///< index of the one that is believed
  std::int64_t generation = 0;  ///< the first that differs, counted from the start
  /// The first that differs there in reading order, absolute; nothing when only the hashes differ.
  std::optional<Cell> cell;
  bool alive = false;  ///< what `wrong` says of it; `judge` says the contrary
  /// It came again when the steps were repeated, so that `generation` is exact. Otherwise it is the
  /// end of the block in which the difference was seen, once.
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
/// finds the first generation and cell that differ, by stepping to that block again. `progress`
/// hears of every generation reached; false from it stops the run there. Throws what stepping
/// throws, but for memory that a growing plane lacks, which makes its contender leave.
LockstepResult run_lockstep(const std::vector<Contender>& contenders, const LockstepPlan& plan,
                            const Clock& clock,
                            const std::function<bool(std::int64_t)>& progress = {});

}  // namespace tessera
