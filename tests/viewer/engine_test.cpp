#include "apps/viewer/simulation/engine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

#include "apps/viewer/simulation/leaps.h"
#include "backends/drivers.h"
#include "core/base/error.h"

using namespace tessera;

namespace {

DeviceOptions device(const char* kernel) {
  DeviceOptions options;
  options.backend = "cpu";
  options.kernel = kernel;
  return options;
}

void finish(Engine& engine) {
  while (engine.running()) engine.advance();
}

}  // namespace

TEST_CASE("another kernel while it runs keeps the hash, and the end is the same") {
  Engine plain(device("word"));
  plain.start_soup(parse_rule_spec("B3/S23:T130,70"), {3, 30000});
  plain.step(50);
  finish(plain);
  Engine engine(device("word"));
  engine.start_soup(parse_rule_spec("B3/S23:T130,70"), {3, 30000});
  for (const char* kernel : {"simd", "double-word", "reference", "word", "simd"}) {
    engine.step(10);
    finish(engine);
    const std::uint64_t before = engine.universe().hash();
    engine.use_backend("cpu", kernel);
    CHECK(engine.universe().hash() == before);
    CHECK(engine.universe().info().kernel == kernel);
  }
  CHECK(engine.universe().generation() == 50);
  CHECK(engine.universe().hash() == plain.universe().hash());
  CHECK_THROWS_AS(engine.use_backend("cpu", "nonsense"), InputError);
  CHECK(engine.universe().hash() == plain.universe().hash());
}

TEST_CASE("going to a generation, forwards and back by way of the start") {
  Engine engine(device("word"));
  engine.start_soup(parse_rule_spec("B3/S23:T64,64"), {3, 30000});
  engine.go_to(30), finish(engine);
  const std::uint64_t at_30 = engine.universe().hash();
  engine.go_to(100), finish(engine);
  CHECK(engine.universe().generation() == 100);
  engine.go_to(30), finish(engine);
  CHECK(engine.universe().hash() == at_30);
  CHECK_THROWS_AS(engine.go_to(-1), InputError);
}

TEST_CASE("an empty plane runs to the last generation that is counted, and stays there") {
  constexpr std::int64_t kLast = std::int64_t{1} << 62;
  Engine engine(device("word"));
  engine.go_to(kLast - 5), finish(engine);
  CHECK(engine.universe().generation() == kLast - 5);
  CHECK(engine.take_messages().empty());
  for (int i = 0; i < 2; i++) {
    engine.run(true), finish(engine);
    CHECK(engine.universe().generation() == kLast);
    CHECK(engine.take_messages().size() == 1);
  }
  CHECK_THROWS_AS(engine.step(1), InputError);
}

TEST_CASE("what cannot be read leaves everything as it was") {
  Engine engine(device("word"));
  engine.start_soup(parse_rule_spec("B3/S23:T64,64"), {3, 30000});
  const std::uint64_t before = engine.universe().hash();
  CHECK_THROWS_AS(engine.open("/nowhere/there.rle"), InputError);
  CHECK_THROWS_AS(engine.set_rule("B9/S23"), ParseError);
  CHECK_THROWS_AS(engine.save("/nowhere/there.rle"), InputError);
  CHECK(engine.universe().hash() == before);
}

TEST_CASE("saved and opened again: the same cells, rule and generation") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "tessera-engine-test";
  std::filesystem::create_directories(folder);
  for (const char* name : {"soup.rle", "soup.tsr"}) {
    INFO(name);
    Engine engine(device("word"));
    engine.start_soup(parse_rule_spec("B36/S23:T80,60"), {3, 30000});
    engine.step(12), finish(engine);
    const std::string path = (folder / name).string();
    engine.save(path);
    Engine other(device("simd"));
    other.open(path);
    CHECK(other.universe().hash() == engine.universe().hash());
    CHECK(other.universe().generation() == 12);
    CHECK(other.universe().spec() == engine.universe().spec());
    CHECK(other.status().path == path);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("looking with history sees every generation") {
  Engine engine(device("word"));
  engine.start_empty(parse_rule_spec("B3/S23:T16,16"));
  BitGrid blinker(3, 1);
  blinker.fill_run(0, 0, 3);
  engine.document().paste({0, 0}, blinker, PasteMode::or_);
  engine.set_view({{-8, -8, 16, 16}, 1, true});
  Picture picture;
  engine.look(picture);
  engine.step(9), finish(engine);
  engine.look(picture);
  const auto at = [&](std::int64_t x, std::int64_t y) {
    return picture.image.pixels[static_cast<std::size_t>((y + 8) * 16 + x + 8)];
  };
  CHECK(at(1, 0) == AgeMap::colour_of(10));  // the middle lives on
  CHECK(at(1, 1) == AgeMap::colour_of(1));   // the arms come and go
  CHECK(at(0, 0) == AgeMap::colour_of(-1));
  CHECK(at(5, 5) == 0);
}

TEST_CASE("at full speed what lives on is told from what comes and goes") {
  for (const char* rule : {"B3/S23", "B3/S23:T600,500"}) {
    Engine engine(device("simd"));
    engine.start_soup(parse_rule_spec("B3/S23:T600,500"), {3, 1});
    engine.start_empty(parse_rule_spec(rule));
    BitGrid blinker(3, 1), block(2, 2);
    blinker.fill_run(0, 0, 3);
    for (const int row : {0, 1}) block.fill_run(0, row, 2);
    engine.document().paste({0, 0}, blinker, PasteMode::or_);
    engine.document().paste({20, 20}, block, PasteMode::or_);
    engine.set_view({{-300, -250, 600, 500}, 1, true});
    Picture picture;
    engine.look(picture);
    engine.run(true);
    for (int n = 0; n < 40; n++) {
      engine.advance();
      const std::int64_t unseen = engine.universe().generation();
      // The last one is stopped at.
      if (n == 39) engine.run(false);
      engine.look(picture);
      // The first block leaves all out, to know what that takes. Where the machine is slow the last
      // one may have left out none.
      const bool seen = picture.generation == unseen;
      if (n == 0 || (n == 39 && !seen)) CHECK(picture.generation == unseen + Leaps::kLeast);
      const auto at = [&](std::int64_t x, std::int64_t y) {
        return picture.image.pixels[static_cast<std::size_t>((y + 250) * 600 + x + 300)];
      };
      const bool even = picture.generation % 2 == 0;
      const auto age = std::min<std::int64_t>(picture.generation + 1, AgeMap::kMost);
      REQUIRE(at(20, 20) == AgeMap::colour_of(static_cast<int>(age)));
      REQUIRE(at(1, 0) == at(20, 20));
      REQUIRE(at(0, 0) == AgeMap::colour_of(even ? 1 : -1));
      REQUIRE(at(1, 1) == AgeMap::colour_of(even ? -1 : 1));
    }
  }
}

TEST_CASE("the ages at a far goal are those of who saw all generations that tell") {
  constexpr std::int64_t kFar = 1'000'000'007, kSeen = AgeMap::kMost + 100;
  Picture pictures[2];
  for (const bool at_once : {true, false}) {
    Engine engine(device("auto"));
    engine.start_empty(parse_rule_spec("B3/S23"));
    BitGrid pentadecathlon(10, 1), block(2, 2);
    pentadecathlon.fill_run(0, 0, 10);
    for (const int row : {0, 1}) block.fill_run(0, row, 2);
    engine.document().paste({0, 0}, pentadecathlon, PasteMode::or_);
    engine.document().paste({20, 20}, block, PasteMode::or_);
    engine.step(60), finish(engine);
    const ViewRequest view{{-30, -30, 80, 80}, 1, true};
    if (!at_once) engine.go_to(kFar - kSeen), finish(engine);
    engine.set_view(view);
    engine.look(pictures[at_once]);
    engine.go_to(kFar), finish(engine);
    engine.look(pictures[at_once]);
    CHECK(pictures[at_once].generation == kFar);
  }
  CHECK(pictures[true].image == pictures[false].image);
  CHECK(std::ranges::count(pictures[true].image.pixels, AgeMap::colour_of(AgeMap::kMost)) >= 4);
}

TEST_CASE("ages are the same wherever they are kept, in every view, and move to another device") {
  const auto pictures = [](const std::string& backend, const std::string& other) {
    DeviceOptions options;
    options.backend = backend;
    Engine engine(options);
    engine.start_soup(parse_rule_spec("B3/S23:T200,130"), {3, 20000});
    std::vector<DensityImage> seen;
    Picture picture;
    const auto go = [&](const ViewRequest& view, std::int64_t generations) {
      engine.set_view(view);
      engine.look(picture);
      engine.step(generations), finish(engine);
      engine.look(picture);
      seen.push_back(picture.image);
    };
    go({{-100, -65, 200, 130}, 1, true}, 30);
    go({{-180, -90, 333, 222}, 1, true}, 17);  // round the torus
    go({{-180, -90, 640, 480}, 4, true}, 9);
    engine.document().select(Rect{0, 0, 20, 20});
    engine.document().clear_selected();
    go({{-180, -90, 640, 480}, 4, true}, 0);
    engine.use_backend(other, "auto");
    go({{-50, -50, 70, 60}, 1, true}, 25);
    engine.use_backend(backend, "auto");
    go({{-50, -50, 70, 60}, 1, true}, 25);
    go({{-50, -50, 70, 60}, 1, true}, AgeMap::kMost + 900);
    return seen;
  };
  const std::vector<DensityImage> expected = pictures("cpu", "cpu");
  for (const Driver* driver : drivers()) {
    if (driver->devices().devices.empty()) {
      MESSAGE("skipped: no device of ", std::string(driver->name()));
      continue;
    }
    INFO(driver->name());
    CHECK(pictures(driver->name(), "cpu") == expected);
  }
}

TEST_CASE("a throttle is kept to at any speed that can be held") {
  const Throttle::Clock::time_point start{};
  for (const int level : {0, 3, 6}) {
    Throttle throttle;
    throttle.start(Speed(level), 1, start, 100);
    std::int64_t generation = 100;
    for (int ms = 0; ms <= 3000; ms++) {
      generation += throttle.due(start + std::chrono::milliseconds(ms), generation);
    }
    CHECK(generation == 100 + static_cast<std::int64_t>(3 * Speed(level).per_second()) + 1);
  }
}

TEST_CASE("the population follows every edit at once") {
  Engine engine(device("word"));
  engine.start_empty(parse_rule_spec("B3/S23:T16,16"));
  CHECK(engine.status().population == 0);
  Document& document = engine.document();
  document.begin_stroke(true);
  document.stroke({0, 0}, {4, 0});
  CHECK(engine.status().population == 5);
  document.end_stroke();
  document.select(Rect{0, 0, 2, 1});
  document.clear_selected();
  CHECK(engine.status().population == 3);
  document.clear_outside();
  CHECK(engine.status().population == 0);
  engine.undo();
  CHECK(engine.status().population == 3);
  engine.redo();
  CHECK(engine.status().population == 0);
}

TEST_CASE("blocks begin anew after an edit, however long they were before") {
  // Generations of what is empty take no time, so that a block of them would last for minutes.
  for (const char* kernel : {"gates", "simd"}) {
    Engine engine(device(kernel));
    engine.start_empty(parse_rule_spec("B36/S125"));
    engine.set_speed(Speed(), 1);
    engine.run(true);
    while (engine.universe().generation() < 1'000'000) engine.advance();
    const std::int64_t before = engine.universe().generation();
    engine.document().select(Rect{0, 0, 64, 64});
    engine.document().fill({1, 30000});
    engine.advance();
    CHECK(engine.universe().generation() - before < 100'000);
  }
}

TEST_CASE("whole steps are due, as many per second as the speed says") {
  const Throttle::Clock::time_point start{};
  Throttle throttle;
  throttle.start(Speed(3), 64, start, 5);  // 10 steps per second
  std::int64_t generation = 5;
  for (int ms = 0; ms <= 3050; ms++) {
    // Blocks may be shorter than steps.
    generation +=
        std::min<std::int64_t>(7, throttle.due(start + std::chrono::milliseconds(ms), generation));
  }
  CHECK(generation == 5 + 31 * 64);
}

TEST_CASE("the graph has every generation's population, at full speed and after edits") {
  const auto begin = [](Engine& at) {
    BitGrid r_pentomino(3, 3);
    for (const auto& [x, y] : {std::pair{1, 0}, {2, 0}, {0, 1}, {1, 1}, {1, 2}})
      r_pentomino.set(x, y, true);
    at.document().paste({0, 0}, r_pentomino, PasteMode::or_);
  };
  Engine engine(device("simd"));
  begin(engine);
  engine.go_to(1200), finish(engine);
  const std::vector<PopulationSample> all = engine.status().populations;
  CHECK(all.size() <= PopulationLog::kMost);
  const auto peak = std::ranges::max_element(all, {}, &PopulationSample::high);
  CHECK(peak->high == 319);  // at generation 821, the known one of the first 1,103
  CHECK(peak->first <= 821);
  CHECK(peak->last >= 821);
  Engine slow(device("word"));
  begin(slow);
  std::vector<std::int64_t> populations{slow.universe().population()};
  for (int i = 0; i < 1200; i++) {
    slow.universe().step(1);
    populations.push_back(slow.universe().population());
  }
  std::int64_t next = 0;
  for (const PopulationSample& each : all) {
    CHECK(each.first == next);
    const auto [low, high] =
        std::ranges::minmax(std::span(populations)
                                .subspan(static_cast<std::size_t>(each.first),
                                         static_cast<std::size_t>(each.last - each.first + 1)));
    CHECK(each.low == low);
    CHECK(each.high == high);
    next = each.last + 1;
  }
  CHECK(next == 1201);
  engine.document().select(Rect{0, 0, 5, 5});
  engine.document().clear_all();
  CHECK(engine.status().populations.back() == PopulationSample{1200, 1200, 0, 0});
}

TEST_CASE("a universe that takes long to count is stepped in whole blocks") {
  Engine engine(device("simd"));
  engine.start_soup(parse_rule_spec("B3/S23:T2100,2100"), {1, 32768});
  engine.status();
  engine.step(64), finish(engine);
  CHECK(engine.universe().generation() == 64);
  const std::vector<PopulationSample> samples = engine.status().populations;
  REQUIRE(samples.size() == 2);
  CHECK(samples.back().first == 64);
  CHECK(samples.back().low == engine.universe().population());
}

TEST_CASE("the graph's memory is bounded however far a run goes, and no peak is lost") {
  PopulationLog log;
  log.clear(7);
  std::int64_t most = 0;
  for (std::int64_t at = 7, i = 0; at < std::int64_t{1} << 60; at = log.next(at), i++) {
    log.add(at, i == 5000 ? 9999 : i % 100);
    most = std::max<std::int64_t>(most, std::ssize(log.samples()));
  }
  CHECK(most == PopulationLog::kMost);
  CHECK(log.samples().front().first == 7);
  CHECK(std::ranges::count(log.samples(), 9999, &PopulationSample::high) == 1);
  CHECK(std::ranges::is_sorted(log.samples(), {}, &PopulationSample::first));
}

TEST_CASE("a rule of several states is stepped, seen, drawn and left for one of two") {
  Engine engine(device("auto"));
  Soup soup{3, 30000, 4};
  engine.start_soup(parse_rule_spec("345/2/4:T90,50"), soup);
  engine.step(7);
  finish(engine);
  CHECK(engine.universe().generation() == 7);
  const auto seen = [&] {
    engine.set_view({engine.universe().extent(), 1, false});
    Picture picture;
    engine.look(picture);
    CHECK(picture.rule == engine.universe().spec().rule);
    return picture.image;
  };
  const CellGrid cells = engine.universe().window(engine.universe().extent());
  CHECK(cells.census()[3] > 0);
  const DensityImage image = seen();
  for (std::int64_t y = 0; y < 50; y++) {
    for (std::int64_t x = 0; x < 90; x++) REQUIRE(image.row(y)[x] == cells.state(x, y));
  }
  // A torus goes on beyond its edges.
  engine.set_view({{-50, -30, 200, 100}, 1, false});
  Picture wide;
  engine.look(wide);
  CHECK(wide.image.row(5)[5] == wide.image.row(55)[95]);

  Document& document = engine.document();
  document.begin_stroke(3);
  document.stroke({0, 0}, {9, 0});
  document.end_stroke();
  CHECK(engine.universe().window({0, 0, 10, 1}).census()[3] == 10);
  CellGrid life(3, 1);
  life.plane(0).set(1, 0, true);
  document.paste({0, 0}, life, PasteMode::replace);
  CHECK(engine.universe().window({0, 0, 3, 1}).state(1, 0) == 1);
  CHECK(engine.universe().window({0, 0, 3, 1}).state(0, 0) == 0);
  document.paste({2, 0}, life, PasteMode::xor_);
  CHECK(engine.universe().window({3, 0, 1, 1}).state(0, 0) == 0);

  // What lives stays alive under Life, and undoing brings the states back.
  const std::uint64_t before = engine.universe().hash();
  const std::int64_t population = engine.universe().population();
  engine.set_rule("B3/S23:T90,50");
  CHECK(engine.universe().population() == population);
  CHECK(seen().row(0)[0] <= 255);
  engine.undo();
  CHECK(engine.universe().hash() == before);
  CHECK_THROWS_AS(engine.use_backend("cpu", "simd"), Error);
  CHECK(engine.universe().hash() == before);
}
