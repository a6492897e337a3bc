#include "apps/viewer/simulation/leaps.h"

#include <doctest/doctest.h>

using namespace tessera;

TEST_CASE("blocks pass unseen where looking is slow, no longer than they should take") {
  Leaps leaps(0.006);
  std::int64_t last = leaps.unseen();
  CHECK(last > 0);  // to know what stepping takes
  for (int block = 0; block < 20; block++) {
    const std::int64_t unseen = leaps.unseen();
    CHECK(unseen <= 4 * last);
    last = unseen;
    leaps.leapt(unseen, 1e-5 * static_cast<double>(unseen));
    leaps.saw(Leaps::kLeast, 2e-4 * static_cast<double>(Leaps::kLeast));
  }
  CHECK(leaps.unseen() == 600);
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

TEST_CASE("where none need be seen, blocks grow however fast looking is") {
  Leaps leaps(0.006);
  leaps.saw(20, 20 * 1e-6);
  std::int64_t passed = 0;
  for (int block = 0; block < 12; block++) {
    const std::int64_t next = leaps.next();
    CHECK(next > 0);
    leaps.leapt(next, 4e-5 + 1e-9 * static_cast<double>(next));  // most of it for the call
    CHECK((leaps.unseen() > 0) == (block >= 2));
    passed += next;
  }
  CHECK(passed > 1'000'000);
}

TEST_CASE("a universe at rest passes in blocks that end") {
  Leaps leaps(0.006);
  for (int block = 0; block < 60; block++) {
    leaps.leapt(leaps.unseen(), 0);
    leaps.saw(6, 6 * 1e-4);
  }
  CHECK(leaps.unseen() < 1 << 20);
}
