// When bands take their halos anew.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "backends/distributed/band_grid.h"

using namespace tessera;

namespace {

// Exchanges, and the generations of steps: "exchange 8 8* sent 3", where "*" marks a step that knew
// that an exchange follows, and "sent" an exchange after such a step.
std::string run(HaloSchedule& schedule, std::int64_t generations) {
  std::string events;
  const auto note = [&](const std::string& event) {
    events += (events.empty() ? "" : " ") + event;
  };
  schedule.run(
      generations, [&](bool sent) { note(sent ? "sent" : "exchange"); },
      [&](std::int64_t now, bool last) { note(fmt::format("{}{}", now, last ? "*" : "")); });
  return events;
}

}  // namespace

TEST_CASE("halos last until they are used, or less than a pass is left of them") {
  HaloSchedule schedule;
  schedule.halo = 40;
  schedule.use_pass(8);
  CHECK(run(schedule, 32) == "exchange 32");
  CHECK(run(schedule, 3) == "3");
  CHECK(run(schedule, 5) == "5*");
  CHECK(run(schedule, 100) == "sent 40* sent 40* sent 20");
  CHECK(run(schedule, 30) == "16* sent 14");
  schedule.forget();
  CHECK(run(schedule, 1) == "exchange 1");
}

TEST_CASE("a long step uses halos up") {
  HaloSchedule schedule;
  schedule.halo = 40;
  schedule.use_pass(8);
  schedule.uses_up = 32;
  CHECK(run(schedule, 31) == "exchange 31");
  CHECK(run(schedule, 5) == "5");
  CHECK(run(schedule, 36) == "exchange 36*");
  CHECK(run(schedule, 4) == "sent 4");
  // Of those that are left, too.
  CHECK(run(schedule, 33) == "33*");
  CHECK(run(schedule, 100) == "sent 40* sent 40* sent 20");
}
