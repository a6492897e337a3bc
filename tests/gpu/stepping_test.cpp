// Every CUDA kernel against the CPU, on a real GPU.
#include <algorithm>
#include <cstdlib>

#include "backends/cuda/march_stepper.h"
#include "backends/cuda/strips_shape.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/gpu/gpu_cases.h"
#include "tests/support/pixels.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::int64_t cases() {
  const char* text = std::getenv("TESSERA_CASES");
  return text ? std::atoll(text) : 40;
}

// The cells alone, after each of the steps.
void check_steps(StepBackend& gpu, const GpuCase& trial) {
  const std::unique_ptr<StepBackend> cpu = on_cpu(trial);
  gpu.fill(trial.soup);
  cpu->fill(trial.soup);
  for (const std::int64_t n : trial.steps) {
    gpu.step(n);
    cpu->step(n);
    REQUIRE(difference(gpu.download().plane(0), cpu->download().plane(0)) == "");
  }
}

void check_case(const GpuCase& trial, const std::string& kernel, Draw& draw) {
  INFO(kernel, " ", to_string(trial));
  const std::unique_ptr<StepBackend> gpu = on_gpu(trial, kernel), cpu = on_cpu(trial);
  gpu->fill(trial.soup);
  cpu->fill(trial.soup);
  REQUIRE(difference(gpu->download().plane(0), cpu->download().plane(0)) == "");
  for (const std::int64_t n : trial.steps) {
    gpu->step(n);
    cpu->step(n);
    const BitGrid want = cpu->download().plane(0);
    REQUIRE(difference(gpu->download().plane(0), want) == "");
    CHECK(population_of(*gpu) == want.population());
    CHECK(bounds_of(*gpu) == want.bounds());
    CHECK(hash_at(*gpu, 5, -7) == state_hash(want, 5, -7));
    const std::int64_t x = draw.between(0, want.width() - 1),
                       y = draw.between(0, want.height() - 1);
    const Rect rect{x, y, 1 + draw.between(0, want.width() - 1 - x),
                    1 + draw.between(0, want.height() - 1 - y)};
    CHECK(gpu->download(rect) == want.window(rect));
    DensityImage seen, wanted;
    const std::int64_t scale = 1 + draw.between(0, draw.chance(50) ? 5 : 200);
    gpu->view(rect, scale, seen);
    reduce_density(want, rect, scale, wanted);
    CHECK(seen == wanted);
    const BitGrid patch = make_soup({draw.word(), 20000}, rect.width, rect.height);
    gpu->edit({rect.x, rect.y}, patch);
    cpu->edit({rect.x, rect.y}, patch);
    REQUIRE(difference(gpu->download().plane(0), cpu->download().plane(0)) == "");
  }
}

}  // namespace

TEST_CASE("every kernel steps random small grids as the CPU does" * TESSERA_PER_KERNEL) {
  for (const KernelInfo& kernel : kernels_to_test()) {
    Draw draw(2024);
    for (std::int64_t i = 0; i < cases(); i++) {
      const GpuCase trial = small_case(draw);
      if (!refused(trial, kernel.name)) check_case(trial, kernel.name, draw);
    }
  }
}

// Few shapes, since each is compiled for every rule.
TEST_CASE("rules of every family step random small grids as the CPU does" * TESSERA_PER_KERNEL) {
  const char* seed = std::getenv("TESSERA_SEED");
  for (const KernelInfo& kernel : kernels_to_test()) {
    if (!kernel.any_rule) continue;
    Draw draw(seed ? static_cast<std::uint64_t>(std::atoll(seed)) : 77);
    for (std::int64_t i = 0; i < cases(); i++) {
      GpuCase trial = small_case(draw);
      trial.spec.rule = other_rule(draw);
      // The reference takes most of the time.
      trial.spec.width = std::min<std::int64_t>(trial.spec.width, 490);
      trial.spec.height = std::min<std::int64_t>(trial.spec.height, 250);
      // Of those for narrow grids, too.
      std::vector<Tuning> shapes = cuda::strips_program_shapes();
      std::erase_if(shapes, [](const Tuning& t) { return t.generations > t.words; });
      if (kernel.name == "cascade") shapes = {{24, 0, 0, 8, 0}, {8, 0, 0, 2, 0}, {8, 0, 0, 4, 0}};
      trial.tuning = draw.chance(50) ? shapes.at(kernel.name == "cascade" ? 0 : 2)
                                     : shapes.at(shapes.size() - 1 - draw.below(3));
      // The place of a plane's last column is compiled in.
      trial.spec.width += (draw.chance(50) ? 9 : 8) - trial.spec.width % 8;
      check_case(trial, kernel.name, draw);
    }
  }
}

TEST_CASE("every kernel looks at pixels and keeps their ages as the CPU does" *
          TESSERA_PER_KERNEL) {
  for (const KernelInfo& kernel : kernels_to_test()) {
    Draw draw(99);
    for (std::int64_t i = 0; i < cases() / 2; i++) {
      const GpuCase trial = small_case(draw);
      if (refused(trial, kernel.name)) continue;
      INFO(kernel.name, " ", to_string(trial));
      const std::unique_ptr<StepBackend> gpu = on_gpu(trial, kernel.name);
      gpu->fill(trial.soup);
      CHECK(check_pixels(*gpu, draw.word()));
    }
  }
}

TEST_CASE("every declared value of every parameter gives the same cells" * TESSERA_PER_KERNEL) {
  for (const KernelInfo& kernel : kernels_to_test()) {
    Draw draw(7);
    for (const TuningParameter& parameter : kernel.parameters) {
      if (parameter.candidates.empty()) continue;  // a range
      std::size_t taken = 0;
      for (const int value : parameter.candidates) {
        GpuCase trial = small_case(draw);
        trial.spec.width += 300;
        trial.spec.height += 200;
        trial.tuning.*parameter.member = value;
        try {
          check_case(trial, kernel.name, draw);
          taken++;
        } catch (const InputError& error) {
          // A value that the kernel's other choices exclude is refused with a reason.
          MESSAGE(kernel.name, " ", parameter.name, " ", value, ": ", std::string(error.what()));
        }
      }
      CHECK(2 * taken > parameter.candidates.size());
    }
  }
}

TEST_CASE("a larger soup agrees with the CPU" * TESSERA_PER_KERNEL) {
  for (const KernelInfo& kernel : kernels_to_test()) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      GpuCase trial;
      trial.spec = {4099, 3001, boundary, kLife, 0};
      INFO(kernel.name, " ", to_string(trial));
      const auto gpu = on_gpu(trial, kernel.name);
      const auto cpu = cpu_driver().create(0, trial.spec, "simd", {});
      gpu->fill(trial.soup);
      cpu->fill(trial.soup);
      gpu->step(1000);
      cpu->step(1000);
      CHECK(hash_of(*gpu) == hash_of(*cpu));
    }
  }
}

TEST_CASE("launches that would take too long are cut, to the same cells" * TESSERA_PER_KERNEL) {
  for (const KernelInfo& kernel : kernels_to_test()) {
    Draw draw(17);
    // Hundreds of launches per generation, and a few.
    for (const double longest : {1e-8, 3e-7}) {
      GpuCase trial = small_case(draw);
      trial.longest_launch = longest;
      trial.spec.width += 400;
      trial.spec.height += 300;
      if (!refused(trial, kernel.name)) check_case(trial, kernel.name, draw);
    }
  }
}

TEST_CASE("a last tile that owns few rows leaves the next column alone") {
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    GpuCase trial;
    trial.spec = {500, 4721, boundary, kLife, 0};  // 20 tiles of 240 rows, the last one of 161
    trial.tuning = {8, 8, 8, 4, 0};
    INFO(to_string(trial));
    const auto gpu = on_gpu(trial, "strips");
    const auto cpu = on_cpu(trial);
    gpu->fill(trial.soup);
    cpu->fill(trial.soup);
    gpu->step(30);
    cpu->step(30);
    CHECK(difference(gpu->download().plane(0), cpu->download().plane(0)) == "");
  }
}

// Their last macro-column holds hardly any columns or nearly all, so that halos are cut in every
// way.
TEST_CASE("every shape that is chosen steps grids of awkward widths as the CPU does") {
  Draw draw(41);
  for (const Tuning& shape : cuda::strips_shapes()) {
    const std::int64_t words = shape.words, halo = ceil_div(shape.generations, words),
                       macro = (32 - 2 * halo) * words;
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      for (const std::int64_t more :
           {std::int64_t{1}, words - 1, words + 1, halo * words, macro / 2, macro}) {
        GpuCase trial;
        trial.spec = {2 * macro + more, draw.between(1, 701), boundary, kLife, 0};
        trial.soup = {draw.word(), 30000};
        trial.tuning = shape;
        trial.steps = {3 * shape.generations + 1, shape.generations};
        INFO(to_string(trial));
        const auto gpu = on_gpu(trial, "strips");
        check_steps(*gpu, trial);
      }
    }
  }
}

// Passes in one launch, whose warps hand rows on to each other, and single passes after them.
TEST_CASE("march hands rows on from warp to warp as the CPU steps them") {
  Draw draw(44);
  const cuda::DeviceFacts facts = cuda::device_facts(0);
  int together = 0;
  for (const std::int64_t more : {96, 128, 960, 1984, 2016, 4032}) {
    GpuCase trial;
    trial.spec = {4032 * draw.between(0, 2) + more, 4 * draw.between(6000, 9000), Boundary::torus,
                  kLife, 0};
    trial.soup = {draw.word(), 30000};
    trial.steps = {8 * 5, 8 * 4 + 3, 8 * 40};
    INFO(to_string(trial));
    together += cuda::MarchStepper(trial.spec, {}, facts).relay().has_value();
    const auto gpu = on_gpu(trial, "march");
    const auto cpu = cpu_driver().create(0, trial.spec, "simd", {});
    gpu->fill(trial.soup);
    cpu->fill(trial.soup);
    for (const std::int64_t n : trial.steps) {
      gpu->step(n);
      cpu->step(n);
      REQUIRE(hash_of(*gpu) == hash_of(*cpu));
    }
  }
  CHECK((together > 2 || facts.major != 9));
}

// One region to as many as the device has multiprocessors, of several shapes.
TEST_CASE("resident steps grids that fit the registers as the CPU does") {
  Draw draw(45);
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for (const int rows : {3, 8, 13, 18, 22, 25}) {
      for (const Rule& rule : {kLife, Rule{0x48, 0x0C}, Rule{0x14A, 0x0B5}}) {
        GpuCase trial;
        trial.spec = {draw.between(769, 4000), draw.between(32 * rows + 1, 4000), boundary, rule,
                      0};
        trial.soup = {draw.word(), 30000};
        trial.tuning = {0, rows, 3, 8, 0};
        trial.steps = {1, 24, 77, 3};
        INFO(to_string(trial));
        std::unique_ptr<StepBackend> gpu;
        try {
          gpu = on_gpu(trial, "resident");
        } catch (const UnsupportedError&) {
          continue;  // does not fit
        }
        check_steps(*gpu, trial);
      }
    }
  }
}

// Windows of 4032 columns: the last holds a few columns, bytes of a lane, lanes that share a warp
// or hardly do not, or nearly all.
TEST_CASE("march steps grids of awkward sizes as the CPU does") {
  Draw draw(43);
  for (const int generations : {8, 6}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      for (const std::int64_t more :
           {1, 7, 32, 64, 96, 97, 128, 960, 1024, 1984, 1985, 2016, 4000, 4001, 4031, 4032}) {
        GpuCase trial;
        trial.spec = {4032 * draw.between(0, 2) + more, draw.between(1, 701), boundary, kLife, 0};
        if (draw.chance(50)) trial.spec.height = trial.spec.height / 4 * 4 + 4;
        trial.soup = {draw.word(), 30000};
        trial.tuning.generations = generations;
        trial.steps = {3 * generations + 1, generations, 33 * generations, 5};
        INFO(to_string(trial));
        const auto gpu = on_gpu(trial, "march");
        check_steps(*gpu, trial);
      }
    }
  }
}
