// The kernel table of CUDA: chosen where the device is named, in launches cut into parts, between
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
#include "tests/support/states.h"

using namespace tessera;

TEST_CASE("launches of table cut into parts step the same cells and write nothing else") {
  const auto device = std::make_shared<const cuda::CudaDevice>(0);
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    const BackendSpec spec{333, 170, boundary, parse_rule("JvN29"), 0};
    const auto cpu = cpu_driver().create(0, spec, "reference", {});
    const test::AllocationScope guarded(4096);
    const std::shared_ptr<cuda::Stepper> stepper =
        cuda::make_stepper("table", spec, {}, device->facts());
    stepper->limit_launches(1e-9);
    cuda::CudaBackend gpu(spec, {"cuda", "", "table", stepper->tuning()}, device, stepper);
    const Soup soup{5, 30000, 29};
    gpu.fill(soup);
    cpu->fill(soup);
    gpu.step(3);
    cpu->step(3);
    CHECK(gpu.download() == cpu->download());
    CHECK(gpu.survey(kWholeSurvey).hash == cpu->survey(kWholeSurvey).hash);
    CHECK(gpu.survey(kWholeSurvey).population > 0);
    // Cells from outside, and steps from either buffer.
    const CellGrid patch = make_soup_cells({6, 20000, 29}, 50, 40, spec.rule.planes());
    for (StepBackend* each : {static_cast<StepBackend*>(&gpu), cpu.get()}) {
      each->edit({70, 11}, patch);
      each->step(4);
    }
    CHECK(gpu.download() == cpu->download());
    CHECK_NOTHROW(gpu.check_guards());
  }
}

TEST_CASE("cells go in and out of table, are surveyed and shown as on the CPU") {
  Draw draw(12);
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for (const char* rule : {"JvN29", "Hutton32"}) {
      const BackendSpec spec{draw.between(8, 300), draw.between(1, 60), boundary, parse_rule(rule),
                             0};
      INFO(std::string(rule), " ", spec.width, "x", spec.height);
      const auto gpu = cuda_driver().create(0, spec, "table", {});
      const auto cpu = cpu_driver().create(0, spec, "reference", {});
      test::check_states(*gpu, *cpu, draw);
    }
  }
}

TEST_CASE("the plane grows for rules of files") {
  for (const char* rule : {"JvN29", "Hutton32"}) {
    Universe gpu(parse_rule_spec(rule), make_factory("cuda:0", "auto", {}));
    Universe cpu(parse_rule_spec(rule), make_factory("cpu", "auto", {}));
    const auto states = static_cast<std::uint16_t>(parse_rule(rule).states());
    const CellGrid soup = make_soup_cells({3, 9000, states}, 60, 50, 5);
    for (Universe* each : {&gpu, &cpu}) {
      each->load(soup, {0, 0});
      each->step(40);
    }
    CHECK(cpu.population() > 0);
    CHECK(gpu.population() == cpu.population());
    CHECK(gpu.hash() == cpu.hash());
    CHECK(gpu.window({-90, -90, 220, 220}) == cpu.window({-90, -90, 220, 220}));
  }
}

TEST_CASE("what table does not step, or has no memory for, is refused with the reason") {
  BackendSpec spec{64, 64, Boundary::torus, kLife, 0};
  CHECK(cuda_driver().unsupported(0, spec, "table").value_or("").find("only rules of rule files") !=
        std::string::npos);
  spec.rule = parse_rule("JvN29");
  CHECK(cuda_driver().default_kernel(0, spec) == "table");
  CHECK(make_factory("auto", "auto", {})(spec)->info().backend == "cpu");
  CHECK(cuda_driver().unsupported(0, spec, "strips").value_or("").find("no rules of rule files") !=
        std::string::npos);
  spec.max_memory = 10'000;
  CHECK(cuda_driver().unsupported(0, spec, "table").value_or("").find("needs") !=
        std::string::npos);
  spec = {(std::int64_t{1} << 32) + 1, 1, Boundary::torus, spec.rule, 0};
  CHECK(cuda_driver().unsupported(0, spec, "table").value_or("").find("columns") !=
        std::string::npos);
  spec = {std::int64_t{1} << 24, std::int64_t{1} << 22, Boundary::torus, spec.rule, 0};
  CHECK_THROWS_AS(cuda_driver().create(0, spec, "table", {}), UnsupportedError);
}

TEST_CASE("memory that runs out at any allocation of table is a typed error") {
  const BackendSpec spec{100, 80, Boundary::torus, parse_rule("JvN29"), 0};
  const int failures = test::failing_allocations(
      [&] {
        const auto backend = cuda_driver().create(0, spec, "table", {});
        backend->fill({1, 30000, 29});
        backend->step(3);
      },
      "cuMemAlloc");
  // Two buffers, transfers, results, two tables of states, notes, and a graph that grows.
  CHECK(failures >= 8);
}
