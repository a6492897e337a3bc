// Bands whose rows move from slow ranks to fast ones: when, and that the cells stay the same.

#include "backends/distributed/band_balance.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "backends/distributed/local_team.h"
#include "backends/distributed/rank_band.h"
#include "core/base/error.h"
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

}  // namespace

TEST_CASE("bands are cut for what the ranks' times have shown") {
  const std::vector<double> speeds{100, 50, 100};
  const std::vector<BandRows> equal = bands_of(3000, 3);
  BandBalance balance(equal, 20, 10);
  const auto better = balance.told(seconds_of(equal, speeds, 20));
  REQUIRE(better);
  CHECK(better->size() == 3);
  CHECK(better->front().first == 0);
  CHECK(better->back().end() == 3000);
  const std::vector<double> then = seconds_of(*better, speeds, 20);
  CHECK(std::ranges::max(then) < 1.01 * std::ranges::min(then));
  // From then on all are equally fast.
  balance.moved(*better, 1e-3);
  for (int i = 0; i < 100; i++) CHECK_FALSE(balance.told(then));
}

TEST_CASE("bands are cut again when others would have saved what that costs") {
  const std::vector<BandRows> equal = bands_of(3000, 3);
  const std::vector<double> seconds = seconds_of(equal, {100, 50, 100}, 20);
  // The slowest takes 20.4 seconds where 12.24 would do. What would have saved them is known from
  // the second time on.
  for (const auto& [cost, times] : {std::pair{5.0, 2}, {12.0, 3}, {24.0, 4}}) {
    CAPTURE(cost);
    BandBalance balance(equal, 20, 10);
    balance.moved(equal, cost);
    for (int i = 1; i < times; i++) CHECK_FALSE(balance.told(seconds));
    CHECK(balance.told(seconds));
  }
}

TEST_CASE("equal ranks, and those that have not stepped, keep their bands") {
  const std::vector<BandRows> equal = bands_of(3000, 3);
  BandBalance balance(equal, 20, 10);
  for (int i = 0; i < 50; i++) CHECK_FALSE(balance.told(seconds_of(equal, {100, 98, 102}, 20)));
  CHECK_FALSE(balance.told(std::vector<double>{1, 0, 50}));
}

TEST_CASE("no band has fewer rows than its neighbours' halos need") {
  const std::vector<BandRows> equal = bands_of(300, 3);
  BandBalance balance(equal, 60, 60);
  const auto better = balance.told(seconds_of(equal, {100, 1, 100}, 60));
  REQUIRE(better);
  CHECK((*better)[1].rows == 60);
  BandBalance full(bands_of(180, 3), 60, 60);
  for (int i = 0; i < 5; i++) CHECK_FALSE(full.told(std::vector<double>{1, 50, 1}));
}

TEST_CASE("speeds that waver move no rows") {
  const std::vector<BandRows> equal = bands_of(2000, 2);
  BandBalance balance(equal, 0, 10);
  balance.moved(equal, 10);
  for (int i = 0; i < 200; i++) {
    const bool first = i % 2 == 0;
    CHECK_FALSE(balance.told(seconds_of(equal, {first ? 100.0 : 70.0, first ? 70.0 : 100.0}, 0)));
  }
}

TEST_CASE("ranks tell their times some hundred times a second, however short the exchanges") {
  const std::vector<BandRows> equal = bands_of(3000, 3);
  BandBalance balance(equal, 20, 10);
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

namespace {

struct Cutting {
  BackendSpec spec;
  std::string kernel;
  Tuning tuning;
  int ranks = 2;
  std::uint64_t seed = 0;
  int rounds = 5;
  int failing = -1;  // a rank that can make no other band

  // The reference takes too long for large grids.
  const Kernel& judge() const {
    static const Kernel double_word = find_kernels({"cpu"}, {"double-word"}).at(0);
    return spec.cells() < 1e6 ? reference() : double_word;
  }
};

// Steps a grid over ranks between which rows move now and then, and compares all of it.
void check_cuts(const Cutting& c) {
  const std::vector<Kernel> found = find_kernels({"cpu"}, {c.kernel});
  REQUIRE(found.size() == 1);
  const Kernel& kernel = found.front();
  LocalTeam team(c.ranks);
  team.run([&](Communicator& us) {
    std::mt19937_64 random(c.seed);  // the same on all
    const auto me = static_cast<std::size_t>(us.rank());
    const std::vector<double> equal(static_cast<std::size_t>(c.ranks), 1.0);
    const std::int64_t halo = unrolls(c.spec) ? 1 + static_cast<std::int64_t>(random() % 4) : 1;
    const RankOrder order{"cpu", c.kernel, c.tuning, c.spec,
                          plan_grid(c.spec, equal, {halo, LinkChoice::host}, {})};
    int made = 0;
    const MakeBand make = [&](const BackendSpec& band) {
      if (made++ > 0 && us.rank() == c.failing) {
        if (made % 2 == 0) throw std::bad_alloc();
        throw DeviceMemoryError("no room");
      }
      return kernel.create(band, c.tuning);
    };
    RankBand band(us, order, make(order.plan.band_spec(me, c.spec)), make);
    band.join(true);
    const auto judge = c.judge().create(c.spec);
    const Soup soup{random(), 32768};
    judge->fill(soup);
    band.changed();
    band.grid().fill(soup, 0, c.spec.height, 0);
    std::int64_t generation = 0;
    for (int round = 0; round < c.rounds; round++) {
      const auto now = 1 + static_cast<std::int64_t>(random() % 9);
      judge->step(now, generation % 2 == 1);
      band.step(now, generation % 2 == 1);
      generation += now;
      std::vector<double> weights;
      for (int i = 0; i < c.ranks; i++) weights.push_back(1.0 + static_cast<double>(random() % 9));
      const std::vector<BandRows> old = band.bands();
      const std::vector<BandRows> to = plan_bands(c.spec.height, weights, halo * c.spec.reach());
      CHECK(band.recut(to) == (c.failing < 0));
      CHECK(band.bands() == (c.failing < 0 ? to : old));
      const BandRows& own = band.bands()[me];
      CHECK(band.grid().own == own);
      const Rect rows{0, own.first, c.spec.width, own.rows};
      CHECK(band.grid().backend->download(band.grid().local(rows)) == judge->download(rows));
      band.check();
    }
  });
}

}  // namespace

TEST_CASE("cells stay the same when bands are cut anew") {
  std::mt19937_64 random(11);
  const char* rules[] = {"B3/S23", "B36/S23", "/2/3", "B3/S23|B36/S125", "R2,C2,S2..6,B5..9"};
  constexpr Boundary kBoundaries[] = {Boundary::torus,        Boundary::plane,
                                      Boundary::klein_bottle, Boundary::shifted_torus,
                                      Boundary::sphere,       Boundary::cross_surface};
  for (std::int64_t n = 0; n < case_count(60); n++) {
    Cutting c;
    const std::string rule = rules[n % 5];
    c.spec = backend_spec(parse_rule_spec(rule + ":T64,64"));
    // Rules of longer range take no other universes than the first two.
    c.spec.boundary = kBoundaries[n / 5 % (c.spec.ranged() ? 2 : 6)];
    c.spec.width = 1 + static_cast<std::int64_t>(random() % 1300);
    c.spec.height = 60 + static_cast<std::int64_t>(random() % 90);
    if (c.spec.boundary == Boundary::sphere) c.spec.width = c.spec.height;
    if (c.spec.boundary == Boundary::shifted_torus) c.spec.seam = {n % 2 == 1, 3};
    c.ranks = 2 + static_cast<int>(random() % 4);
    c.seed = random();
    c.kernel = c.spec.ranged() ? "sums" : "gates";
    if (rule == "B3/S23" && c.spec.plain_edges() && n % 60 < 30) {
      c.kernel = "simd";
      // A row to a vector: such rows travel as they lie.
      c.tuning.group =
          find_kernels({"cpu"}, {"simd"}).at(0).info.parameter(&Tuning::group)->candidates.back();
    }
    CAPTURE(n);
    CAPTURE(rule);
    CAPTURE(c.kernel);
    CAPTURE(c.spec.boundary);
    CAPTURE(c.spec.width);
    CAPTURE(c.spec.height);
    CAPTURE(c.ranks);
    fflush(stdout);
    check_cuts(c);
  }
}

TEST_CASE("rows of large bands move in parts") {
  for (const std::string kernel : {"simd", "word"}) {
    Cutting c;
    c.spec = backend_spec(parse_rule_spec("B3/S23:T300000,250"));
    c.kernel = kernel;
    c.ranks = 3;
    c.seed = 8;
    c.rounds = 2;
    check_cuts(c);
  }
}

TEST_CASE("where a rank has no room for another band all go on as they are") {
  for (const int failing : {0, 2}) {
    Cutting c;
    c.spec = backend_spec(parse_rule_spec("B3/S23:T200,90"));
    c.kernel = "word";
    c.ranks = 3;
    c.seed = 5;
    c.failing = failing;
    check_cuts(c);
  }
}
