// Random rules, sizes, universes, step counts, edits and tunings against the reference.

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/cases.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("random cases agree with the reference in everything that can be asked") {
  check_cases(0, case_count(10'000), 0x1p20);
}

TEST_CASE("larger and longer random cases agree, too") {
  // One for every fifty of the others.
  check_cases(1'000'000, std::max<std::int64_t>(1, case_count(10'000) / 50), 0x1p24);
}
