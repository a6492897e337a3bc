// Speed of CUDA kernels by device time on a 50 % soup, beside the measured ceiling of the logic pipe. Each line of stdin asks
// for one measurement and becomes one JSON object on stdout:
//
//   ceiling                                            three-input gates a second
//   KERNEL WxH[:P] GENERATIONS [RULE [T R W GROUP]]    best of five; hash after 6 * GENERATIONS, checked against the CPU
//                                                      when the work is small enough
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_driver.h"
#include "core/error.h"
#include "core/state_hash.h"

using namespace tessera;

namespace {

constexpr int kRepeats = 5;
constexpr double kGatesOfLife = 8;
constexpr double kCheckedCells = 3e11;  // what the CPU is asked to repeat
double ceiling_gates = 0;               // lane-operations a second, once measured

nlohmann::ordered_json measure_ceiling() {
  ceiling_gates = cuda_driver().measure_ceiling(0).value().gates / 32;
  return {{"ceiling_gates_per_second", ceiling_gates},
          {"ceiling_cells_per_second_at_8_gates", ceiling_gates * 32 / kGatesOfLife}};
}

nlohmann::ordered_json measure(const std::string& line) {
  std::istringstream in(line);
  std::string kernel, size, rule = "B3/S23";
  std::int64_t generations = 0;
  Tuning tuning;
  in >> kernel;
  if (kernel == "ceiling") return measure_ceiling();
  in >> size >> generations >> rule;
  in >> tuning.generations >> tuning.rows >> tuning.words >> tuning.group;
  long long width = 0, height = 0;
  char boundary = 'T';
  if (std::sscanf(size.c_str(), "%lldx%lld:%c", &width, &height, &boundary) < 2 || generations < 1) {
    throw InputError("'" + line + "': KERNEL WxH[:P] GENERATIONS [RULE [T R W GROUP]] is accepted");
  }
  const BackendSpec spec{width, height, boundary == 'P' ? Boundary::plane : Boundary::torus, parse_rule(rule), 0};
  const auto gpu = cuda_driver().create(0, spec, kernel, tuning);
  gpu->fill({1, 32768});
  gpu->step(generations);
  double best = 1e30;
  for (int i = 0; i < kRepeats; i++) {
    const double before = *gpu->device_seconds();
    gpu->step(generations);
    best = std::min(best, *gpu->device_seconds() - before);
  }
  const double cells = static_cast<double>(width) * static_cast<double>(height) * static_cast<double>(generations);
  const Tuning& used = gpu->info().tuning;
  const std::uint64_t hash = gpu->hash();
  std::string checked = "not checked here: too much for the CPU";
  if (cells * (kRepeats + 1) <= kCheckedCells * kRepeats) {
    const auto cpu = cpu_driver().create(0, spec, "simd", {});
    cpu->fill({1, 32768});
    cpu->step(generations * (kRepeats + 1));
    if (cpu->hash() != hash) throw Error(line + ": the CPU's hash is " + hash_text(cpu->hash()) + ", not " + hash_text(hash));
    checked = "by the CPU";
  }
  nlohmann::ordered_json out = {{"kernel", gpu->info().kernel}, {"size", size}, {"rule", to_string(spec.rule)},
                                {"generations", generations}, {"T", used.generations}, {"R", used.rows},
                                {"W", used.words}, {"group", used.group}, {"milliseconds", best * 1e3},
                                {"cells_per_second", cells / best}, {"hash", hash_text(hash)}, {"checked", checked}};
  if (ceiling_gates > 0) out["share_of_8_gate_ceiling"] = cells / best / (ceiling_gates * 32 / kGatesOfLife);
  return out;
}

}  // namespace

int main() {
  int failures = 0;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty() || line[0] == '#') continue;
    try {
      fmt::print("{}\n", measure(line).dump());
    } catch (const Error& error) {
      fmt::print("{}\n", nlohmann::ordered_json{{"case", line}, {"error", error.what()}}.dump());
      failures++;
    }
    std::fflush(stdout);
  }
  return failures == 0 ? 0 : 1;
}
