#include "core/base/memory_text.h"

#include <doctest/doctest.h>

#include <limits>

using namespace tessera;

TEST_CASE("amounts of memory are told with the unit that suits them") {
  CHECK(memory_text(0) == "0 bytes");
  CHECK(memory_text(1023) == "1023 bytes");
  CHECK(memory_text(1024) == "1 KiB");
  CHECK(memory_text(1536) == "1.5 KiB");
  CHECK(memory_text(999 << 10) == "999 KiB");
  CHECK(memory_text(1010 << 10) == "1010 KiB");
  CHECK(memory_text((1 << 20) - 1) == "1 MiB");
  CHECK(memory_text(12'900'000) == "12.3 MiB");
  CHECK(memory_text(std::int64_t{3} << 40) == "3 TiB");
  CHECK(memory_text(std::numeric_limits<std::int64_t>::max()) == "8 EiB");
}
