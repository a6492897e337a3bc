#include "apps/viewer/window/status_line.h"

#include <doctest/doctest.h>

using namespace tessera;

TEST_CASE(
    "the speed is told in whole generations per second, grouped, or with a tenth if it is slow") {
  Status status;
  CHECK(speed_text(status) == "paused");
  status.running = true;
  CHECK(speed_text(status) == "running");  // it is not known yet
  const auto text = [&](double speed) {
    status.generations_per_second = speed;
    return speed_text(status);
  };
  CHECK(text(0.25) == "0.2 gen/s");
  CHECK(text(2.5) == "2.5 gen/s");
  CHECK(text(9.96) == "10.0 gen/s");
  CHECK(text(49.7) == "50 gen/s");
  CHECK(text(4929.6) == "4,930 gen/s");
  CHECK(text(1234567) == "1,234,567 gen/s");
  CHECK(text(1e300) == "1,000,000,000,000,000,000 gen/s");
  status.running = false;
  CHECK(speed_text(status) == "paused");
}

TEST_CASE("hyperspeed is told while it is on, and that full speed needs none") {
  CHECK(hyperspeed_text(false, Speed(5)) == "");
  CHECK(hyperspeed_text(false, Speed()) == "");
  CHECK(hyperspeed_text(true, Speed(5)) == "hyperspeed");
  CHECK(hyperspeed_text(true, Speed()) == "hyperspeed: no effect at full speed");
}
