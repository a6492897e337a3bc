// Tests that need a GPU: grids beyond 2^32 cells, and a long run in lockstep with another backend.
// Not run by ctest; run-bundle.sh runs it where there is a GPU.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/drivers.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr Soup kSoup{1, 32768};

// The default kernel of a backend, or nothing where it has no device.
std::unique_ptr<StepBackend> on(const std::string& backend, const BackendSpec& spec) {
  try {
    return KernelChooser(backend, "auto").choose(spec).create(spec);
  } catch (const UnsupportedError& error) {
    fmt::print("skipped: {}\n", error.what());
    return nullptr;
  }
}

void stay_in_step(const BackendSpec& spec, std::int64_t generations, std::int64_t every) {
  const auto vulkan = vulkan_driver().create(0, spec, "auto", {});
  const auto cuda = on("cuda", spec);
  if (!cuda) return;
  vulkan->fill(kSoup);
  cuda->fill(kSoup);
  for (std::int64_t g = every; g <= generations; g += every) {
    vulkan->step(every);
    cuda->step(every);
    INFO("generation ", g);
    REQUIRE(hash_text(hash_of(*vulkan)) == hash_text(hash_of(*cuda)));
    if (g % (10 * every) == 0) {
      fmt::print("generation {}: {}\n", g, hash_text(hash_of(*vulkan)));
      std::fflush(stdout);
    }
  }
  CHECK(population_of(*vulkan) > 0);
}

}  // namespace

TEST_CASE("more than 2^32 cells agree with another backend") {
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    const BackendSpec spec{65543, 65539, boundary, kLife, 0};
    const auto vulkan = vulkan_driver().create(0, spec, "auto", {});
    auto judge = on("cuda", spec);
    if (!judge) judge = cpu_driver().create(0, spec, "simd", {});
    for (StepBackend* one : {vulkan.get(), judge.get()}) {
      one->fill(kSoup);
      one->step(50);
    }
    CHECK(hash_text(hash_of(*vulkan)) == hash_text(hash_of(*judge)));
    CHECK(population_of(*vulkan) == population_of(*judge));
    fmt::print("65543x65539, 50 generations, {}: {} as {} has it\n",
               boundary == Boundary::torus ? "torus" : "plane", hash_text(hash_of(*vulkan)),
               judge->info().backend);
  }
}

TEST_CASE("a long run stays in step with CUDA") {
  const char* text = std::getenv("TESSERA_LONG");
  const std::int64_t generations = text ? std::atoll(text) : 1'000'000, every = 10'000;
  // By a barrier between passes; in chained passes.
  for (const std::int64_t side : {4096, 8192}) {
    INFO(side);
    stay_in_step({side, side, Boundary::torus, kLife, 0}, generations, every);
  }
}
