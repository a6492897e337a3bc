#include "apps/viewer/simulation/leaps.h"

#include <doctest/doctest.h>

using namespace tessera;

TEST_CASE("generations pass unseen for about half of the time, where looking is slow") {
  Leaps leaps(0.006);
  std::int64_t last = leaps.unseen();
  CHECK(last > 0);  // to know what stepping takes
  for (int block = 0; block < 20; block++) {
    const std::int64_t unseen = leaps.unseen();
    CHECK(unseen <= 4 * last);
    const std::int64_t seen = leaps.block() - unseen;
    CHECK(seen >= Leaps::kLeast);
    last = unseen;
    leaps.leapt(unseen, 1e-5 * static_cast<double>(unseen));
    leaps.saw(seen, 2e-4 * static_cast<double>(seen));
  }
  CHECK(leaps.unseen() == 300);
  CHECK(leaps.block() == 315);
}

TEST_CASE("every generation is seen where looking takes no longer than stepping") {
  Leaps leaps(0.006);
  leaps.leapt(8, 8 * 1e-4);
  leaps.saw(20, 20 * 1.9e-4);
  for (int block = 0; block < 20; block++) {
    CHECK(leaps.unseen() == 0);
    leaps.saw(20, 20 * 1.9e-4);
  }
  // That may change: a few are stepped unseen again after a while.
  for (int block = 0; block < 100; block++) leaps.saw(20, 20 * 1.9e-4);
  CHECK(leaps.unseen() == 8);
  leaps.leapt(8, 8 * 1e-6);
  CHECK(leaps.unseen() == 32);
}

TEST_CASE("a universe at rest passes in blocks that end") {
  Leaps leaps(0.006);
  for (int block = 0; block < 60; block++) {
    leaps.leapt(leaps.unseen(), 0);
    leaps.saw(6, 6 * 1e-4);
  }
  CHECK(leaps.block() < 1 << 20);
}

TEST_CASE("a look that takes longer than a block leaves the least to look at") {
  Leaps leaps(0.006);
  leaps.leapt(8, 8 * 1e-6);
  leaps.saw(6, 6 * 0.05);
  CHECK(leaps.block() == leaps.unseen() + Leaps::kLeast);
}
