// The kernel sums of CUDA where nobody chooses it by name: in launches cut into parts, between
// canaries, without memory, and on the infinite plane.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_driver.h"
#include "backends/cuda/kernel_list.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/universe.h"
#include "tests/support/allocations.h"

using namespace tessera;

namespace {

constexpr const char* kSlow = "R4,C3,M1,S20-40,B20-30,NC";

}  // namespace

TEST_CASE("launches cut into parts step the same cells and write nothing else") {
  const auto device = std::make_shared<const cuda::CudaDevice>(0);
  for (const char* rule : {"Bosco", kSlow}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const BackendSpec spec{333, 70, boundary, parse_rule(rule), 0};
      const auto cpu = cpu_driver().create(0, spec, "reference", {});
      const test::AllocationScope guarded(4096);
      const std::shared_ptr<cuda::Stepper> stepper =
          cuda::make_stepper("sums", spec, {0, 1, 0, 4, 0}, device->facts());
      stepper->limit_launches(1e-5);
      cuda::CudaBackend gpu(spec, {"cuda", "", "sums", stepper->tuning()}, device, stepper);
      const Soup soup{5, 30000};
      gpu.fill(soup);
      cpu->fill(soup);
      gpu.step(3);
      cpu->step(3);
      CHECK(gpu.download() == cpu->download());
      CHECK(gpu.survey(kWholeSurvey).population > 0);
      CHECK_NOTHROW(gpu.check_guards());
    }
  }
}

TEST_CASE("auto means sums for rules of longer range, and the plane grows for them") {
  const BackendSpec spec{64, 64, Boundary::torus, parse_rule("Bosco"), 0};
  CHECK(cuda_driver().default_kernel(0, spec) == "sums");
  Universe gpu({parse_rule("Bosco")}, make_factory("cuda:0", "auto", {}));
  Universe cpu({parse_rule("Bosco")}, make_factory("cpu", "auto", {}));
  const CellGrid soup = make_soup_cells({3, 40000}, 40, 40, 1);
  for (Universe* each : {&gpu, &cpu}) {
    each->load(soup, {0, 0});
    each->step(8);
  }
  CHECK(cpu.population() > 0);
  CHECK(gpu.population() == cpu.population());
  CHECK(gpu.window({-90, -90, 220, 220}) == cpu.window({-90, -90, 220, 220}));
}

TEST_CASE("what sums does not step, or has no memory for, is refused with the reason") {
  BackendSpec spec{64, 64, Boundary::torus, kLife, 0};
  CHECK(cuda_driver().unsupported(0, spec, "sums").value_or("").find("longer range") !=
        std::string::npos);
  spec.rule = parse_rule("Bosco");
  spec.max_memory = 10'000;
  CHECK(cuda_driver().unsupported(0, spec, "sums").value_or("").find("needs") != std::string::npos);
  spec = {std::int64_t{1} << 24, std::int64_t{1} << 22, Boundary::torus, spec.rule, 0};
  CHECK_THROWS_AS(cuda_driver().create(0, spec, "sums", {}), UnsupportedError);
}
