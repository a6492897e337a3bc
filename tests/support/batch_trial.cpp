#include "tests/support/batch_trial.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/stepping/backend_spec.h"
#include "tests/support/kernels.h"

namespace tessera::test {

namespace {

// Counts, B0, an isotropic rule, a MAP that knows left from right and up from down.
const char* const kRules[] = {
    "B3/S23",
    "B36/S125",
    "B0/S7",
    "B1357/S1357",
    "B2-a/S12",
    "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA"};

// The first, the last, and some in between where the reference would take long.
std::vector<std::int64_t> watched(const BatchTrial& trial) {
  const std::int64_t all = trial.spec.universes;
  const std::int64_t cells = trial.spec.each.width * trial.spec.each.height;
  const std::int64_t most = std::clamp<std::int64_t>(40'000 / cells, 3, 60);
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < std::min(all, most); i++)
    out.push_back(all <= most ? i : i * (all - 1) / (most - 1));
  return out;
}

}  // namespace

std::int64_t Draw::operator()(std::int64_t n) {
  state += 0x9E3779B97F4A7C15;
  return static_cast<std::int64_t>(mix64(state) % static_cast<std::uint64_t>(n));
}

std::string BatchTrial::text() const {
  return fmt::format("{} universes, {} {}x{} of {}, seed {}, steps {}", spec.universes,
                     spec.each.boundary == Boundary::torus ? "tori" : "planes", spec.each.width,
                     spec.each.height, to_string(spec.each.rule), soup.seed, steps.size());
}

BatchTrial batch_trial(std::uint64_t seed, std::int64_t most_side, std::int64_t most_universes) {
  Draw draw{seed * 0x1000};
  const auto side = [&] { return 1 + draw(draw(3) == 0 ? 5 : most_side); };
  BatchTrial trial;
  RuleSpec rule = parse_rule_spec(kRules[draw(std::ssize(kRules))]);
  rule.topology = draw(2) == 0 ? Topology::torus : Topology::plane;
  rule.width = side(), rule.height = side();
  trial.spec.each = backend_spec(rule);
  trial.spec.universes = 1 + draw(draw(2) == 0 ? 10 : most_universes);
  trial.soup = Soup::of(0.5, static_cast<std::uint64_t>(draw(1000)));
  for (std::int64_t i = 1 + draw(3); i > 0; i--) trial.steps.push_back(1 + draw(25));
  return trial;
}

void check_batch(const BatchTrial& trial, Batch& batch) {
  INFO(trial.text());
  INFO(batch.info().by.kernel, ", ", batch.info().packing, ", ", to_string(batch.info().by.tuning));
  const auto judge = reference().create(trial.spec.each);
  batch.fill(trial.soup);
  for (const std::int64_t steps : trial.steps) batch.step(steps);
  batch.synchronize();
  const std::vector<Survey> found = batch.survey(kWholeSurvey);
  const std::vector<Survey> counted = batch.survey({.population = true});
  REQUIRE(std::ssize(found) == trial.spec.universes);
  for (const std::int64_t universe : watched(trial)) {
    INFO("universe ", universe);
    Soup soup = trial.soup;
    soup.seed += static_cast<std::uint64_t>(universe);
    judge->fill(soup);
    for (const std::int64_t steps : trial.steps) judge->step(steps);
    const auto at = static_cast<std::size_t>(universe);
    REQUIRE(found[at] == judge->survey(kWholeSurvey));
    REQUIRE(counted[at].population == found[at].population);
    REQUIRE(batch.download(universe) == judge->download());
  }
}

}  // namespace tessera::test
