#include "tests/support/tunings.h"

#include <random>
#include <string_view>

namespace tessera::test {

Tuning draw_tuning(const Kernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tuning tuning;
  if (kernel.device.software || random() % 2 == 0) return tuning;
  for (const TuningRange& range : kernel.info.ranges) {
    // One in a few is left to the kernel, so that its own choice meets every other value.
    const std::size_t choice = random() % (range.values.size() + 1);
    if (choice < range.values.size()) tuning_field(tuning, range.field) = range.values[choice];
  }
  if (std::string_view(kernel.driver->name()) == "cpu") {
    constexpr int kThreads[] = {0, 1, 2, 3, 7};
    tuning.threads = kThreads[random() % 5];
  }
  return tuning;
}

}  // namespace tessera::test
