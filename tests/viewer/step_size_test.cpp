#include "apps/viewer/simulation/step_size.h"

#include <doctest/doctest.h>

using namespace tessera;

TEST_CASE("steps are powers of their base, up to a million millions") {
  CHECK(StepSize{}.generations() == 1);
  CHECK(StepSize{}.smaller() == StepSize{});
  CHECK(StepSize{2, 3}.larger().generations() == 16);
  CHECK(StepSize{8, 3}.smaller().generations() == 64);
  CHECK(StepSize{10, 99}.with_exponent(99).generations() == 1'000'000'000'000);
  for (const int base : StepSize::kBases) {
    StepSize step{base};
    for (int i = 0; i < 100; i++) step = step.larger();
    CHECK(step.generations() <= StepSize::kMost);
    CHECK(step.generations() > StepSize::kMost / base);
  }
  CHECK(StepSize{2, 39}.with_base(10).exponent == 12);
}
