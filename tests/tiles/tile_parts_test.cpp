#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/tiles/departures.h"
#include "core/tiles/glider.h"
#include "core/tiles/schedule.h"
#include "core/tiles/tile_layout.h"
#include "core/tiles/tile_table.h"

using namespace tessera;

TEST_CASE("a schedule's steps add up to its period and fit the margin") {
  for (std::int64_t period = 3; period <= 480; period++) {
    const Schedule schedule = Schedule::of_period(period);
    CHECK(schedule.period() == period);
    CHECK(schedule.slots() >= 3);
    std::int64_t sum = 0;
    for (int k = 0; k < schedule.slots(); k++) {
      CHECK(schedule.length(k) >= 1);
      CHECK(schedule.length(k) <= kTileMargin);
      sum += schedule.length(k);
    }
    CHECK(sum == period);
  }
  for (std::int64_t stride = 1; stride <= Schedule::kMostStride; stride++) {
    const Schedule schedule = Schedule::of_stride(stride);
    CHECK(schedule.serves(stride));
    CHECK(schedule.period() % stride == 0);
    CHECK(schedule.period() >= 24);
  }
  for (int slots = 2; slots < 30; slots++) {
    CHECK(Schedule::of_slots(slots).slots() == slots);
    CHECK(Schedule::of_slots(slots).period() == slots * kTileMargin);
    for (std::int64_t stride = 1; stride <= Schedule::kMostStride; stride++) {
      const Schedule schedule = Schedule::of_stride(stride, slots);
      CHECK(schedule.serves(stride));
      CHECK(schedule.slots() >= 2);
      const std::int64_t needed = (stride + kTileMargin - 1) / kTileMargin;
      CHECK(schedule.slots() <= std::max<std::int64_t>(slots, needed + 2));
    }
  }
  CHECK(Schedule::of_period(24).serves(8));
  CHECK(Schedule::of_period(24).serves(48));
  CHECK_FALSE(Schedule::of_period(24).serves(6));
  CHECK_FALSE(Schedule::of_period(24).serves(10));
}

TEST_CASE("tiles are found where they were made, whatever was dropped in between") {
  std::mt19937_64 random(7);
  TileTable table(3);
  std::map<std::pair<std::int64_t, std::int64_t>, TileId> model;
  const auto coordinate = [&] {
    const std::int64_t near = static_cast<std::int64_t>(random() % 41) - 20;
    return random() % 8 == 0 ? near + (std::int64_t{1} << 56) : near;
  };
  for (int n = 0; n < 40000; n++) {
    const std::int64_t x = coordinate(), y = coordinate();
    const auto known = model.find({x, y});
    REQUIRE(table.find(x, y) == (known == model.end() ? 0 : known->second));
    if (random() % 3 == 0) {
      if (known == model.end()) continue;
      table.drop(known->second);
      model.erase(known);
    } else {
      model[{x, y}] = table.make(x, y);
    }
    REQUIRE(table.count() == static_cast<std::int64_t>(model.size()));
  }
  for (const auto& [place, tile] : model) {
    for (int d = 0; d < kTileWays; d++) {
      const auto other = model.find({place.first + kWayX[d], place.second + kWayY[d]});
      REQUIRE(table[tile].next[d] == (other == model.end() ? 0 : other->second));
    }
  }
}

TEST_CASE("all tiles of a universe at once are those that are made one by one") {
  for (const Topology topology : {Topology::torus, Topology::plane}) {
    for (const std::int64_t width : {1, 48, 50, 96, 100, 240, 500}) {
      for (const std::int64_t height : {1, 48, 97, 144, 300}) {
        const TileLayout layout(topology, width, height);
        TileTable at_once(3, layout), one_by_one(3, layout);
        std::vector<TileId> relinked;
        for (TileTable* table : {&at_once, &one_by_one}) {
          table->make(0, 0);
          for (const Cell& copy : layout.all_copies()) table->make(copy.x, copy.y);
        }
        at_once.record_links(&relinked);
        const Rect all = layout.tiles();
        const std::vector<TileId> tiles = at_once.make_all();
        REQUIRE(tiles.size() == static_cast<std::size_t>(all.width * all.height));
        for (std::int64_t y = all.height - 1; y >= 0; y--) {
          for (std::int64_t x = 0; x < all.width; x++) one_by_one.make(x, y);
        }
        REQUIRE(at_once.count() == one_by_one.count());
        REQUIRE(at_once.end() == one_by_one.end());
        for (std::int64_t i = 0; i < all.width * all.height; i++) {
          const Cell at{i % all.width, i / all.width};
          const TileId tile = tiles[static_cast<std::size_t>(i)];
          REQUIRE(at_once.find(at.x, at.y) == tile);
          REQUIRE(std::ranges::count(relinked, tile) > 0);
        }
        for (TileId tile = 1; tile < at_once.end(); tile++) {
          const Tile& one = at_once[tile];
          const Tile& other = one_by_one[one_by_one.find(one.x, one.y)];
          REQUIRE(one.used);
          REQUIRE(std::pair(one.x, one.y) == std::pair(other.x, other.y));
          REQUIRE(one.copy == other.copy);
          REQUIRE(one.copied == other.copied);
          REQUIRE(one.frame == other.frame);
          for (int d = 0; d < kTileWays; d++) {
            REQUIRE((one.next[d] == 0) == (other.next[d] == 0));
            const Tile& a = at_once[one.next[d]];
            const Tile& b = one_by_one[other.next[d]];
            REQUIRE(std::pair(a.x, a.y) == std::pair(b.x, b.y));
          }
        }
      }
    }
  }
}

TEST_CASE("gliders of the rules that have them go where gliders go") {
  CHECK(GliderKind(kLife).exists());
  CHECK(GliderKind(parse_rule("B36/S23")).exists());
  CHECK_FALSE(GliderKind(parse_rule("B2/S")).exists());
  CHECK_FALSE(GliderKind(parse_rule("B3/S012345678")).exists());
  const GliderKind kind(kLife);
  const int south_east = 1 << 1 | 1 << 5 | 7 << 6;
  std::optional<Glider> glider = kind.of(south_east);
  REQUIRE(glider);
  CHECK(glider->dx == 1);
  CHECK(glider->dy == 1);
  glider->at = {10, -5};
  glider->generation = 100;
  const Glider later = kind.later(*glider, 100 + 4000);
  CHECK(later.at == Cell{1010, 995});
  CHECK(later.shape == south_east);
  Glider by_steps = *glider;
  for (int g = 101; g <= 107; g++) by_steps = kind.later(by_steps, g);
  const Glider at_once = kind.later(*glider, 107);
  CHECK(by_steps.at == at_once.at);
  CHECK(by_steps.shape == at_once.shape);
  CHECK_FALSE(kind.of(0b111).has_value());
}

TEST_CASE("a glider leaves what is behind it, stays where something is ahead, and comes back") {
  const GliderKind kind(kLife);
  const int south_east = 1 << 1 | 1 << 5 | 7 << 6;
  Glider glider = *kind.of(south_east);
  glider.at = {1000, 1000};
  Departures departures(kind);
  CHECK(departures.review(0, 32, {{{0, 0}, 48}, {{1048, 1000}, 48}}, {glider}).leaving.empty());
  CHECK(departures.away() == 0);
  const Departures::Verdict left = departures.review(0, 32, {{{0, 0}, 48}}, {glider});
  CHECK(left.leaving.size() == 1);
  CHECK(left.free);
  CHECK(departures.review(32, 32, {{{0, 0}, 48}}, {}).returning.empty());
  const Departures::Verdict back = departures.review(64, 32, {{{1060, 1010}, 48}}, {});
  REQUIRE(back.returning.size() == 1);
  CHECK(back.returning[0].at == Cell{1016, 1016});
  CHECK_FALSE(back.free);
  CHECK(departures.away() == 0);
}

TEST_CASE("looks at gliders that cannot leave become seldom, but not while others need them") {
  const GliderKind kind(kLife);
  Glider glider = *kind.of(1 << 1 | 1 << 5 | 7 << 6);  // south-east
  glider.at = {1000, 1000};
  Departures departures(kind);
  CHECK(departures.next_look(0, 32, 0, 0) == 64);
  CHECK(departures.next_look(64, 32, 1, 0) == 64 + 128);
  CHECK(departures.next_look(192, 32, 100, 12) == 192 + 256);
  // In a pause nothing leaves, and a look in between does not prolong it.
  CHECK(departures.review(300, 32, {{{0, 0}, 48}}, {glider}).leaving.empty());
  CHECK(departures.next_look(300, 32, 1, 0) == 192 + 256);
  CHECK(departures.next_look(448, 32, 100, 13) == 448 + 32);
  CHECK(departures.review(480, 32, {{{0, 0}, 48}}, {glider}).leaving.size() == 1);
  CHECK(departures.next_look(480, 32, 1, 1) == 480 + 32);
  // Ahead of one that is away there is something: it is looked at though nothing else is gained.
  REQUIRE(departures.review(512, 32, {{{2000, 2000}, 48}}, {}).returning.empty());
  CHECK(departures.next_look(512, 32, 50, 0) == 512 + 32);
  // What is behind it reaches it no earlier than that.
  REQUIRE(departures.review(544, 32, {{{0, 0}, 48}}, {}).returning.empty());
  CHECK(departures.safe_until() > 1000);
  CHECK(departures.next_look(576, 32, 50, 0) == 576 + 128);
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  CHECK(Departures(kind).next_look(kLast - 10, 32, 0, 0) == kLast);
}

TEST_CASE("two gliders on course for each other do not both leave") {
  const GliderKind kind(kLife);
  const int south_east = 1 << 1 | 1 << 5 | 7 << 6, north_west = 7 | 1 << 3 | 1 << 7;
  Glider a = *kind.of(south_east), b = *kind.of(north_west);
  b.at = {5000, 5003};
  Departures departures(kind);
  CHECK(departures.review(0, 32, {}, {a, b}).leaving.size() <= 1);
  Departures apart(kind);
  b.at = {5000, 5100};
  CHECK(apart.review(0, 32, {}, {a, b}).leaving.size() == 2);
}

TEST_CASE("a glider stays where what comes of two that meet may reach it") {
  const GliderKind kind(kLife);
  const int south_east = 1 << 1 | 1 << 5 | 7 << 6, north_west = 7 | 1 << 3 | 1 << 7;
  const int north_east = 7 | 1 << 5 | 1 << 7;
  Glider a = *kind.of(south_east), b = *kind.of(north_west), c = *kind.of(north_east);
  b.at = {24, 25};
  c.at = {40, -20};
  Departures departures(kind);
  CHECK(departures.review(0, 32, {}, {a, b, c}).leaving.empty());
  Departures alone(kind);
  CHECK(alone.review(0, 32, {}, {c}).leaving.size() == 1);
}
