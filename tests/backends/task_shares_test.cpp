// How passes are cut among tasks of different speeds.

#include "backends/cpu/task_shares.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace tessera;

namespace {

// Tasks of so many rows per second each.
struct Machine {
  std::vector<double> speeds;
  std::int64_t again = 0;

  std::vector<double> seconds(const std::vector<std::int64_t>& cuts) const {
    std::vector<double> all;
    for (std::size_t i = 0; i + 1 < cuts.size(); i++)
      all.push_back(static_cast<double>(cuts[i + 1] - cuts[i] + again) / speeds[i]);
    return all;
  }
};

// The seconds of the tasks of the last of some passes, each of which is told.
std::vector<double> after_passes(TaskShares& shares, const Machine& machine, std::int64_t rows,
                                 int passes) {
  std::vector<double> seconds;
  for (int pass = 0; pass < passes; pass++) {
    seconds =
        machine.seconds(shares.cut(rows, static_cast<int>(machine.speeds.size()), machine.again));
    for (std::size_t i = 0; i < seconds.size(); i++) shares.took(static_cast<int>(i), seconds[i]);
  }
  return seconds;
}

double ratio(const std::vector<double>& seconds) {
  const auto [least, most] = std::ranges::minmax(seconds);
  return most / least;
}

}  // namespace

TEST_CASE("tasks that are not known, or as fast as each other, get as many rows") {
  TaskShares shares(3);
  CHECK(shares.cut(10, 3, 4) == std::vector<std::int64_t>{0, 3, 6, 10});
  const Machine machine{{100, 103, 98}, 8};
  after_passes(shares, machine, 3000, 40);
  CHECK(shares.cut(3000, 3, 8) == std::vector<std::int64_t>{0, 1000, 2000, 3000});
}

TEST_CASE("tasks of different speeds come to end at the same time") {
  for (const std::int64_t again : {0, 96}) {
    TaskShares shares(4);
    const Machine machine{{100, 50, 120, 80}, again};
    CHECK(ratio(after_passes(shares, machine, 8192, 1)) > 2);
    CHECK(ratio(after_passes(shares, machine, 8192, 5)) < 1.2);
    CHECK(ratio(after_passes(shares, machine, 8192, 40)) < 1.01);
    // And again after the speeds have changed.
    const Machine later{{100, 100, 100, 30}, again};
    CHECK(ratio(after_passes(shares, later, 8192, 1)) > 1.5);
    CHECK(ratio(after_passes(shares, later, 8192, 40)) < 1.02);
  }
}

TEST_CASE("every task keeps rows, and together they have all") {
  for (const std::int64_t rows : {4, 5, 31, 4096}) {
    TaskShares shares(4);
    const Machine machine{{1, 1e-6, 1e6, 1}, 24};
    after_passes(shares, machine, rows, 50);
    const std::vector<std::int64_t>& cuts = shares.cut(rows, 4, 24);
    REQUIRE(cuts.size() == 5);
    CHECK(cuts.front() == 0);
    CHECK(cuts.back() == rows);
    for (std::size_t i = 0; i < 4; i++)
      CHECK(cuts[i + 1] - cuts[i] >= std::max<std::int64_t>(1, rows / 32));
  }
}

TEST_CASE("shorter passes of fewer tasks leave what is known of the others") {
  TaskShares shares(3);
  const Machine machine{{100, 100, 50}, 0};
  after_passes(shares, machine, 3000, 40);
  const std::vector<std::int64_t> before = shares.cut(3000, 3, 0);
  after_passes(shares, {{40, 40}, 0}, 3000, 5);
  CHECK(shares.cut(3000, 2, 0) == std::vector<std::int64_t>{0, 1500, 3000});
  CHECK(shares.cut(3000, 3, 0) == before);
}

TEST_CASE("a pass of which a task does not tell teaches nothing") {
  TaskShares shares(2);
  shares.cut(1000, 2, 0);
  shares.took(0, 1);
  CHECK(shares.cut(1000, 2, 0) == std::vector<std::int64_t>{0, 500, 1000});
}
