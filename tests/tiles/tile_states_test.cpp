// Tiles of rules that are programs: several states, and neighbourhoods in any arrangement, on the
// CPU and on every device. Beside the growing grid with the reference kernel, and beside the fixed
// one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/measure/draw.h"
#include "backends/cpu/program_tile_pool.h"
#include "core/base/error.h"
#include "core/patterns/state_runs.h"
#include "core/stepping/backend_spec.h"
#include "core/tiles/tile_plane.h"
#include "tests/distributed/shared_lives.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"
#include "tests/support/states.h"
#include "tests/tiles/universe_pair.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// The first ones are those that devices without a GPU compile soon.
constexpr const char* kPrograms[] = {
    "WireWorld", "345/2/4",    "B3-j/S23",  "3/2/5H",       "B2-a/S12",
    "/2/3",      "B3/S23H",    "B2/S013V",  "W30",          "23/3/3",
    "12/34/9",   "13/1/6V",    "2-a/3-y/4", "234/34678/24", "B2ci3ai4c8/S02ae3eijkq4iz5ar6i7e",
    "/2/256",    "0236/34/40", "12/34/18"};
constexpr std::size_t kQuickPrograms = 11;

// Two rules in turns, and births from nothing, of which the infinite plane makes such; the last
// ones of several states, which devices do not step.
constexpr const char* kTurns[] = {"B3/S23|B36/S23", "B2/S013V|B3/S23", "B0246/S1357",
                                  "B3/S|B2/S",      "W30|W110",        "B02/S3|B3/S23",
                                  "B013/S125",      "B01/S12-k4",      "B1/S012345678|B/S12",
                                  "/2/3|2/2/3",     "345/2/4|234/34/4"};
constexpr std::size_t kTurnsOfTwoStates = 9;

// Rules of longer range, of every length of a step.
constexpr const char* kRanges[] = {"R5,C0,M1,S34..58,B34..45,NM", "R2,C0,M0,S4..9,B5..7,NM",
                                   "R3,C4,M0,S5..12,B7..10,NM",   "R8,C0,M1,S100..223,B74..120,NM",
                                   "R8,C3,M0,S20..60,B18..40,NC", "R4,C0,M1,S10..22,B9..14,NN",
                                   "R7,C0,M0,S5..11,B6..8,N+",    "R6,C2,S2-4,6,8-9,B3-5,N*",
                                   "R1,C0,M1,S3..4,B3..3,NN",     "R2,C5,S3-6,B4-5,N#",
                                   "R3,C2,M1,S8-14,B7-10,NH",     "R2,C2,S2,4,5,B3,4,N@2ac35a"};

Universe in_tiles(const RuleSpec& spec, SpaceChoice choice = SpaceChoice::tiles) {
  return Universe(spec, make_factory("cpu", "auto", {}), 0, choice);
}

// The same over three parts, which share tiles however few they are.
BackendFactory over_parts(const BackendFactory& one) {
  return [=](const BackendSpec& spec) {
    return std::make_unique<SharedTilesBackend>(spec, BackendInfo{"cpu", "parts", "auto", {}}, [=] {
      const TileShare share{[=] { return tiles_of(*one(spec)); }, 1};
      return std::make_unique<SharedTiles>(std::vector(3, share), kRestless);
    });
  };
}

// Calls body(factory, emulated) for the CPU, for parts of it, and for every device that steps
// tiles.
void for_all_with_tiles(const std::function<void(const BackendFactory&, bool)>& body) {
  const BackendFactory cpu = make_factory("cpu", "auto", {});
  body(cpu, false);
  {
    INFO("parts of the CPU");
    body(over_parts(cpu), false);
  }
  for (const Kernel& kernel : kernels_here()) {
    if (!has_tiles(kernel) || !is_single(kernel) || kernel.backend() == "cpu:0") continue;
    INFO(kernel.name());
    body(kernel.factory(), kernel.device.software || kernel.device.name == "emulated");
    ran(kernel);
  }
}

CellGrid some_cells(Random& random, const Rule& rule) {
  Draw draw(random());
  return random_states(test::draw(random, 1, 70), test::draw(random, 1, 60), rule, draw);
}

// As a pattern, which is added to what is there; with `least` all in state 1.
Pattern pattern_of(const CellGrid& cells, bool least = false) {
  Pattern out;
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) {
      if (const int state = cells.state(x, y)) append_run(out, {x, y, 1, least ? 1 : state});
    }
  }
  return out;
}

std::string states_differ(Universe& a, Universe& b, const Rect& rect, std::int64_t scale) {
  DensityImage seen, wanted;
  a.look_states({rect, scale, false}, seen);
  b.look_states({rect, scale, false}, wanted);
  return seen == wanted ? "" : "pictures of states differ";
}

// One life of a random rule of some. Empty when tiles and grid were the same all along.
std::string program_life(std::uint64_t seed, std::span<const char* const> rules,
                         const BackendFactory& factory) {
  Random random(seed);
  RuleSpec spec = parse_rule_spec(rules[random() % rules.size()]);
  const bool bounded = random() % 3 == 0 && !spec.has_b0();
  const bool far = spec.rule.ranged();
  Rect all = far ? Rect{-70, -70, 140, 140} : Rect{-120, -120, 240, 240};
  if (bounded) {
    spec.topology = random() % 2 ? Topology::torus : Topology::plane;
    spec.width = random_side(random);
    spec.height = random_side(random);
    all = {spec.origin().x, spec.origin().y, spec.width, spec.height};
  }
  std::string told = "seed " + std::to_string(seed) + " " + to_string(spec);
  // The reference looks at up to 289 cells for each.
  UniversePair pair(Universe(spec, factory, 0, SpaceChoice::tiles),
                    far && random() % 8 ? "sums" : "reference");
  for (int act = 0; act < 4; act++) {
    for (std::int64_t n = draw(random, 1, 3); n > 0; n--) {
      CellGrid cells = some_cells(random, spec.rule);
      cells = cells.window(
          {0, 0, std::min(cells.width(), all.width), std::min(cells.height(), all.height)});
      const Cell at{all.x + draw(random, 0, all.width - cells.width()),
                    all.y + draw(random, 0, all.height - cells.height())};
      if (random() % 4 == 0 && all.width > 20 && all.height > 10) {
        pair.place(
            kThings[random() % std::size(kThings)],
            {all.x + draw(random, 0, all.width - 20), all.y + draw(random, 0, all.height - 10)});
      } else if (random() % 2) {
        pair.edit(at, cells);
      } else {
        pair.place(pattern_of(cells, random() % 3 == 0), at);
      }
    }
    // Of two rules the other one may be next.
    if (random() % 4 == 0) pair.set_generation(draw(random, 0, 5));
    const std::int64_t most = (act == 2 ? 60 : 20) / spec.reach();
    const std::int64_t generations = draw(random, 1, std::max<std::int64_t>(2, most));
    const int times = random() % 4 == 0 ? 4 : 1;
    for (int i = 0; i < times; i++) {
      pair.step(generations);
      told += " +" + std::to_string(generations);
      if (const std::string wrong = pair.difference(); !wrong.empty()) return told + ": " + wrong;
    }
    const Rect window{all.x + draw(random, -90, 90), all.y + draw(random, -90, 90),
                      draw(random, 1, 200), draw(random, 1, 200)};
    const std::string wrong = pair.difference_within(window, draw(random, 1, 60));
    if (!wrong.empty()) return told + ": " + wrong;
  }
  return "";
}

void check_lives(std::int64_t count, std::span<const char* const> rules,
                 const BackendFactory& factory = make_factory("cpu", "auto", {})) {
  for (std::int64_t i = 0; i < count; i++) {
    const std::string wrong = program_life(static_cast<std::uint64_t>(i), rules, factory);
    CHECK_MESSAGE(wrong.empty(), wrong);
    if (!wrong.empty()) break;
  }
}

}  // namespace

TEST_CASE("random lives under programs are those of the grid") {
  for_all_with_tiles([](const BackendFactory& factory, bool emulated) {
    const auto rules = std::span(kPrograms).first(emulated ? kQuickPrograms : std::size(kPrograms));
    check_lives(std::max<std::int64_t>(6, case_count(800) / 4), rules, factory);
  });
}

TEST_CASE("random lives under two rules in turns are those of the grid") {
  check_lives(case_count(800) / 4, kTurns);
  for_all_with_tiles([](const BackendFactory& factory, bool) {
    check_lives(std::max<std::int64_t>(5, case_count(800) / 8),
                std::span(kTurns).first(kTurnsOfTwoStates), factory);
  });
}

TEST_CASE("bounded universes in which empty cells are born are no tiles") {
  for (const char* rule : {"B0/S", "B0/S|B3/S23", "B3/S23|B0128/S0256", "B0123/S|B/S08"}) {
    for (const char* universe : {":T1,9", ":P90,70"}) {
      CAPTURE(std::string(rule));
      const RuleSpec spec = parse_rule_spec(std::string(rule) + universe);
      CHECK(message_of<UnsupportedError>([&] { in_tiles(spec); }).find("without B0") !=
            std::string::npos);
    }
  }
}

// A blinker that every other generation leaves as it is: after 25 generations it is as before, but
// it is the other rule's turn.
TEST_CASE("what one of two rules leaves alone does not come to rest, whatever the steps") {
  for (const char* universe : {"", ":P60,50"}) {
    const RuleSpec spec = parse_rule_spec(std::string("B/S012345678|B3/S23") + universe);
    for_all_with_tiles([&](const BackendFactory& factory, bool emulated) {
      for (std::int64_t stride = 1; stride <= 16; stride += emulated ? 4 : 1) {
        UniversePair pair(Universe(spec, factory, 0, SpaceChoice::tiles), "gates");
        pair.place("3o!", {5, 7});
        pair.place("2o$2o!", {20, 7});
        for (int i = 0; i < 40; i++) {
          pair.step(stride);
          CAPTURE(stride);
          REQUIRE(pair.difference() == "");
        }
      }
    });
  }
}

TEST_CASE("random lives under rules of longer range are those of the grid") {
  const BackendFactory cpu = make_factory("cpu", "auto", {});
  check_lives(case_count(800) / 10, kRanges, cpu);
  INFO("parts of the CPU");
  check_lives(std::max<std::int64_t>(6, case_count(800) / 40), kRanges, over_parts(cpu));
}

TEST_CASE("no glider leaves where it is none") {
  // With Life's births and survivals, but states or letters that tell otherwise.
  for (const char* rule : {"23/3/3", "B3-j/S23", "B3/S23H", "B3/S23V"}) {
    for (const char* glider : {kThings[0], kThings[1], kThings[2], kThings[3]}) {
      UniversePair pair(in_tiles({parse_rule(rule), Topology::infinite, 0, 0}), "gates");
      pair.place(glider, {700, -300});
      pair.place("3o!", {0, 0});
      pair.step(60);
      pair.step(7);
      INFO(rule);
      CHECK(pair.difference() == "");
    }
  }
}

TEST_CASE("several states are seen by their numbers, and counted") {
  const RuleSpec spec{parse_rule("345/2/4"), Topology::infinite, 0, 0};
  for_all_with_tiles([&](const BackendFactory& factory, bool) {
    Universe tiles(spec, factory, 0, SpaceChoice::tiles);
    Universe grid(spec, make_factory("cpu", "reference", {}), 0, SpaceChoice::grid);
    for (Universe* each : {&tiles, &grid}) {
      Random same(7);
      each->edit({-30, 11}, some_cells(same, spec.rule));
      each->step(23);
    }
    CHECK(std::string(tiles.space()) == "tiles");
    CHECK(tiles.census() == grid.census());
    for (const std::int64_t scale : {1, 3, 40}) {
      CHECK(states_differ(tiles, grid, {-60, -20, 150, 140}, scale).empty());
    }
    CHECK(tiles.pattern().planes == grid.pattern().planes);
  });
  CHECK(in_tiles(spec).info().kernel == "gates");
}

TEST_CASE("cells of several states far apart take no memory between them") {
  const RuleSpec spec{parse_rule("/2/3"), Topology::infinite, 0, 0};
  for_all_with_tiles([&](const BackendFactory& factory, bool) {
    Universe tiles(spec, factory, 0, SpaceChoice::tiles);
    Pattern pattern;
    constexpr std::int64_t kFar = std::int64_t{1} << 45;
    for (const std::int64_t y : {std::int64_t{0}, kFar}) {
      for (const std::int64_t x : {std::int64_t{0}, kFar}) {
        append_run(pattern, {x, y, 2, 1});
        append_run(pattern, {x + 2, y, 1, 2});
      }
    }
    pattern.position = Cell{0, 0};
    tiles.place(pattern);
    CHECK(tiles.survey().population == 12);
    CHECK(tiles.window({kFar, kFar, 4, 1}).state(2, 0) == 2);
    tiles.step(100);
    const CellGrid near = tiles.window({-120, -120, 240, 240});
    CHECK(near.population() > 0);
    CHECK(tiles.window({kFar - 120, kFar - 120, 240, 240}) == near);
    CHECK(tiles.survey().population == 4 * near.population());
  });
}

TEST_CASE("states that a rule has not are refused, and nothing changes") {
  const RuleSpec spec{parse_rule("/2/3"), Topology::infinite, 0, 0};
  Universe tiles = in_tiles(spec);
  CellGrid cells(3, 1, 2);
  cells.set_state(1, 0, 3);
  const auto refused = [](const auto& act) {
    return message_of<InputError>(act).find("a cell of state 3; the rule /2/3 has states 0 to 2") !=
           std::string::npos;
  };
  CHECK(refused([&] { tiles.edit({0, 0}, cells); }));
  Pattern pattern = pattern_of(cells);
  pattern.position = Cell{0, 0};
  CHECK(refused([&] { tiles.place(pattern); }));
  CHECK(tiles.survey().population == 0);
  Universe torus = in_tiles({spec.rule, Topology::torus, 90, 70});
  CHECK_THROWS_AS(torus.fill(Soup{1, 32768, 4}), InputError);
}

TEST_CASE("a shorter program in the middle of a run changes no bit") {
  const Rule rule = parse_rule("12/347/7");
  BackendSpec spec = backend_spec({rule, Topology::infinite, 0, 0}, 64, 64, std::int64_t{1} << 30);
  TilePlane impatient(rule, std::make_unique<ProgramTilePool>(spec, 1, 1'000'000));
  TilePlane patient(rule, std::make_unique<ProgramTilePool>(spec, 1, std::int64_t{1} << 60));
  for (TilePlane* plane : {&impatient, &patient}) {
    plane->edit({3, 4}, make_soup_cells(Soup{3, 20000, 7}, 150, 100, rule.planes()));
    plane->step(40);
  }
  const Rect all{-60, -60, 300, 250};
  CHECK(impatient.read_states(all) == patient.read_states(all));
  CHECK(impatient.survey(kWholeSurvey) == patient.survey(kWholeSurvey));
}

TEST_CASE("a rule of several states moves between tiles and a grid by itself") {
  // What explodes becomes a grid, and its remains become tiles again.
  const RuleSpec spec{parse_rule("/2/3"), Topology::torus, 700, 600};
  Universe both = in_tiles(spec, SpaceChoice::automatic);
  Universe grid(spec, make_factory("cpu", "gates", {}), 0, SpaceChoice::grid);
  for (Universe* each : {&both, &grid}) each->edit({0, 0}, CellGrid(20, 20, 2));
  CellGrid two(2, 1, 2);
  two.set_state(0, 0, 1);
  two.set_state(1, 0, 1);
  for (Universe* each : {&both, &grid}) each->edit({100, 90}, two);
  both.step(2000);
  grid.step(2000);
  CHECK(std::string(both.space()) == "grid");
  CHECK(both.survey() == grid.survey());
}
