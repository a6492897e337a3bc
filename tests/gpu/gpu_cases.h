#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/measure/draw.h"
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

/// Life or one of sixteen random rules. Every rule of every shape is compiled anew, which takes
/// most of the time; other tests check without a GPU that circuits are right for all rules.
inline Rule random_rule(Draw& draw) {
  if (draw.below(3) == 0) return kLife;
  Draw rules(static_cast<std::uint64_t>(draw.below(16)));
  const auto mask = [&] { return static_cast<std::uint16_t>(rules.word() & 511); };
  const std::uint16_t birth = mask();
  return {birth, mask()};
}

/// A rule of any family of two states that is no outer-totalistic one, of a fixed few.
inline Rule other_rule(Draw& draw) {
  constexpr const char* kRules[] = {
      "B3-k/S23",       "B3/S2-i34q",     "B2-a/S12", "B2n3/S23-q",
      "B34t/S2-i35a7e", "B3/S23-a4eiqr6", "B2/S34H",  "B245/S3H",
      "B13/S13V",       "B2/S013V",       "W30",      "W110",
      "B01c3/S24k",     "B/S0123V",       "W150",     "B3aeijn/S23-a"};
  const std::int64_t which = draw.below(std::ssize(kRules) + 4);
  if (which < std::ssize(kRules)) return parse_rule(kRules[which]);
  Rule map{0, 0, RuleFamily::map, {}};
  Draw words(static_cast<std::uint64_t>(which));
  for (std::uint64_t& word : map.table.words) word = words.word();
  return map;
}

/// A small case: sides that make short tiles, short last words and wrapped margins likely.
inline GpuCase small_case(Draw& draw) {
  const auto side = [&] {
    switch (draw.below(5)) {
      case 0:
        return draw.between(1, 10);
      case 1:
        return draw.between(1, 71);
      case 2:
        return draw.between(225, 265);
      case 3:
        return draw.between(1, 1201);
      default:
        return 30 * draw.between(1, 21) + draw.between(-2, 2);
    }
  };
  GpuCase trial;
  trial.spec.width = side();
  trial.spec.height = side();
  trial.spec.boundary = draw.below(2) ? Boundary::torus : Boundary::plane;
  trial.spec.rule = random_rule(draw);
  trial.soup = {draw.word(), static_cast<std::uint32_t>(draw.between(0, 65536))};
  for (std::int64_t n = draw.between(1, 3); n > 0; n--) trial.steps.push_back(draw.between(1, 31));
  return trial;
}

/// The suite of tests that run once for every kernel of kernels_to_test().
#define TESSERA_PER_KERNEL doctest::test_suite("per kernel")

/// All kernels, or those that TESSERA_KERNELS names, separated by commas.
inline std::vector<KernelInfo> kernels_to_test() {
  std::vector<KernelInfo> all = cuda_driver().kernels();
  std::erase_if(all, [](const KernelInfo& info) { return !info.near; });
  if (const char* names = std::getenv("TESSERA_KERNELS")) {
    const std::string wanted = fmt::format(",{},", names);
    std::erase_if(all, [&](const KernelInfo& info) {
      return wanted.find("," + info.name + ",") == std::string::npos;
    });
  }
  REQUIRE(!all.empty());
  return all;
}

/// True, with the reason as a message, for a case that a kernel refuses for its size or edges.
inline bool refused(const GpuCase& trial, const std::string& kernel) {
  const std::optional<std::string> why = cuda_driver().unsupported(0, trial.spec, kernel);
  if (why) MESSAGE("skipped: ", *why);
  return why.has_value();
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

/// A backend of the CPU that shares no code with it.
inline std::unique_ptr<StepBackend> on_cpu(const GpuCase& trial) {
  const char* kernel = trial.spec.rule.outer_totalistic() ? "word" : "reference";
  return cpu_driver().create(0, trial.spec, kernel, {});
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
