#include "apps/measure/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/measure/lockstep.h"
#include "apps/measure/state_text.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/spaces/space_choice.h"

namespace tessera {

namespace {

// Long calls of step may go other ways than short ones.
constexpr int kLeast = 33;
// Cell updates that the judges make in some seconds, on vectors and on plain words; larger grids
// are checked for fewer generations.
constexpr double kVectorWork = 2e11, kWordWork = 3e10;
// A slow candidate is stepped for about this long.
constexpr double kSeconds = 5;

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

Check check_candidate(const Kernel& candidate, const Tuning& tuning, const RuleSpec& rule,
                      const Soup& soup) {
  // The vector kernel is by far the fastest judge; it is judged itself by a kernel of plain words.
  const bool is_simd = candidate.backend() == "cpu:0" && candidate.info.name == "simd";
  const std::string judge = is_simd ? "word" : "simd";
  Check out;
  out.judge = "cpu:0 kernel " + judge;
  const Contender contestant{candidate.name(),
                             [&] { return begin(rule, soup, candidate.factory(tuning)); },
                             candidate.trust()};
  const Contender judge_of_it{
      out.judge, [&] { return begin(rule, soup, make_factory("cpu:0", judge, {})); }, 4};
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
  const auto affordable = static_cast<std::int64_t>(
      std::min((is_simd ? kWordWork : kVectorWork) / cells, kSeconds / std::max(seconds, 1e-6)));
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
