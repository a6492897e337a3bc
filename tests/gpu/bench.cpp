// Speed of CUDA kernels by device time on a 50 % soup, beside the measured ceiling of the logic
// pipe. Each line of stdin asks for one measurement and becomes one JSON object on stdout:
//
//   ceiling
//       three-input gates per second
//   KERNEL WxH[:P] GENERATIONS [RULE [T R W GROUP]]
//       best of five; hash after 6 * GENERATIONS, checked against the CPU when the work is small
//       enough, and against earlier lines that ask for the same cells
//
// Kernels are compiled first, side by side. "gpu_bench kernels" prints their names instead.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_device.h"
#include "backends/cuda/cuda_driver.h"
#include "backends/cuda/kernel_cache.h"
#include "backends/cuda/kernel_list.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr int kRepeats = 5;
constexpr double kGatesOfLife = 8;
constexpr double kCheckedCells = 3e11;  // what the CPU is asked to repeat
double ceiling_gates = 0;               // lane-operations per second, once measured

nlohmann::ordered_json measure_ceiling() {
  const std::optional<Ceiling> measured = cuda_driver().measure_ceiling(0);
  if (!measured) throw UnsupportedError("there is no GPU to measure");
  ceiling_gates = measured->gates / 32;
  return {{"ceiling_gates_per_second", ceiling_gates},
          {"ceiling_cells_per_second_at_8_gates", ceiling_gates * 32 / kGatesOfLife}};
}

struct Case {
  std::string line, kernel, size, rule = "B3/S23";
  std::int64_t generations = 0;
  Tuning tuning;
  BackendSpec spec{};

  explicit Case(const std::string& text) : line(text) {
    std::istringstream in(line);
    in >> kernel;
    if (kernel == "ceiling") return;
    in >> size >> generations >> rule;
    in >> tuning.generations >> tuning.rows >> tuning.words >> tuning.group;
    long long width = 0, height = 0;
    char boundary = 'T';
    if (std::sscanf(size.c_str(), "%lldx%lld:%c", &width, &height, &boundary) < 2 ||
        generations < 1) {
      throw InputError("'" + line +
                       "': KERNEL WxH[:P] GENERATIONS [RULE [T R W GROUP]] is accepted");
    }
    spec = {width, height, boundary == 'P' ? Boundary::plane : Boundary::torus, parse_rule(rule),
            0};
  }
  std::unique_ptr<StepBackend> create() const {
    return cuda_driver().create(0, spec, kernel, tuning);
  }
  // Everything that determines the final cells.
  std::string cells() const { return size + " " + rule + " " + std::to_string(generations); }
};

// So that the cache has what the measurements need. Failures come again when they are measured.
void compile_all(const std::vector<Case>& cases) {
  if (cuda_driver().devices().devices.empty()) return;
  const cuda::DeviceFacts facts = cuda::device_facts(0);
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::jthread& thread : threads) {
    thread = std::jthread([&] {
      for (std::size_t i; (i = next++) < cases.size();) {
        try {
          const Case& trial = cases[i];
          if (trial.kernel == "ceiling") continue;
          const auto stepper = cuda::make_stepper(trial.kernel, trial.spec, trial.tuning, facts);
          for (const cuda::KernelSource& source : {stepper->source(), stepper->services()}) {
            cuda::cached_kernel(source, facts.major, facts.minor);
          }
        } catch (const Error&) {
        }
      }
    });
  }
}

nlohmann::ordered_json measure(const Case& trial) {
  static std::map<std::string, std::uint64_t> hashes;
  if (trial.kernel == "ceiling") return measure_ceiling();
  const BackendSpec& spec = trial.spec;
  const std::int64_t generations = trial.generations;
  const auto gpu = trial.create();
  gpu->fill({1, 32768});
  gpu->step(generations);
  double best = 1e30;
  for (int i = 0; i < kRepeats; i++) {
    const double before = *gpu->device_seconds();
    gpu->step(generations);
    best = std::min(best, *gpu->device_seconds() - before);
  }
  const double cells = static_cast<double>(spec.width) * static_cast<double>(spec.height) *
                       static_cast<double>(generations);
  const Tuning& used = gpu->info().tuning;
  const std::uint64_t hash = hash_of(*gpu);
  std::string checked = "not checked here: too much for the CPU";
  if (cells * (kRepeats + 1) <= kCheckedCells * kRepeats) {
    const auto cpu = cpu_driver().create(0, spec, "auto", {});
    cpu->fill({1, 32768});
    cpu->step(generations * (kRepeats + 1));
    if (hash_of(*cpu) != hash) {
      throw Error(trial.line + ": the CPU's hash is " + hash_text(hash_of(*cpu)) + ", not " +
                  hash_text(hash));
    }
    checked = "by the CPU";
  }
  const auto [known, fresh] = hashes.emplace(trial.cells(), hash);
  if (!fresh && known->second != hash) {
    throw Error(trial.line + ": an earlier line's hash is " + hash_text(known->second) + ", not " +
                hash_text(hash));
  }
  if (!fresh && checked != "by the CPU") checked = "by an earlier line";
  nlohmann::ordered_json out = {{"kernel", gpu->info().kernel},
                                {"size", trial.size},
                                {"rule", to_string(spec.rule)},
                                {"generations", generations},
                                {"T", used.generations},
                                {"R", used.rows},
                                {"W", used.words},
                                {"group", used.group},
                                {"milliseconds", best * 1e3},
                                {"cells_per_second", cells / best},
                                {"hash", hash_text(hash)},
                                {"checked", checked}};
  if (ceiling_gates > 0)
    out["share_of_8_gate_ceiling"] = cells / best / (ceiling_gates * 32 / kGatesOfLife);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "kernels") {
    // Those that step the rules of the tests.
    for (const KernelInfo& kernel : cuda_driver().kernels())
      if (kernel.near) fmt::print("{}\n", kernel.name);
    return 0;
  }
  std::vector<Case> cases;
  try {
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.empty() && line[0] != '#') cases.emplace_back(line);
    }
  } catch (const Error& error) {
    fmt::print(stderr, "gpu_bench: {}\n", error.what());
    return 2;
  }
  compile_all(cases);
  int failures = 0;
  for (const Case& trial : cases) {
    try {
      fmt::print("{}\n", measure(trial).dump());
    } catch (const Error& error) {
      fmt::print("{}\n",
                 nlohmann::ordered_json{{"case", trial.line}, {"error", error.what()}}.dump());
      failures++;
    }
    std::fflush(stdout);
  }
  return failures == 0 ? 0 : 1;
}
