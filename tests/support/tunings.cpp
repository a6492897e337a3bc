#include "tests/support/tunings.h"

#include <fmt/format.h>

#include <random>
#include <stdexcept>
#include <string_view>

namespace tessera::test {

int& field_of(Tuning& tuning, const std::string& field) {
  if (field == "generations") return tuning.generations;
  if (field == "rows") return tuning.rows;
  if (field == "words") return tuning.words;
  if (field == "group") return tuning.group;
  if (field == "threads") return tuning.threads;
  throw std::out_of_range("a tuning has no field " + field);
}

Tuning draw_tuning(const Stepper& stepper, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tuning tuning;
  if (stepper.device.software || random() % 2 == 0) return tuning;
  for (const TuningRange& range : stepper.kernel.ranges) {
    // One in a few is left to the kernel, so that its own choice meets every other value.
    const std::size_t choice = random() % (range.values.size() + 1);
    if (choice < range.values.size()) field_of(tuning, range.field) = range.values[choice];
  }
  if (std::string_view(stepper.driver->name()) == "cpu") {
    constexpr int kThreads[] = {0, 1, 2, 3, 7};
    tuning.threads = kThreads[random() % 5];
  }
  return tuning;
}

std::string to_string(const Tuning& tuning) {
  Tuning copy = tuning;
  std::string text;
  for (const char* field : {"generations", "rows", "words", "group", "threads"}) {
    const int value = field_of(copy, field);
    if (value != 0) text += fmt::format("{}{}={}", text.empty() ? "" : " ", field, value);
  }
  return text.empty() ? "default tuning" : text;
}

}  // namespace tessera::test
