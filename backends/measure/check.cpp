#include "backends/measure/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/drivers.h"
#include "backends/measure/lockstep.h"
#include "core/error.h"

namespace tessera {

namespace {

// Long calls of step may go other ways than short ones.
constexpr int kLeast = 33;
// Cell updates that a judge of plain words makes in some seconds; larger grids are checked for fewer generations.
constexpr double kWork = 2e11;

std::unique_ptr<Universe> begin(const RuleSpec& rule, const Soup& soup, const BackendFactory& factory) {
  auto universe = std::make_unique<Universe>(rule, factory);
  universe->fill(soup);
  return universe;
}

}  // namespace

Check check_candidate(const Entrant& candidate, const Tuning& tuning, const RuleSpec& rule,
                      const Soup& soup) {
  // The vector kernel is by far the fastest judge; it is judged itself by a kernel of plain words.
  const bool is_simd = candidate.backend() == "cpu:0" && candidate.kernel.name == "simd";
  const std::string judge = is_simd ? "word" : "simd";
  Check out;
  out.judge = "cpu:0 kernel " + judge;
  int launch = 1;
  const std::vector<Contender> contenders = {
      {candidate.name(),
       [&] {
         auto universe = begin(rule, soup, candidate.factory(tuning));
         launch = std::max(1, universe->backend().info().tuning.generations);
         return universe;
       },
       candidate.trust()},
      {out.judge, [&] { return begin(rule, soup, make_factory("cpu:0", judge, {})); }, 4}};
  // Made once only to learn how long its launches are.
  contenders.front().start();
  const double cells = static_cast<double>(rule.width) * static_cast<double>(rule.height);
  const auto affordable = static_cast<std::int64_t>(kWork / cells);
  out.generations = std::min<std::int64_t>(std::max(2 * launch + 1, kLeast),
                                           std::max<std::int64_t>(launch + 1, affordable));
  // The first two generations are stepped one by one; the rest in one call.
  const std::int64_t block = std::min(out.generations, LockstepPlan::kMaxBlock);
  const LockstepResult result = run_lockstep(contenders, {out.generations, block, 0}, WallClock());
  for (const Standing& standing : result.standings) {
    if (!standing.left_out.empty()) throw UnsupportedError(standing.left_out);
  }
  out.hash = result.hash;
  if (const std::optional<Difference>& d = result.difference) {
    out.difference = fmt::format("it differs from {} at generation {}", out.judge, d->generation);
    if (d->cell) {
      out.difference += fmt::format(", cell ({}, {}) is {}", d->cell->x, d->cell->y, d->alive ? "alive" : "dead");
    }
  }
  return out;
}

}  // namespace tessera
