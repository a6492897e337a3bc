#include "core/cells/cell_runs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include "cell_model.h"
#include "core/base/error.h"
#include "core/cells/rasterize.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kFar = kMaxCoordinate;

// Runs of many sizes and distances, some of them touching, in reading order.
std::vector<CellRun> random_runs(std::mt19937_64& random, int count) {
  const auto upto = [&](int bits) {
    return static_cast<std::int64_t>(random() >> (64 - 1 - static_cast<int>(random() % bits)));
  };
  std::vector<CellRun> runs;
  std::int64_t x = upto(20) - upto(20), y = upto(20) - upto(20);
  for (int i = 0; i < count; i++) {
    const std::int64_t length = upto(i % 7 == 0 ? 20 : 5) + 1;
    runs.push_back({x, y, length});
    x += length + upto(i % 5 == 0 ? 20 : 4);
    if (random() % 4 == 0) {
      y += 1 + upto(i % 3 == 0 ? 20 : 1);
      x = upto(20) - upto(20);
    }
  }
  return runs;
}

// Their union.
CellRuns collect(CellCollector& collector, const std::vector<CellRun>& list) {
  for (const CellRun& run : list) collector.add(run.x, run.y, run.length);
  return collector.take();
}

}  // namespace

TEST_CASE("runs come back as they were appended, touching ones merged") {
  CellRuns runs;
  CHECK(runs.empty());
  CHECK_FALSE(runs.bounds());
  CHECK(list_of(runs).empty());
  runs.append(-5, -2, 3);
  runs.append(-2, -2, 1);
  runs.append(0, -2, 1);
  runs.append(-100, 7, 1000);
  CHECK(list_of(runs) == std::vector<CellRun>{{-5, -2, 4}, {0, -2, 1}, {-100, 7, 1000}});
  CHECK(runs.population() == 1005);
  CHECK(*runs.bounds() == Bounds{-100, -2, 899, 7});
}

TEST_CASE("any runs survive packing") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; i++) {
    const std::vector<CellRun> list = random_runs(random, 1 + i);
    CellRuns runs;
    std::vector<CellRun> merged;
    std::int64_t population = 0;
    for (const CellRun& run : list) {
      runs.append(run.x, run.y, run.length);
      population += run.length;
      if (!merged.empty() && merged.back().y == run.y &&
          merged.back().x + merged.back().length == run.x) {
        merged.back().length += run.length;
      } else {
        merged.push_back(run);
      }
    }
    CHECK(list_of(runs) == merged);
    CHECK(runs.population() == population);
    Bounds box{kFar, merged.front().y, -kFar, merged.back().y};
    for (const CellRun& run : merged) {
      box.xmin = std::min(box.xmin, run.x);
      box.xmax = std::max(box.xmax, run.x + run.length - 1);
    }
    CHECK(*runs.bounds() == box);
    CHECK(list_of(runs.moved(3, -4)).front() ==
          CellRun{merged[0].x + 3, merged[0].y - 4, merged[0].length});
    CHECK(runs.moved(3, -4).moved(-3, 4) == runs);
  }
}

TEST_CASE("runs reach 2^62 cells from the origin and no further") {
  CellRuns runs;
  runs.append(-kFar, -kFar, 1);
  runs.append(kFar, -kFar, 1);
  runs.append(-kFar, kFar, kFar);
  runs.append(kFar - 1, kFar, 2);
  CHECK(list_of(runs) ==
        std::vector<CellRun>{
            {-kFar, -kFar, 1}, {kFar, -kFar, 1}, {-kFar, kFar, kFar}, {kFar - 1, kFar, 2}});
  CellRuns other;
  CHECK_THROWS_AS(other.append(-kFar - 1, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(other.append(0, -kFar - 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(other.append(kFar, 0, 2), std::invalid_argument);
  CHECK_THROWS_AS(other.append(0, kFar + 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(other.append(1, 0, INT64_MAX), std::invalid_argument);
  CHECK_THROWS_AS(other.append(0, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(other.append(0, 0, -1), std::invalid_argument);
  CHECK(other.empty());
  CHECK_THROWS_AS(runs.moved(1, 0), std::invalid_argument);
}

TEST_CASE("runs out of order are refused and leave what was there") {
  CellRuns runs;
  runs.append(5, 5, 2);
  CHECK_THROWS_AS(runs.append(6, 5, 1), std::invalid_argument);
  CHECK_THROWS_AS(runs.append(0, 5, 1), std::invalid_argument);
  CHECK_THROWS_AS(runs.append(100, 4, 1), std::invalid_argument);
  CHECK(list_of(runs) == std::vector<CellRun>{{5, 5, 2}});
}

TEST_CASE("more live cells than 63 bits count are refused") {
  CellRuns runs;
  runs.append(0, 0, kFar);
  CHECK_THROWS_AS(runs.append(0, 1, kFar), InputError);
  runs.append(0, 1, kFar - 1);
  CHECK(runs.population() == INT64_MAX);
  CHECK_THROWS_AS(runs.append(0, 2, 1), InputError);
}

TEST_CASE("runs in any order unite") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; i++) {
    std::vector<CellRun> list;
    CellSet model;
    for (int k = 0; k < i; k++) {
      const auto x = static_cast<std::int64_t>(random() % 40) - 20;
      const auto y = static_cast<std::int64_t>(random() % 8) - 4;
      const auto length = static_cast<std::int64_t>(random() % 9) + 1;
      list.push_back({x, y, length});
      for (std::int64_t j = 0; j < length; j++) model.emplace(y, x + j);
    }
    CellCollector collector;
    const CellRuns runs = collect(collector, list);
    CHECK(cells_of(runs) == model);
    CHECK(collector.take().empty());
    const auto half = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    const CellRuns a = collect(collector, {list.begin(), half});
    const CellRuns b = collect(collector, {half, list.end()});
    CHECK(unite(a, b) == runs);
    CHECK(unite(b, a) == runs);
  }
}

TEST_CASE("many runs are sorted, however far apart they lie") {
  std::mt19937_64 random(4);
  for (const auto& [x_bits, y_bits] : std::vector<std::pair<int, int>>{{1, 1},
                                                                       {1, 20},
                                                                       {20, 1},
                                                                       {5, 7},
                                                                       {11, 11},
                                                                       {31, 33},
                                                                       {33, 32},
                                                                       {63, 1},
                                                                       {1, 63},
                                                                       {63, 63}}) {
    const auto coordinate = [&random](int bits) {
      const auto most = std::int64_t{1} << (bits - 1);
      return static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(most))) - most;
    };
    std::vector<CellRun> list;
    CellSet model;
    for (int k = 0; k < 5000; k++) {
      list.push_back({coordinate(x_bits), coordinate(y_bits), 1});
      model.emplace(list.back().y, list.back().x);
    }
    CellCollector collector;
    CHECK(cells_of(collect(collector, list)) == model);
  }
}

TEST_CASE("a collector unites more runs than it keeps loose") {
  // A permutation of a checkerboard's 3 * 2^20 cells, each added twice.
  constexpr std::int64_t kWidth = 1536, kHeight = 4096, kCells = kWidth / 2 * kHeight;
  CellCollector collector;
  for (std::int64_t i = 0; i < 2 * kCells; i++) {
    const std::int64_t k = i * 7919 % kCells;
    const std::int64_t y = k / (kWidth / 2);
    collector.add(k % (kWidth / 2) * 2 + y % 2, y, 1);
  }
  const CellRuns runs = collector.take();
  CHECK(runs.population() == kCells);
  CellRuns::Reader reader = runs.reader();
  bool all = true;
  for (std::int64_t k = 0; k < kCells; k++) {
    const std::int64_t y = k / (kWidth / 2);
    all &= reader.next() == CellRun{k % (kWidth / 2) * 2 + y % 2, y, 1};
  }
  CHECK(all);
  CHECK_FALSE(reader.next());
}

TEST_CASE("a grid drawn from runs has their cells, and gives the runs back") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; i++) {
    const auto width = static_cast<std::int64_t>(random() % 300) + 1;
    const auto height = static_cast<std::int64_t>(random() % 6) + 1;
    const Cell origin{static_cast<std::int64_t>(random() % 1000) - 500,
                      static_cast<std::int64_t>(random() % 1000) - 500};
    BitGrid grid(width, height);
    for (std::int64_t y = 0; y < height; y++) {
      bool alive = false;
      for (std::int64_t x = 0; x < width; x++) {
        if (random() % (i % 2 == 0 ? 2 : 90) == 0) alive = !alive;
        grid.set(x, y, alive);
      }
    }
    const CellRuns runs = runs_of(grid, origin);
    CellSet model;
    for (std::int64_t y = 0; y < height; y++) {
      for (std::int64_t x = 0; x < width; x++) {
        if (grid.get(x, y)) model.emplace(y + origin.y, x + origin.x);
      }
    }
    CHECK(cells_of(runs) == model);
    const std::vector<CellRun> list = list_of(runs);
    for (std::size_t k = 1; k < list.size(); k++) {
      CHECK((list[k].y > list[k - 1].y || list[k].x > list[k - 1].x + list[k - 1].length));
    }
    BitGrid copy(width, height);
    draw_runs(runs.moved(-7, 9), {7, -9}, copy, origin);
    CHECK(copy == grid);
  }
}

TEST_CASE("runs outside the grid are refused before anything is drawn") {
  BitGrid grid(10, 4);
  const CellRuns runs = runs_of_list({{0, 0, 1}, {2, 3, 5}});
  const BitGrid empty(10, 4);
  for (const Cell at :
       {Cell{-1, 0}, Cell{0, -1}, Cell{4, 0}, Cell{0, 1}, Cell{kFar, kFar}, Cell{INT64_MIN, 0}}) {
    CHECK_THROWS_AS(draw_runs(runs, at, grid, {0, 0}), std::invalid_argument);
    CHECK(grid == empty);
  }
  draw_runs(runs, {kFar + 3, -kFar}, grid, {kFar, -kFar});
  CHECK(runs_of(grid, {-3, 0}) == runs);
}
