// How rows are cut among parts of different speeds.

#include "core/stepping/row_shares.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace tessera;

namespace {

using Cuts = std::vector<std::int64_t>;

// Parts of so many rows per second each.
struct Machine {
  std::vector<double> speeds;
  std::int64_t again = 0;

  std::vector<double> seconds(const Cuts& cuts) const {
    std::vector<double> all;
    for (std::size_t i = 0; i + 1 < cuts.size(); i++)
      all.push_back(static_cast<double>(cuts[i + 1] - cuts[i] + again) / speeds[i]);
    return all;
  }
};

Cuts cut_of(const RowShares& shares, const Machine& machine, std::int64_t rows) {
  return shares.cut(rows, static_cast<int>(machine.speeds.size()), machine.again, 1);
}

// Seconds of the slowest part by those of the fastest, in the last of so many passes.
double unevenness(RowShares& shares, const Machine& machine, std::int64_t rows, int passes) {
  std::vector<double> seconds;
  for (int pass = 0; pass < passes; pass++) {
    const Cuts cuts = cut_of(shares, machine, rows);
    seconds = machine.seconds(cuts);
    shares.learn(cuts, machine.again, seconds);
  }
  const auto [least, most] = std::ranges::minmax(seconds);
  return most / least;
}

}  // namespace

TEST_CASE("parts that are not known, or as fast as each other, get as many rows") {
  RowShares shares(3);
  CHECK(shares.cut(10, 3, 4, 1) == Cuts{0, 3, 6, 10});
  const Machine machine{{100, 103, 98}, 8};
  unevenness(shares, machine, 3000, 40);
  CHECK(cut_of(shares, machine, 3000) == Cuts{0, 1000, 2000, 3000});
}

TEST_CASE("parts of different speeds come to end at the same time") {
  for (const std::int64_t again : {0, 96}) {
    RowShares shares(4);
    const Machine machine{{100, 50, 120, 80}, again};
    CHECK(unevenness(shares, machine, 8192, 1) > 2);
    CHECK(unevenness(shares, machine, 8192, 1) < 1.01);
    CHECK(unevenness(shares, machine, 8192, 40) < 1.01);
    // And again after the speeds have changed.
    const Machine later{{100, 100, 100, 30}, again};
    CHECK(unevenness(shares, later, 8192, 1) > 1.5);
    CHECK(unevenness(shares, later, 8192, 40) < 1.02);
  }
}

TEST_CASE("what is known tells which of two cuts takes longer") {
  RowShares shares(2);
  const Machine machine{{100, 50}, 24};
  const Cuts equal{0, 500, 1000};
  shares.learn(equal, 24, machine.seconds(equal));
  const Cuts better = cut_of(shares, machine, 1000);
  const std::vector<double> before = machine.seconds(equal), after = machine.seconds(better);
  CHECK(shares.slowest(better, 24) / shares.slowest(equal, 24) ==
        doctest::Approx(std::ranges::max(after) / std::ranges::max(before)));
}

TEST_CASE("every part keeps rows, and together they have all") {
  for (const std::int64_t rows : {4, 5, 31, 4096}) {
    RowShares shares(4);
    const Machine machine{{1, 1e-6, 1e6, 1}, 24};
    unevenness(shares, machine, rows, 50);
    const std::int64_t least = rows / 4;
    for (const std::int64_t asked : {std::int64_t{1}, least}) {
      const Cuts cuts = shares.cut(rows, 4, 24, asked);
      REQUIRE(cuts.size() == 5);
      CHECK(cuts.front() == 0);
      CHECK(cuts.back() == rows);
      for (std::size_t i = 0; i < 4; i++) CHECK(cuts[i + 1] - cuts[i] >= asked);
    }
  }
}

TEST_CASE("fewer parts at a time leave what is known of the others") {
  RowShares shares(3);
  const Machine machine{{100, 100, 50}};
  unevenness(shares, machine, 3000, 40);
  const Cuts before = cut_of(shares, machine, 3000);
  unevenness(shares, {{40, 40}}, 3000, 5);
  CHECK(shares.cut(3000, 2, 0, 1) == Cuts{0, 1500, 3000});
  CHECK(cut_of(shares, machine, 3000) == before);
}

TEST_CASE("where a part's time is not known nothing is learnt") {
  RowShares shares(2);
  const Cuts equal{0, 500, 1000};
  shares.learn(equal, 0, std::vector<double>{1, 0});
  CHECK(shares.cut(1000, 2, 0, 1) == equal);
}
