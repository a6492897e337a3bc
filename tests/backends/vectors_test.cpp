// The simd kernel is compiled for every instruction set of a processor family; the best one is
// chosen at run time. Here all that this processor has take their turn.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "core/universe.h"
#include "tests/support/cases.h"
#include "tests/support/surveys.h"
#include "tests/support/tunings.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Limits Highway to one instruction set while it lives.
class Only {
 public:
  explicit Only(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
  }
  ~Only() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
};

// The device property in which the CPU driver names the instruction set in use.
std::string vectors_in_use() {
  const DeviceList list = reference().driver->devices();
  for (const auto& [label, value] : list.devices.at(0).properties) {
    if (label == "vector instructions") return value;
  }
  return "";
}

// The kernels that step strips as they are with the instruction set in use: their ranges depend on
// the width of its vectors, and machine code has none of two words.
std::vector<Kernel> strip_kernels() {
  std::vector<Kernel> kernels = find_kernels({"cpu"}, {"all"});
  std::erase_if(kernels, [](const Kernel& kernel) {
    return kernel.info.name != "simd" && kernel.info.name != "compiled";
  });
  return kernels;
}

}  // namespace

TEST_CASE("the driver tells which instruction set is in use") {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const Only only(target);
    CHECK(vectors_in_use() == hwy::TargetName(target));
    fmt::print("[tessera] simd with {}\n", hwy::TargetName(target));
  }
}

TEST_CASE("every instruction set of this processor gives the same bits") {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const std::int64_t cases = case_count(1000);
  std::int64_t done = 0;
  for (std::uint64_t seed = 5'000'000; done < cases; seed++) {
    const VerifyCase trial = make_case(seed);
    if (trial.work() > 0x1p18) continue;
    done++;
    const auto expected = expected_states(trial, reference().factory());
    for (const std::int64_t target : targets) {
      const Only only(target);
      INFO(std::string(hwy::TargetName(target)));
      for (const Kernel& kernel : strip_kernels())
        REQUIRE(check_case(trial, expected, kernel, draw_tuning(kernel, seed)));
    }
  }
}

// Whole windows, gliders in vectors of half the width, and windows that an edge cuts.
TEST_CASE("every instruction set steps tiles") {
  Tuning tuning;
  tuning.threads = 1;
  for (const Topology topology : {Topology::infinite, Topology::torus, Topology::plane}) {
    for (const char* text : {"B3/S23", "B36/S125", "B3678/S34678"}) {
      const bool bounded = topology != Topology::infinite;
      const RuleSpec spec{parse_rule(text), topology, bounded ? 331 : 0, bounded ? 250 : 0};
      const BitGrid soup = make_soup(Soup{7, 30000}, 130, 110);
      BitGrid glider(3, 3);
      for (const auto& [x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}) {
        glider.set(x, y, true);
      }
      for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const Only only(target);
        INFO(std::string(hwy::TargetName(target)));
        INFO(text);
        Universe tiles(spec, make_factory("cpu", "simd", tuning), 0, SpaceChoice::tiles);
        Universe grid(spec, make_factory("cpu", "word", {}), 0, SpaceChoice::grid);
        REQUIRE(std::string(tiles.space()) == "tiles");
        for (Universe* each : {&tiles, &grid}) {
          each->edit({20, 10}, soup);
          each->edit({-120, -100}, glider);
        }
        for (const std::int64_t generations : {1, 8, 13, 30}) {
          tiles.step(generations);
          grid.step(generations);
          REQUIRE(tiles.survey() == grid.survey());
          REQUIRE(tiles.window(grid.extent()) == grid.window(grid.extent()));
        }
      }
    }
  }
}

TEST_CASE("every instruction set shares large grids out to threads") {
  BackendSpec spec;
  spec.width = 2500;
  spec.height = 3999;
  for (const std::string rule : {"B3/S23", "B3678/S34678", "B3/S2-i34q", "345/2/4", "WireWorld"}) {
    spec.rule = parse_rule(rule);
    const auto judge =
        make_factory("cpu", spec.rule.outer_totalistic() ? "double-word" : "gates", {})(spec);
    judge->fill(Soup{});
    judge->step(50);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      const Only only(target);
      INFO(std::string(hwy::TargetName(target)));
      for (const Kernel& kernel : strip_kernels()) {
        if (!supports(kernel, spec)) continue;
        INFO(kernel.name());
        const auto backend = kernel.create(spec);
        backend->fill(Soup{});
        backend->step(50);
        CHECK(hash_text(hash_of(*backend)) == hash_text(hash_of(*judge)));
        ran(kernel);
      }
    }
  }
}
