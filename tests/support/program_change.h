#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"
#include "core/stepping/step_backend.h"
#include "tests/support/kernels.h"
#include "tests/support/own_cache.h"

namespace tessera::test {

/// A grid whose kernel runs programs, and which searches for shorter ones after so much work
/// (RulePrograms).
using MakeWithPatience = std::function<std::unique_ptr<StepBackend>(
    const BackendSpec& spec, int threads, std::int64_t patience)>;

/// Judges grids of one rule that keep their first programs, that change to those which were found
/// while they stepped, and that begin with those. No other test of the process may have searched
/// for the rule's.
inline void check_programs(const std::vector<BackendSpec>& specs, const std::vector<int>& threads,
                           const std::vector<std::int64_t>& patiences,
                           const MakeWithPatience& make) {
  constexpr std::array<std::int64_t, 2> kSteps = {3, 24};
  const OwnCache cache("programs");
  struct Grid {
    const BackendSpec& spec;
    int threads;
    CellGrid wanted;
    std::unique_ptr<StepBackend> backend;
  };
  const auto soup_of = [](const BackendSpec& spec) {
    return Soup{static_cast<std::uint64_t>(spec.width), 32768};
  };
  const auto begun = [&](const BackendSpec& spec, int count, std::int64_t patience) {
    auto backend = make(spec, count, patience);
    backend->fill(soup_of(spec));
    backend->step(kSteps[0]);
    return backend;
  };
  const auto check = [&](const BackendSpec& spec, StepBackend& backend, const CellGrid& wanted) {
    backend.step(kSteps[1]);
    INFO(to_string(spec.rule) << " on " << spec.width << "x" << spec.height);
    CHECK(backend.download() == wanted);
  };
  std::vector<Grid> changing;
  REQUIRE(!known_program(neighbourhood_table(specs.front().rule)));
  for (const BackendSpec& spec : specs) {
    const auto judge = reference().create(spec);
    judge->fill(soup_of(spec));
    judge->step(kSteps[0] + kSteps[1]);
    const CellGrid wanted = judge->download();
    for (const int count : threads) {
      check(spec, *begun(spec, count, std::numeric_limits<std::int64_t>::max()), wanted);
      for (const std::int64_t patience : patiences)
        changing.push_back({spec, count, wanted, begun(spec, count, patience)});
    }
  }
  found_program(neighbourhood_table(specs.front().rule));
  for (Grid& grid : changing) {
    check(grid.spec, *grid.backend, grid.wanted);
    check(grid.spec, *begun(grid.spec, grid.threads, 0), grid.wanted);
  }
}

}  // namespace tessera::test
