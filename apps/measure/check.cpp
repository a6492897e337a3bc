#include "apps/measure/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/measure/lockstep.h"
#include "apps/measure/state_text.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/spaces/space_choice.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

// Long calls of step may go other ways than short ones.
constexpr int kLeast = 33;
// A slow candidate is stepped for about this long.
constexpr double kSeconds = 5;

// A kernel of the CPU that says whether another one is right.
struct Judge {
  std::string kernel;
  // Cell updates that it makes in some seconds; larger grids are checked for fewer generations.
  double work;
};

// The fastest first.
const std::vector<Judge>& judges() {
  static const std::vector<Judge> all{{"simd", 2e11}, {"word", 3e10}, {"gates", 3e10},
                                      {"sums", 1e10}, {"table", 1e9}, {"reference", 2e7}};
  return all;
}

// Grids that the slowest of them is given have no longer sides.
constexpr std::int64_t kSlowSide = 2048;

// The fastest that steps the rule and is not the candidate itself. `compiled` and `gates` share
// programs, but no code that steps them.
Judge judge_of(const Kernel& candidate, const BackendSpec& spec) {
  for (const Judge& each : judges()) {
    if (candidate.backend() == "cpu:0" && candidate.info.name == each.kernel) continue;
    if (!KernelChooser("cpu:0", each.kernel).choose(spec).unsupported(spec)) return each;
  }
  throw UnsupportedError(candidate.name() + ": no other kernel of the CPU steps this universe");
}

std::unique_ptr<Universe> begin(const RuleSpec& rule, const Soup& soup,
                                const BackendFactory& factory) {
  auto universe = std::make_unique<Universe>(rule, factory, 0, timed_choice(rule));
  universe->fill(soup);
  return universe;
}

// Seconds that one generation takes; the first also pays for what happens only once.
double slowness(Universe& universe, const Clock& clock) {
  double took = 0;
  for (int i = 0; i < 2; i++) {
    const double start = clock.now();
    universe.step(1);
    universe.synchronize();
    took = clock.now() - start;
    if (took * kLeast < kSeconds) break;
  }
  return took;
}

}  // namespace

Check check_candidate(const Kernel& candidate, const Tuning& tuning, const RuleSpec& whole,
                      const Soup& soup) {
  const Judge judge = judge_of(candidate, backend_spec(whole));
  RuleSpec rule = whole;
  if (judge.kernel == "reference") {
    rule.width = std::min(rule.width, kSlowSide);
    rule.height = std::min(rule.height, kSlowSide);
  }
  Check out;
  out.judge = "cpu:0 kernel " + judge.kernel;
  const Contender contestant{candidate.name(),
                             [&] { return begin(rule, soup, candidate.factory(tuning)); },
                             candidate.trust()};
  const Contender judge_of_it{
      out.judge, [&] { return begin(rule, soup, make_factory("cpu:0", judge.kernel, {})); }, 4};
  const WallClock clock;
  std::int64_t launch = 1;
  double seconds = 0;
  {
    // Made once only to learn how long its launches are and take.
    const std::unique_ptr<Universe> trial = contestant.start();
    launch = std::max(1, trial->info().tuning.generations);
    seconds = slowness(*trial, clock);
  }
  const double cells = static_cast<double>(rule.width) * static_cast<double>(rule.height);
  const auto affordable =
      static_cast<std::int64_t>(std::min(judge.work / cells, kSeconds / std::max(seconds, 1e-6)));
  out.generations = std::min<std::int64_t>(std::max<std::int64_t>(2 * launch + 2, kLeast),
                                           std::max(launch + 2, affordable));
  // The first two generations are stepped one by one; the rest in one call.
  const std::int64_t block = std::min(out.generations, LockstepPlan::kMaxBlock);
  const LockstepResult result =
      run_lockstep({contestant, judge_of_it}, {out.generations, block, 0}, clock);
  for (const Standing& standing : result.standings) {
    if (!standing.left_out.empty()) throw UnsupportedError(standing.left_out);
  }
  out.hash = result.hash;
  if (const std::optional<Difference>& d = result.difference) {
    out.difference = fmt::format("it differs from {} at generation {}", out.judge, d->generation);
    if (d->cell) {
      out.difference += fmt::format(", cell ({}, {}) is {}", d->cell->x, d->cell->y,
                                    state_text(d->state, d->states));
    }
  }
  return out;
}

}  // namespace tessera
