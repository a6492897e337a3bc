// Bands whose rows move from slow ranks to fast ones: when, and that the cells stay the same.

#include "backends/distributed/band_balance.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "backends/distributed/local_team.h"
#include "backends/distributed/rank_band.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/surroundings.h"
#include "tests/support/cases.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::vector<BandRows> bands_of(std::int64_t rows, int parts) {
  return plan_bands(rows, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
}

// Seconds that ranks of so many rows per second take, of `again` rows more than their own.
std::vector<double> seconds_of(const std::vector<BandRows>& bands,
                               const std::vector<double>& speeds, std::int64_t again) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < bands.size(); i++)
    seconds.push_back(static_cast<double>(bands[i].rows + again) / speeds[i]);
  return seconds;
}

BandBalance::Limits wide(std::size_t parts) {
  return {20, 20, 1'000'000, std::vector<std::int64_t>(parts, 1'000'000)};
}

}  // namespace

TEST_CASE("bands follow what the ranks' times have shown") {
  const std::vector<double> speeds{100, 50, 100};
  const std::vector<BandRows> equal = bands_of(3000, 3);
  BandBalance balance(equal, wide(3));
  const auto better = balance.told(seconds_of(equal, speeds, 20));
  REQUIRE(better);
  CHECK(better->size() == 3);
  CHECK(better->front().first == 0);
  CHECK(better->back().end() == 3000);
  const std::vector<double> then = seconds_of(*better, speeds, 20);
  CHECK(std::ranges::max(then) < 1.01 * std::ranges::min(then));
  // From then on all are equally fast.
  for (int i = 0; i < 100; i++) CHECK_FALSE(balance.told(then));
  // Until another one is slow.
  std::optional<std::vector<BandRows>> last;
  for (int i = 0; i < 20; i++) {
    const std::vector<BandRows>& now = last ? *last : *better;
    if (auto next = balance.told(seconds_of(now, {100, 100, 50}, 20))) last = std::move(next);
  }
  REQUIRE(last);
  CHECK((*last)[2].rows < 700);
}

TEST_CASE("less than a tenth of the time moves no rows") {
  const std::vector<BandRows> equal = bands_of(3000, 3);
  for (const double slow : {100.0, 95.0, 88.0}) {
    CAPTURE(slow);
    BandBalance balance(equal, wide(3));
    for (int i = 0; i < 50; i++) CHECK_FALSE(balance.told(seconds_of(equal, {100, slow, 100}, 20)));
  }
  BandBalance balance(equal, wide(3));
  CHECK(balance.told(seconds_of(equal, {100, 80, 100}, 20)));
  // Nor do ranks that have not stepped.
  BandBalance idle(equal, wide(3));
  CHECK_FALSE(idle.told(std::vector<double>{1, 0, 50}));
}

TEST_CASE("no band has fewer rows than its neighbours' halos need") {
  const std::vector<BandRows> equal = bands_of(300, 3);
  BandBalance::Limits limits = wide(3);
  limits.again = limits.least = 60;
  BandBalance balance(equal, limits);
  const auto better = balance.told(seconds_of(equal, {100, 1, 100}, 60));
  REQUIRE(better);
  CHECK((*better)[1].rows == 60);
  BandBalance full(bands_of(180, 3), limits);
  for (int i = 0; i < 5; i++) CHECK_FALSE(full.told(std::vector<double>{1, 50, 1}));
}

TEST_CASE("rows move as far as bands have room, and so many at a time") {
  const std::vector<BandRows> equal = bands_of(4000, 4);
  const std::vector<double> speeds{50, 100, 100, 100};
  BandBalance::Limits limits = wide(4);
  limits.room = {300, 200, 300, 300};
  BandBalance balance(equal, limits);
  const auto better = balance.told(seconds_of(equal, speeds, 20));
  REQUIRE(better);
  // The second band takes 200 rows of the first, and passes on as many as it wants to.
  CHECK((*better)[0] == BandRows{0, 800});
  CHECK((*better)[1].first == 800);
  // The edges of a band without room stay where they are.
  limits.room = {300, 300, 0, 300};
  BandBalance fixed(equal, limits);
  const auto beside = fixed.told(seconds_of(equal, speeds, 20));
  REQUIRE(beside);
  CHECK((*beside)[0].rows == 700);
  CHECK((*beside)[2] == equal[2]);
  limits = wide(4);
  limits.moved = 100;
  BandBalance slow(equal, limits);
  std::vector<BandRows> now = equal;
  for (int turn = 1; turn <= 3; turn++) {
    const auto next = slow.told(seconds_of(now, speeds, 20));
    REQUIRE(next);
    now = *next;
    CHECK(now[0].rows == 1000 - 100 * turn);
  }
}

TEST_CASE("ranks tell their times some hundred times a second, however short the exchanges") {
  const std::vector<BandRows> equal = bands_of(3000, 3);
  BandBalance balance(equal, wide(3));
  // Nothing has been stepped before the first exchange.
  CHECK_FALSE(balance.due());
  CHECK(balance.due());
  balance.told(std::vector<double>{0.001, 0.0009, 0.001});
  for (int i = 0; i < 9; i++) CHECK_FALSE(balance.due());
  CHECK(balance.due());
  balance.told(std::vector<double>{0.04, 0.04, 0.04});
  for (int i = 0; i < 2; i++) CHECK_FALSE(balance.due());
  CHECK(balance.due());
  balance.told(std::vector<double>{1, 1, 1});
  CHECK(balance.due());
}

TEST_CASE("cells stay the same when bands are cut anew") {
  std::mt19937_64 random(11);
  const char* rules[] = {"B3/S23", "B36/S23", "/2/3", "B3/S23|B36/S125"};
  constexpr Boundary kBoundaries[] = {Boundary::torus,        Boundary::plane,
                                      Boundary::klein_bottle, Boundary::shifted_torus,
                                      Boundary::sphere,       Boundary::cross_surface};
  int ran = 0;
  for (std::int64_t n = 0; n < case_count(60); n++) {
    const std::string rule = rules[n % 4];
    BackendSpec spec = backend_spec(parse_rule_spec(rule + ":T64,64"));
    spec.boundary = kBoundaries[n / 4 % 6];
    spec.width = 1 + static_cast<std::int64_t>(random() % 1300);
    spec.height = 60 + static_cast<std::int64_t>(random() % 90);
    if (spec.boundary == Boundary::sphere) spec.width = spec.height;
    if (spec.boundary == Boundary::shifted_torus) spec.seam = {n % 2 == 1, 3};
    const bool simd = rule == "B3/S23" && n % 48 < 24;
    const std::vector<Kernel> found = find_kernels({"cpu"}, {simd ? "simd" : "compiled"});
    if (found.empty()) continue;  // there is no machine code of rules here
    const Kernel& kernel = found.front();
    // A row to a vector: bands of such rows have room.
    Tuning tuning;
    tuning.group = kernel.info.parameter(&Tuning::group)->candidates.back();
    const int ranks = 2 + static_cast<int>(random() % 4);
    const std::uint64_t seed = random();
    INFO("case ", n, ": ", rule, " ", kernel.name(), " ", spec.width, "x", spec.height, ", ", ranks,
         " ranks, boundary ", static_cast<int>(spec.boundary));
    std::vector<int> wrong(static_cast<std::size_t>(ranks));
    LocalTeam(ranks).run([&](Communicator& us) {
      std::mt19937_64 draw(seed);  // the same on all
      const auto me = static_cast<std::size_t>(us.rank());
      const std::int64_t halo = unrolls(spec) ? 1 + static_cast<std::int64_t>(draw() % 4) : 1;
      const RankOrder order{
          "cpu", kernel.info.name, tuning, spec,
          plan_grid(spec, std::vector<double>(static_cast<std::size_t>(ranks), 1.0),
                    {halo, LinkChoice::host}, {})};
      RankBand band(us, order, kernel.create(order.plan.band_spec(me, spec), tuning));
      band.join(true);
      const auto judge = reference().create(spec);
      const Soup soup{draw(), 32768};
      judge->fill(soup);
      band.changed();
      band.grid().fill(soup, 0, spec.height, 0);
      std::int64_t generation = 0;
      for (int round = 0; round < 5; round++) {
        const auto now = 1 + static_cast<std::int64_t>(draw() % 9);
        judge->step(now, generation % 2 == 1);
        band.step(now, generation % 2 == 1);
        generation += now;
        // Up to a quarter of a band over each edge.
        std::vector<BandRows> to = order.plan.bands;
        const std::int64_t most = spec.height / ranks / 4;
        for (std::size_t i = 1; i < to.size(); i++) {
          to[i].first +=
              static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(2 * most + 1)) - most;
          to[i - 1].rows = to[i].first - to[i - 1].first;
          to[i].rows = order.plan.bands[i].end() - to[i].first;
        }
        band.recut(to);
        wrong[me] += band.bands() != to || band.grid().own != to[me];
        const Rect rows{0, to[me].first, spec.width, to[me].rows};
        wrong[me] +=
            band.grid().backend->download(band.grid().local(rows)) != judge->download(rows);
        band.check();
      }
    });
    for (const int each : wrong) CHECK(each == 0);
    ran++;
  }
  CHECK(ran > 0);
}
