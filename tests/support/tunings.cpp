#include "tests/support/tunings.h"

#include <random>

namespace tessera::test {

std::vector<int> values_of(const TuningParameter& parameter) {
  if (parameter.searched()) return parameter.candidates;
  std::vector<int> values;
  for (const int step : {0, 1, 2, 6}) {
    if (parameter.least + step <= parameter.most) values.push_back(parameter.least + step);
  }
  return values;
}

Tuning draw_tuning(const Kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tuning tuning;
  if (kernel.device.software || random() % 2 == 0) return tuning;
  for (const TuningParameter& parameter : kernel.info.parameters) {
    const std::vector<int> values = values_of(parameter);
    // One in a few is left to the kernel, so that its own choice meets every other value.
    const std::size_t choice = random() % (values.size() + 1);
    if (choice < values.size()) tuning.*parameter.member = values[choice];
  }
  return tuning;
}

}  // namespace tessera::test
