#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_driver.h"
#include "backends/cuda/kernel_list.h"
#include "core/stepping/step_backend.h"

namespace tessera::test {

/// A grid to step on a GPU and on the CPU.
struct GpuCase {
  BackendSpec spec;
  Soup soup;
  std::vector<std::int64_t> steps;
  Tuning tuning;
  double longest_launch = 0;  ///< seconds by estimate; 0: the usual
};

inline std::string to_string(const GpuCase& trial) {
  const Tuning& t = trial.tuning;
  std::string text = fmt::format(
      "{}:{}{},{} seed {} density {} T{} R{} W{} G{} steps", tessera::to_string(trial.spec.rule),
      trial.spec.boundary == Boundary::torus ? 'T' : 'P', trial.spec.width, trial.spec.height,
      trial.soup.seed, trial.soup.density, t.generations, t.rows, t.words, t.group);
  for (const std::int64_t n : trial.steps) text += fmt::format(" {}", n);
  return text;
}

/// A splitmix64 stream for choosing cases.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() { return mix64(state_ += 0x9E3779B97F4A7C15u); }
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(most + 1));
  }

 private:
  std::uint64_t state_;
};

/// Life or one of sixteen random rules. Every rule of every shape is compiled anew, which is what
/// these tests wait for; that circuits are right for all rules is tested without a GPU.
inline Rule random_rule(Choices& choices) {
  if (choices.upto(2) == 0) return kLife;
  Choices rules(static_cast<std::uint64_t>(choices.upto(15)));
  const auto mask = [&] { return static_cast<std::uint16_t>(rules.bits() & 511); };
  const std::uint16_t birth = mask();
  return {birth, mask()};
}

/// A small case: sides that make short tiles, short last words and wrapped margins likely.
inline GpuCase small_case(Choices& choices) {
  const auto side = [&] {
    switch (choices.upto(4)) {
      case 0:
        return 1 + choices.upto(9);
      case 1:
        return 1 + choices.upto(70);
      case 2:
        return 225 + choices.upto(40);
      case 3:
        return 1 + choices.upto(1200);
      default:
        return 30 * (1 + choices.upto(20)) + choices.upto(4) - 2;
    }
  };
  GpuCase trial;
  trial.spec.width = side();
  trial.spec.height = side();
  trial.spec.boundary = choices.upto(1) ? Boundary::torus : Boundary::plane;
  trial.spec.rule = random_rule(choices);
  trial.soup = {choices.bits(), static_cast<std::uint32_t>(choices.upto(65536))};
  for (std::int64_t n = 1 + choices.upto(2); n > 0; n--)
    trial.steps.push_back(1 + choices.upto(30));
  return trial;
}

/// The suite of tests that run once for every kernel of kernels_to_test().
#define TESSERA_PER_KERNEL doctest::test_suite("per kernel")

/// All kernels, or the one that TESSERA_KERNEL names.
inline std::vector<KernelInfo> kernels_to_test() {
  std::vector<KernelInfo> all = cuda_driver().kernels();
  if (const char* name = std::getenv("TESSERA_KERNEL")) {
    std::erase_if(all, [&](const KernelInfo& info) { return info.name != name; });
  }
  REQUIRE(!all.empty());
  return all;
}

/// A backend of the first GPU.
inline std::unique_ptr<StepBackend> on_gpu(const GpuCase& trial, const std::string& kernel) {
  if (trial.longest_launch == 0) return cuda_driver().create(0, trial.spec, kernel, trial.tuning);
  const auto device = std::make_shared<const cuda::CudaDevice>(0);
  const std::shared_ptr<cuda::Stepper> stepper =
      cuda::make_stepper(kernel, trial.spec, trial.tuning, device->facts());
  stepper->limit_launches(trial.longest_launch);
  return std::make_unique<cuda::CudaBackend>(
      trial.spec, BackendInfo{"cuda", device->facts().name, kernel, stepper->tuning()}, device,
      stepper);
}

/// A backend of the CPU that shares nothing with it.
inline std::unique_ptr<StepBackend> on_cpu(const GpuCase& trial) {
  return cpu_driver().create(0, trial.spec, "word", {});
}

/// Where two grids differ first, or empty.
inline std::string difference(const BitGrid& got, const BitGrid& want) {
  for (std::int64_t y = 0; y < want.height(); y++) {
    for (std::int64_t x = 0; x < want.width(); x++) {
      if (got.get(x, y) != want.get(x, y)) {
        return fmt::format("cell ({}, {}) is {}", x, y, got.get(x, y) ? "alive" : "dead");
      }
    }
  }
  return got == want ? "" : "padding is not zero";
}

}  // namespace tessera::test
