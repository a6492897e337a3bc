#include "apps/measure/timing.h"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "tests/measure/fake_clock.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::int64_t sum(const std::vector<std::int64_t>& calls) {
  return std::accumulate(calls.begin(), calls.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("a spread is that of its runs") {
  const Spread odd = spread_of({3, 1, 9, 2, 5});
  CHECK(odd.median == 3);
  CHECK(odd.lowest == 1);
  CHECK(odd.highest == 9);
  CHECK(odd.runs == std::vector<double>{3, 1, 9, 2, 5});
  CHECK(spread_of({4, 1, 2, 10}).median == 3);
  CHECK(spread_of({7}).median == 7);
  CHECK_THROWS_AS(spread_of({}), std::invalid_argument);

  const Spread rate = inverse(spread_of({2, 4, 8}), 16);
  CHECK(rate.median == 4);
  CHECK(rate.lowest == 2);
  CHECK(rate.highest == 8);
  CHECK(rate.runs == std::vector<double>{8, 4, 2});
}

TEST_CASE("a median is that of runs which were made, the warm-up left out") {
  FakeClock clock;
  // The warm-up takes a hundred times as long; the runs 3, 1, 2, 50 and 2.5 times.
  TimedBackend backend(clock, {0, 0.25, {100, 3, 1, 2, 50, 2.5}, {}, 1});
  const Timing timing = time_runs(timed_steps(backend, 4), {1, 5, 0}, clock);
  CHECK(backend.calls() == std::vector<std::int64_t>(6, 4));
  CHECK(timing.wall.runs == std::vector<double>{3, 1, 2, 50, 2.5});
  CHECK(timing.wall.median == 2.5);
  CHECK(timing.wall.lowest == 1);
  CHECK(timing.wall.highest == 50);
  CHECK(!timing.device);
  CHECK(timing.seconds().median == 2.5);
  CHECK(!timing.hopeless);
}

TEST_CASE("the device's time is apart from the wall's, and is what counts") {
  FakeClock clock;
  TimedBackend backend(clock, {0, 1, {1, 1, 2, 4}, 0.5, 1});
  const Timing timing = time_runs(timed_steps(backend, 8), {1, 3, 0}, clock);
  CHECK(timing.wall.runs == std::vector<double>{8, 16, 32});
  REQUIRE(timing.device);
  CHECK(timing.device->runs == std::vector<double>{4, 8, 16});
  CHECK(timing.seconds().median == 8);
}

TEST_CASE("hopeless runs are not repeated") {
  FakeClock clock;
  TimedBackend backend(clock, {0, 1, {1, 1, 9}, {}, 1});
  const Timing timing = time_runs(timed_steps(backend, 1), {1, 5, 4}, clock);
  CHECK(timing.hopeless);
  CHECK(timing.wall.runs == std::vector<double>{1, 9});
}

TEST_CASE("what is prepared is not timed") {
  FakeClock clock;
  int prepared = 0;
  const Timed subject{[&] { prepared++, clock.pass(100); }, [&] { clock.pass(2); }, {}};
  CHECK(time_runs(subject, {2, 3, 0}, clock).wall.runs == std::vector<double>{2, 2, 2});
  CHECK(prepared == 5);
}

TEST_CASE("a run has whole launches, and about the time that was asked for") {
  for (const double fixed : {0.0, 0.001}) {
    for (const int launch : {1, 8, 12}) {
      CAPTURE(fixed);
      CAPTURE(launch);
      FakeClock clock;
      TimedBackend backend(clock, {fixed, 1e-6, {50}, {}, launch});  // the first call is slow
      const double before = clock.now();
      const std::int64_t generations = generations_within(backend, 0.1, 0, clock);
      CHECK(generations % launch == 0);
      CHECK(static_cast<double>(generations) * 1e-6 + fixed == doctest::Approx(0.1).epsilon(0.15));
      CHECK(clock.now() - before < 0.5);
      CHECK(sum(backend.calls()) < 2 * generations);
    }
  }
}

TEST_CASE("a slow backend steps one launch a run, a bounded number no more than that") {
  FakeClock clock;
  TimedBackend slow(clock, {0, 10, {}, {}, 4});
  CHECK(generations_within(slow, 0.1, 0, clock) == 4);
  TimedBackend quick(clock, {0, 1e-9, {}, {}, 4});
  CHECK(generations_within(quick, 0.1, 1000, clock) == 1000);
  CHECK(generations_within(quick, 0.1, 1002, clock) == 1000);
}
