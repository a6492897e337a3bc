// Threads: the same bits for any number of them, and independent backends side by side.

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/compiled_planes_backend.h"
#include "backends/cpu/cpu_driver.h"
#include "backends/cpu/crew.h"
#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_layout.h"
#include "backends/cpu/strip_plan.h"
#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/make_spec.h"
#include "tests/support/oracles.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Big {
  std::int64_t width, height, generations;
  Boundary boundary;
  const char* rule;
};

BackendSpec spec_of(const Big& big) {
  BackendSpec spec;
  spec.width = big.width;
  spec.height = big.height;
  spec.boundary = big.boundary;
  spec.rule = parse_rule(big.rule);
  return spec;
}

}  // namespace

TEST_CASE("any number of threads gives the same bits") {
  // Large enough that the work is shared out; heights that bands do not divide.
  const Big bigs[] = {{4096, 4001, 35, Boundary::torus, "B3/S23"},
                      {3001, 5000, 26, Boundary::plane, "B3/S23"},
                      {4000, 3003, 19, Boundary::torus, "B36/S23"},
                      {64, 65536, 49, Boundary::torus, "B3/S23"},
                      {65536, 67, 33, Boundary::plane, "B3678/S34678"}};
  for (const Big& big : bigs) {
    const BackendSpec spec = spec_of(big);
    INFO(std::string(big.rule) << " " << big.width << "x" << big.height);
    const Soup soup = Soup::of(0.37, 2024);
    const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto judge = make_factory("cpu", "double-word", {})(spec);
    judge->fill(soup);
    judge->step(big.generations);
    const std::uint64_t wanted = hash_of(*judge);
    for (const Kernel& kernel : kernels_here()) {
      if (std::string(kernel.driver->name()) != "cpu" || speed_of(kernel) != Speed::fast) continue;
      INFO(kernel.name());
      // Its own choice, and every number of generations a pass that it declares.
      std::vector<int> lengths{0};
      const std::vector<int>& depths = kernel.info.parameter(&Tuning::generations)->candidates;
      lengths.push_back(depths[depths.size() / 2]);
      for (const int threads : {0, 1, 2, 3, 7, 16}) {
        for (const int length : lengths) {
          CAPTURE(threads);
          CAPTURE(length);
          Tuning tuning;
          tuning.threads = threads;
          tuning.generations = length;
          const auto backend = kernel.create(spec, tuning);
          CHECK(backend->info().tuning.threads == (threads == 0 ? all : threads));
          backend->fill(soup);
          backend->step(big.generations / 3);
          backend->step(big.generations - big.generations / 3);
          CHECK(population_of(*backend) == population_of(*judge));
          CHECK(hash_text(hash_of(*backend)) == hash_text(wanted));
          ran(kernel);
        }
      }
    }
  }
}

// Passes of several tasks step planes in windows, which slide over many rows.
TEST_CASE("several planes stepped by several threads are those of the interpreter") {
  if (CompiledStepper::missing()) return;
  for (const char* text : {"/2/3", "345/2/4", "12/347/7", "WireWorld"}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const BackendSpec spec = make_spec(3000, 2100, boundary, text);
      const Soup soup{11, 32768, static_cast<std::uint16_t>(spec.rule.states())};
      Tuning tuning;
      tuning.threads = 3;
      const auto judge = cpu_driver().create(0, spec, "gates", tuning);
      tuning.generations = 12;
      tuning.rows = 8;
      tuning.group = 2;
      const StripLayout layout = StripLayout::of(spec, strip_lanes(), 2, tuning.generations);
      REQUIRE(plan_tasks(layout, tuning.generations, tuning.rows, tuning.threads) > 1);
      CompiledPlanesBackend backend(spec, {"cpu", "", "compiled", {}}, tuning, 1);
      for (StepBackend* each : {judge.get(), static_cast<StepBackend*>(&backend)}) {
        each->fill(soup);
        each->step(29);
        each->synchronize();
      }
      INFO(std::string(text));
      CHECK(backend.download() == judge->download());
    }
  }
}

TEST_CASE("a crew does each task once, round after round") {
  for (const int threads : {1, 2, 5}) {
    CAPTURE(threads);
    Crew crew(threads);
    // Each task reads what all tasks of the round before wrote.
    std::vector<std::int64_t> sums(5, 1), next(sums);
    for (int gathering = 0; gathering < 3; gathering++) {
      crew.gather([&] {
        for (int round = 0; round < 1000; round++) {
          const int tasks = 1 + round % threads;
          crew.share(tasks, [&](int task) {
            std::int64_t sum = 0;
            for (const std::int64_t value : sums) sum += value;
            next[static_cast<std::size_t>(task)] += sum % 7 + 1;
          });
          std::int64_t sum = 0;
          for (const std::int64_t value : sums) sum += value;
          for (int task = 0; task < tasks; task++) {
            const auto i = static_cast<std::size_t>(task);
            REQUIRE(next[i] == sums[i] + sum % 7 + 1);
          }
          sums = next;
        }
      });
      CHECK_THROWS_AS(crew.gather([] { throw std::runtime_error("the lead fails"); }),
                      std::runtime_error);
    }
  }
}

TEST_CASE("backends of their own can be used from threads of their own") {
  const KnownHash& known = oracles().hashes.at(2);
  const RuleSpec large = parse_rule_spec("B3/S23:T2048,2048");
  for (const Kernel& kernel : kernels_here()) {
    if (kernel.device.software || !supports(kernel, grid_spec(large))) continue;
    INFO(kernel.name());
    const int generations = speed_of(kernel) == Speed::slowest ? 1 : 20;
    std::vector<std::string> hashes(4), large_hashes(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < hashes.size(); i++) {
      threads.emplace_back([&, i] {
        Universe small(known.rule, kernel.factory());
        small.fill(Soup::of(known.density, known.seed));
        small.step(known.generation);
        hashes[i] = hash_text(small.hash());
        Universe wide(large, kernel.factory());
        wide.fill(Soup::of(0.5, 12));
        wide.step(generations);
        large_hashes[i] = hash_text(wide.hash());
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < hashes.size(); i++) {
      CHECK(hashes[i] == known.hash);
      CHECK(large_hashes[i] == large_hashes[0]);
    }
    ran(kernel);
  }
}
