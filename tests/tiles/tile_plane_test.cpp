// The plane as tiles, of every backend that has some, against the growing grid with the reference
// kernel, which shares no code with it: populations, bounds, hashes and cells, over cases that
// tiles find hard.
#include "core/tiles/tile_plane.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "backends/cpu/tile_pool.h"
#include "backends/drivers.h"
#include "core/cells/cell_grid.h"
#include "core/cells/state_hash.h"
#include "core/pattern_io.h"
#include "core/rules/rule_spec.h"
#include "core/tiles/tile_device.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/tiles/random_lives.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

Tuning one_thread() {
  Tuning tuning;
  tuning.threads = 1;
  return tuning;
}

std::unique_ptr<TilePool> pool(const Rule& rule) {
  return std::make_unique<CpuTilePool>(rule, kNoLimit, 1);
}

std::unique_ptr<TileDevice> device_of(const Kernel& kernel, const Rule& rule) {
  BackendSpec spec;
  spec.width = spec.height = 64;
  spec.boundary = Boundary::plane;
  spec.rule = rule;
  spec.tiles = true;
  return kernel.create(spec, {})->tile_device();
}

// Who steps tiles: the CPU, a device, or both by turns.
struct Steppers {
  std::string name;
  Kernel kernel;
  bool on_device = false;
  bool moves = false;  // from the CPU to the device, or back, now and then
  bool short_ring = false;
  bool shares = false;  // memory of equal states, after every step

  // An emulated device, or a sanitizer's build.
  bool is_slow() const {
    return (on_device && kernel.device.software) || cell_budget(kernel) <= 20'000'000;
  }
  std::unique_ptr<TilePlane> make(const Rule& rule) const {
    if (on_device && !moves) return std::make_unique<TilePlane>(rule, device_of(kernel, rule));
    auto plane = std::make_unique<TilePlane>(rule, pool(rule));
    if (short_ring) plane->limit_ring(1);
    if (shares) plane->share_from(0);
    return plane;
  }
};

// Whether a kernel interprets programs on the CPU, which takes ten times as long.
bool interprets(const Kernel& kernel) {
  return kernel.info.any_rule && kernel.backend() == "cpu:0";
}

// Everybody here who steps tiles.
std::vector<Steppers> all_steppers() {
  std::vector<Steppers> out;
  for (const Kernel& kernel : kernels_here()) {
    if (!has_tiles(kernel)) continue;
    const bool cpu = kernel.backend() == "cpu:0";
    out.push_back({kernel.name(), kernel, !cpu, false});
    if (interprets(kernel)) continue;
    if (cpu) out.push_back({kernel.name() + " with two slots", kernel, false, false, true});
    if (cpu) out.push_back({kernel.name() + " sharing", kernel, false, false, false, true});
    if (!cpu) out.push_back({kernel.name() + " and the CPU by turns", kernel, true, true});
  }
  return out;
}

// But for those who interpret programs: what the plane does with their tiles is the same, and
// random lives show what they make of them (tile_states_test.cpp has more).
template <class Body>
void for_all_steppers(const Body& body, bool programs = false) {
  for (const Steppers& steppers : all_steppers()) {
    if (interprets(steppers.kernel) && !programs) continue;
    INFO(steppers.name);
    body(steppers);
    ran(steppers.kernel);
  }
}

// The same cells on tiles and on a grid.
class Pair {
 public:
  explicit Pair(const Steppers& steppers, const Rule& rule, const char* kernel = "reference")
      : steppers_(steppers),
        rule_(rule),
        tiles_(steppers.make(rule)),
        plane_(*tiles_),
        grid_(RuleSpec{rule, Topology::infinite, 0, 0}, make_factory("cpu", kernel, one_thread()),
              0, SpaceChoice::grid) {}

  void edit(const Cell& at, const BitGrid& cells) {
    plane_.edit(at, cells);
    grid_.edit(at, cells);
  }
  void draw(const Cell& at, const char* rle) {
    Pattern pattern = parse_pattern(rle, "drawn.rle");
    const Rect box = pattern.cells.bounds()->rect();
    BitGrid cells(box.width, box.height);
    CellRuns::Reader reader = pattern.cells.reader();
    while (const std::optional<CellRun> run = reader.next()) {
      cells.fill_run(run->x - box.x, run->y - box.y, run->length);
    }
    edit({at.x + box.x, at.y + box.y}, cells);
  }
  void step(std::int64_t generations) {
    plane_.step(generations);
    grid_.step(generations);
  }
  // As if both were new, but for the device, which needs not be opened again.
  void clear() {
    plane_.clear();
    grid_.clear();
  }
  bool equal() {
    // Without a hash a device's cells need not come home.
    const Survey parts = plane_.survey({.population = true, .bounds = true});
    const Survey survey = plane_.survey(kWholeSurvey);
    if (parts.population != survey.population || parts.bounds != survey.bounds) return false;
    return survey.population == grid_.population() && survey.bounds == grid_.bounds() &&
           survey.hash == grid_.hash() && plane_.generation() == grid_.generation();
  }
  // Cell by cell, and reduced to pixels, in a window that need not hold everything.
  bool equal_within(const Rect& rect, std::int64_t scale) {
    const CellGrid wanted = grid_.window(rect);
    CellCounts counts, expected;
    plane_.count(rect, scale, counts);
    if (CellGrid(plane_.read(rect)) != wanted) return false;
    expected.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
    for (std::int64_t y = 0; y < rect.height; y++) {
      for (std::int64_t x = 0; x < rect.width; x++) {
        expected.row(y / scale)[x / scale] += wanted.plane(0).get(x, y);
      }
    }
    return counts == expected;
  }
  TilePlane& plane() { return plane_; }
  // Between the device and home, where there are both.
  void move() {
    if (!steppers_.moves) return;
    if (plane_.lent()) {
      device_ = plane_.bring_home();
    } else {
      if (!device_) device_ = device_of(steppers_.kernel, rule_);
      plane_.lend(std::move(device_));
    }
  }

 private:
  Steppers steppers_;
  Rule rule_;
  std::unique_ptr<TilePlane> tiles_;
  TilePlane& plane_;
  std::unique_ptr<TileDevice> device_;
  Universe grid_;
};

// One random life of a plane, described for whoever must find out why it differs.
std::string run_case(const Steppers& steppers, std::uint64_t seed) {
  Random random(seed);
  const Rule rule = random_rule(random, steppers.is_slow()   ? Variety::few
                                        : steppers.on_device ? Variety::listed
                                                             : Variety::any);
  // Rules that explode fill grids: fewer generations, and one in eight by the slow reference.
  const bool tame =
      rule == kLife || rule == parse_rule("B36/S23") || rule == parse_rule("B38/S238");
  Pair pair(steppers, rule, tame ? "simd" : random() % 8 == 0 ? "reference" : "word");
  const Cell centre{draw(random, -3000, 3000), draw(random, -3000, 3000)};
  std::string told = "seed " + std::to_string(seed) + " rule " + to_string(rule);
  const int acts = static_cast<int>(draw(random, 2, 8));
  std::int64_t left = tame ? 800 : 50;
  const std::int64_t habit = draw(random, 1, 70);
  const bool has_habit = random() % 3 == 0;
  for (int act = 0; act < acts; act++) {
    for (std::int64_t n = draw(random, act == 0, 3); n > 0; n--) {
      const std::int64_t far = random() % 8 == 0 ? (tame ? 900 : 200) : 70;
      const Cell at{centre.x + draw(random, -far, far), centre.y + draw(random, -far, far)};
      if (random() % 3 == 0) {
        pair.edit(at, random_cells(random, tame ? 70 : 30));
      } else {
        pair.draw(at, kThings[random() % std::size(kThings)]);
      }
    }
    if (steppers.moves && random() % 2 == 0) pair.move();
    const std::int64_t most = random() % 3 == 0 ? left / 2 : 40;
    for (int n = has_habit ? 6 : 1; n > 0; n--) {
      const std::int64_t generations =
          std::min(left, has_habit ? habit : draw(random, 1, most + 1));
      pair.step(generations);
      left -= generations;
      told += " +" + std::to_string(generations);
      const bool first = n % 2 == 0;  // nothing has come home then
      if (!first && !pair.equal()) return told + ": differs";
      if (random() % 4 == 0) {
        const Rect window{centre.x + draw(random, -300, 100), centre.y + draw(random, -300, 100),
                          draw(random, 1, 300), draw(random, 1, 300)};
        if (!pair.equal_within(window, draw(random, 1, 120))) return told + ": window differs";
      }
      if (first && !pair.equal()) return told + ": differs";
      if (left <= 0) return "";
    }
  }
  return "";
}

}  // namespace

TEST_CASE("random lives of a plane are those of the growing grid") {
  for_all_steppers(
      [](const Steppers& steppers) {
        // Fewer of them by turns, and where every launch waits or the device is emulated.
        // Interpreted programs have cases of their own (tile_states_test.cpp).
        const bool program = interprets(steppers.kernel);
        const std::int64_t usual = program                                    ? 1600
                                   : !steppers.on_device                      ? 10000
                                   : speed_of(steppers.kernel) == Speed::fast ? 2000
                                                                              : 200;
        // The CPU's three share its cases, each of them its own: half, a quarter and a quarter.
        const bool variant = steppers.moves || steppers.short_ring || steppers.shares;
        const std::int64_t part = program ? 8 : variant ? 4 : steppers.on_device ? 1 : 2;
        const std::int64_t cases = std::max<std::int64_t>(1, case_count(usual) / part);
        const std::int64_t first = steppers.short_ring ? usual / 2
                                   : steppers.shares   ? 3 * usual / 4
                                                       : 0;
        REQUIRE(cases > 0);
        for (std::int64_t i = first; i < first + cases; i++) {
          const std::string wrong = run_case(steppers, static_cast<std::uint64_t>(i));
          CHECK_MESSAGE(wrong.empty(), wrong);
          if (!wrong.empty()) break;
        }
      },
      true);
}

TEST_CASE("a glider that left the plane comes back before it meets anything") {
  for_all_steppers([](const Steppers& steppers) {
    if (steppers.moves) return;  // nothing moves to the device here
    Pair pair(steppers, kLife, "simd");
    for (const std::int64_t distance : {200, 700, 1500}) {
      for (const std::int64_t aside : {-40, -3, 0, 2, 5, 40}) {
        // A slow one takes every other flight, and none of the longest.
        if (steppers.is_slow() && (aside % 2 == 0) == (distance == 200)) continue;
        if (steppers.is_slow() && distance == 1500) break;
        pair.clear();
        pair.draw({0, 0}, "bo$2bo$3o!");
        pair.draw({distance + aside, distance}, "2o$2o!");
        for (int n = 0; n < 5; n++) {
          pair.step(distance + 37);
          REQUIRE(pair.equal());
        }
      }
    }
  });
}

TEST_CASE("gliders that meet far from everything meet") {
  for_all_steppers([](const Steppers& steppers) {
    if (steppers.moves) return;  // nothing moves to the device here
    Pair pair(steppers, kLife, "simd");
    for (const std::int64_t distance : {300, 701}) {
      for (std::int64_t aside = -8; aside <= 8; aside += 2) {
        if (steppers.is_slow() && (aside % 4 == 0) == (distance == 300)) continue;  // as above
        pair.clear();
        pair.draw({0, 0}, "bo$2bo$3o!");                             // south-east
        pair.draw({distance, distance + aside}, "3o$o$bo!");         // north-west
        pair.draw({-distance, 3 * distance + aside}, "3o$2bo$bo!");  // north-east
        for (int n = 0; n < 4; n++) {
          pair.step(distance + 1);
          REQUIRE(pair.equal());
        }
      }
    }
  });
}

TEST_CASE("gliders leave the plane, and a plane at rest is jumped over") {
  for_all_steppers([](const Steppers& steppers) {
    const std::unique_ptr<TilePlane> held = steppers.make(kLife);
    TilePlane& plane = *held;
    BitGrid acorn(7, 3);
    for (const auto& [x, y] : {std::pair{1, 0}, {3, 1}, {0, 2}, {1, 2}, {4, 2}, {5, 2}, {6, 2}}) {
      acorn.set(x, y, true);
    }
    plane.edit({0, 0}, acorn);
    plane.step(5206);
    CHECK(plane.survey(kWholeSurvey).population == 633);
    plane.step(1000000000);
    CHECK(plane.survey(kWholeSurvey).population == 633);
    CHECK(plane.gliders_away() == 13);
    CHECK(plane.active() == 0);
    const Bounds box = *plane.survey(kWholeSurvey).bounds;
    CHECK(box.xmax - box.xmin > 400000000);
  });
}

TEST_CASE("generations end at the largest number, in one go and in parts") {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  BitGrid glider(3, 3);
  for (const auto& [x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}) {
    glider.set(x, y, true);
  }
  TilePlane near(kLife, pool(kLife));
  near.edit({0, 0}, glider);
  near.step(kLast % 4);
  const Bounds begun = *near.survey(kWholeSurvey).bounds;
  for (const std::int64_t part : {kLast, kLast / 7}) {
    TilePlane plane(kLife, pool(kLife));
    plane.edit({0, 0}, glider);
    while (plane.generation() < kLast) plane.step(std::min(part, kLast - plane.generation()));
    const Survey found = plane.survey(kWholeSurvey);
    CHECK(found.population == 5);
    CHECK(*found.bounds == begun.shifted(kLast / 4, kLast / 4));
  }
}

TEST_CASE("statistics of every generation are those of the cells") {
  for_all_steppers([](const Steppers& steppers) {
    for (const std::int64_t every : {1, 3}) {
      Pair pair(steppers, kLife, "simd");
      pair.draw({-300, 40}, "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o!");
      pair.draw({0, 0}, "bo$3bo$2o2b3o!");  // an acorn: gliders leave
      pair.draw({-100, -90}, "bo2bo$o$o3bo$4o!");
      for (int n = 1; n <= 240; n++) {
        pair.step(every);
        // A glider flies into an oscillator, and a block is drawn where something may be.
        if (n == 60) pair.draw({-330, 10}, "bo$2bo$3o!");
        if (n == 150) pair.draw({3, 3}, "2o$2o!");
        if (n == 150) REQUIRE(pair.equal());
        if (n < 200 || n > 230) REQUIRE(pair.equal());
      }
    }
  });
}

// What is taken away concerns the tiles that saw it, though nothing is left there to be seen.
TEST_CASE("a part of a still life at rest is taken away across the border of its tile") {
  for_all_steppers([](const Steppers& steppers) {
    const std::int64_t last = kTileSide - 1;
    for (const Cell at : {Cell{last, 5}, Cell{5, last}, Cell{last, last}, Cell{-1, -1}}) {
      for (const Cell part : {Cell{0, 0}, Cell{1, 0}, Cell{0, 1}, Cell{1, 1}}) {
        Pair pair(steppers, kLife, "simd");
        pair.draw(at, "2o$2o!");
        pair.step(2000);
        pair.edit({at.x + part.x, at.y}, BitGrid(1, 2));
        if (part.y) pair.edit({at.x, at.y + 1}, BitGrid(2, 1));
        pair.step(8);
        CHECK(pair.equal());
      }
    }
  });
}

TEST_CASE("a still life is not visited, nor an oscillator of a common period") {
  for_all_steppers([](const Steppers& steppers) {
    for (const char* pattern :
         {"2o$2o!", "3o!", "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o!"}) {
      Pair pair(steppers, kLife, "simd");
      pair.draw({5, 5}, pattern);
      pair.step(2000);
      CHECK(pair.equal());
      CHECK(pair.plane().active() == 0);
    }
  });
}

TEST_CASE("a few tiles of a rare period cost nothing any more once they were watched") {
  for_all_steppers([](const Steppers& steppers) {
    if (steppers.on_device || steppers.short_ring)
      return;  // nothing is watched, or no ring is long
    // Of period 5, and then with others of periods 8 and 15 beside it, in a ring that suits it.
    Pair pair(steppers, kLife, "simd");
    pair.draw({20, 20}, "3b2o$2bo2bo$bo4bo$o6bo$o6bo$bo4bo$2bo2bo$3b2o!");
    pair.step(10000);
    CHECK(pair.equal());
    CHECK(pair.plane().active() == 0);
    pair.draw({200, 20}, "3o$3o$3o$3b3o$3b3o$3b3o!");
    pair.draw({20, 300}, "2bo4bo$2ob4ob2o$2bo4bo8$2bo4bo$2ob4ob2o$2bo4bo!");
    pair.step(100000);
    CHECK(pair.equal());
    CHECK(pair.plane().active() == 0);
  });
}

TEST_CASE("a stream of gliders shares the memory of its states") {
  constexpr const char* kGun =
      "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$"
      "11bo3bo$12b2o!";
  TilePlane alone(kLife, pool(kLife)), sharing(kLife, pool(kLife));
  alone.share_from(std::numeric_limits<std::int64_t>::max());
  sharing.share_from(1 << 18);
  const Pattern gun = parse_pattern(kGun, "gun.rle");
  const Rect box = gun.cells.bounds()->rect();
  BitGrid cells(box.width, box.height);
  CellRuns::Reader reader = gun.cells.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    cells.fill_run(run->x - box.x, run->y - box.y, run->length);
  }
  for (TilePlane* plane : {&alone, &sharing}) {
    plane->edit({0, 0}, cells);
    plane->step(300'000);
  }
  CHECK(sharing.survey({.population = true, .bounds = true, .hash = true}) ==
        alone.survey({.population = true, .bounds = true, .hash = true}));
  CHECK(sharing.active() == alone.active());
  CHECK(2 * sharing.bytes() < alone.bytes());
}

// In a ring of two slots, what a step makes lies where the states before were. Three tiles that do
// not change in a step are then the same in both, and only the fourth, at whose corner they make a
// cell live, is not.
TEST_CASE("what becomes of tiles in a step is not taken for what they were before") {
  for_all_steppers([](const Steppers& steppers) {
    for (const std::int64_t stride : {1, 8}) {  // a habit, and a ring of the usual length
      Pair pair(steppers, kLife, "simd");
      // Something else has set the lengths of the steps, and is at rest.
      pair.draw({-500, -500}, "2o$2o!");
      for (int n = 0; n < 5; n++) {
        pair.step(stride);
        REQUIRE(pair.equal());
      }
      const std::int64_t last = kTileSide - 1;
      pair.draw({last, last}, "2o$o!");  // a block but for the cell in the tile at the corner
      pair.step(2 * stride);
      CHECK(pair.equal());
    }
  });
}
