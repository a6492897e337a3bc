// What a backend does at the limits: canaries around buffers, memory that runs out at every
// allocation, grids beyond 2^32 cells, long runs in lockstep.
#include <cstdlib>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/device_memory.h"
#include "backends/cuda/kernel_list.h"
#include "core/base/error.h"
#include "tests/gpu/gpu_cases.h"
#include "tests/support/allocations.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::int64_t number(const char* variable, std::int64_t usual) {
  const char* text = std::getenv(variable);
  return text ? std::atoll(text) : usual;
}

}  // namespace

TEST_CASE("no kernel writes outside its buffers" * TESSERA_PER_KERNEL) {
  Draw draw(99);
  for (const KernelInfo& kernel : kernels_to_test()) {
    for (std::int64_t i = 0; i < number("TESSERA_CASES", 40) / 4 + 1; i++) {
      const GpuCase trial = small_case(draw);
      if (refused(trial, kernel.name)) continue;
      INFO(kernel.name, " ", to_string(trial));
      const AllocationScope guarded(4096);
      const auto backend = on_gpu(trial, kernel.name);
      backend->fill(trial.soup);
      for (const std::int64_t n : trial.steps) backend->step(n);
      backend->upload(backend->download());
      DensityImage image;
      backend->view({0, 0, trial.spec.width, trial.spec.height}, 3, image);
      population_of(*backend);
      auto* inside = dynamic_cast<cuda::CudaBackend*>(backend.get());
      REQUIRE(inside != nullptr);
      CHECK_NOTHROW(inside->check_guards());
    }
  }
}

TEST_CASE("memory that runs out at any allocation is a device error and leaves nothing behind" *
          TESSERA_PER_KERNEL) {
  GpuCase trial;
  trial.spec = {500, 400, Boundary::torus, kLife, 0};
  for (const KernelInfo& kernel : kernels_to_test()) {
    INFO(kernel.name);
    const int failures = failing_allocations(
        [&] {
          REQUIRE(cuda::live_allocations().load() == 0);
          on_gpu(trial, kernel.name);
        },
        "cuMemAlloc");
    CHECK(failures >= 4);
    CHECK(cuda::live_allocations().load() == 0);
    const auto backend = on_gpu(trial, kernel.name);
    backend->fill(trial.soup);
    backend->step(10);
    CHECK(population_of(*backend) > 0);
  }
}

TEST_CASE("a grid that does not fit is refused with what it needs and what there is") {
  BackendSpec spec{std::int64_t{1} << 24, std::int64_t{1} << 24, Boundary::torus, kLife, 0};
  const std::optional<std::string> why = cuda_driver().unsupported(0, spec, "auto");
  REQUIRE(why);
  CHECK(why->find("needs") != std::string::npos);
  CHECK_THROWS_AS(cuda_driver().create(0, spec, "auto", {}), UnsupportedError);
  spec = {1024, 1024, Boundary::torus, kLife};
  spec.max_memory = 1000;
  CHECK_THROWS_AS(cuda_driver().create(0, spec, "auto", {}), UnsupportedError);
  CHECK_THROWS_AS(
      cuda_driver().create(0, {64, 64, Boundary::torus, kLife, 0}, "no-such-kernel", {}),
      InputError);
  CHECK_THROWS_AS(cuda_driver().create(99, {64, 64, Boundary::torus, kLife, 0}, "auto", {}),
                  UnsupportedError);
}

TEST_CASE("more than 2^32 cells agree with the CPU") {
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    GpuCase trial;
    trial.spec = {65543, 65539, boundary, kLife, 0};
    const auto gpu = on_gpu(trial, "auto");
    const auto cpu = cpu_driver().create(0, trial.spec, "simd", {});
    gpu->fill(trial.soup);
    cpu->fill(trial.soup);
    gpu->step(20);
    cpu->step(20);
    CHECK(hash_of(*gpu) == hash_of(*cpu));
    CHECK(population_of(*gpu) == population_of(*cpu));
  }
}

TEST_CASE("a long run stays in step with other kernels") {
  const std::int64_t generations = number("TESSERA_LONG", 20000), every = 10000;
  GpuCase trial;
  trial.spec = {4096, 4096, Boundary::torus, kLife, 0};
  const auto one = on_gpu(trial, "strips"), other = on_gpu(trial, "warp"),
             third = on_gpu(trial, "march");
  for (const auto* each : {&one, &other, &third}) (*each)->fill(trial.soup);
  for (std::int64_t g = 0; g < generations; g += every) {
    for (const auto* each : {&one, &other, &third}) (*each)->step(every);
    INFO("generation ", g + every);
    REQUIRE(hash_of(*one) == hash_of(*other));
    REQUIRE(hash_of(*one) == hash_of(*third));
  }
  CHECK(population_of(*one) > 0);
}
