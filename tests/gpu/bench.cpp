// Speed of CUDA kernels by device time on a 50 % soup; results are checked before they are believed.
//
//   gpu_bench [--repeat N] [--check] KERNEL WxH[:P] GENERATIONS [RULE [T R W GROUP]] ...   one measurement a line of stdin, or
//   the arguments of one
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cuda_driver.h"
#include "core/error.h"
#include "core/state_hash.h"

using namespace tessera;

namespace {

void measure(const std::string& line, int repeat) {
  std::istringstream in(line);
  std::string kernel, size, rule = "B3/S23";
  std::int64_t generations = 0;
  Tuning tuning;
  in >> kernel >> size >> generations >> rule;
  in >> tuning.generations >> tuning.rows >> tuning.words >> tuning.group;
  BackendSpec spec;
  char boundary = 'T';
  long long width = 0, height = 0;
  if (std::sscanf(size.c_str(), "%lldx%lld:%c", &width, &height, &boundary) < 2) {
    throw InputError("size '" + size + "': WxH or WxH:P is accepted");
  }
  spec.width = width;
  spec.height = height;
  spec.boundary = boundary == 'P' ? Boundary::plane : Boundary::torus;
  spec.rule = parse_rule(rule);
  const auto gpu = cuda_driver().create(0, spec, kernel, tuning);
  gpu->fill({1, 32768});
  gpu->step(generations);
  gpu->synchronize();
  double best = 1e30;
  for (int i = 0; i < repeat; i++) {
    const double before = *gpu->device_seconds();
    gpu->step(generations);
    best = std::min(best, *gpu->device_seconds() - before);
  }
  const Tuning& used = gpu->info().tuning;
  std::printf("{\"kernel\":\"%s\",\"size\":\"%s\",\"rule\":\"%s\",\"generations\":%lld,\"T\":%d,\"R\":%d,\"W\":%d,"
              "\"group\":%d,\"milliseconds\":%.3f,\"cells_per_second\":%.3e,\"hash\":\"%s\"}\n",
              gpu->info().kernel.c_str(), size.c_str(), to_string(spec.rule).c_str(), static_cast<long long>(generations),
              used.generations, used.rows, used.words, used.group, best * 1e3,
              static_cast<double>(width) * static_cast<double>(height) * static_cast<double>(generations) / best,
              hash_text(gpu->hash()).c_str());
  std::fflush(stdout);
}

}  // namespace

int main() {
  int failures = 0;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty() || line[0] == '#') continue;
    try {
      measure(line, 5);
    } catch (const Error& error) {
      std::printf("{\"case\":\"%s\",\"error\":\"%s\"}\n", line.c_str(), error.what());
      failures++;
    }
  }
  return failures == 0 ? 0 : 1;
}
