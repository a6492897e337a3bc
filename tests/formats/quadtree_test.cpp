#include "core/patterns/quadtree.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "cell_model.h"
#include "core/patterns/quadtree_rows.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Runs at places that fall together often, all within 2^level of (0, 0).
class RandomRuns {
 public:
  CellRuns take(int level) {
    CellCollector runs;
    for (std::int64_t i = below(30); i >= 0; i--) {
      const std::int64_t x = place(level), y = place(level);
      const std::int64_t most = (std::int64_t{1} << level) - x;
      const std::int64_t length =
          1 + below(std::min(most, std::int64_t{1} << below(std::min(level, 52) + 1)));
      const std::int64_t rows = std::min((std::int64_t{1} << level) - y, 1 + below(20));
      for (std::int64_t row = 0; row < rows; row++) runs.add(x, y + row, length);
    }
    return runs.take();
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

 private:
  std::int64_t place(int level) {
    const int kept = static_cast<int>(below(level + 1));
    return below(std::int64_t{1} << level) >> kept << kept;
  }
  std::mt19937_64 random_{5};
};

}  // namespace

TEST_CASE("what is built of runs of cells has these runs") {
  RandomRuns random;
  for (int i = 0; i < 600; i++) {
    const int level = 3 + static_cast<int>(random.below(59));
    CAPTURE(i);
    CAPTURE(level);
    const CellRuns cells = random.take(level);
    const Bounds box = *cells.bounds();
    Quadtree tree;
    const Quadtree::Node root = square_of(tree, cells, 0, 0, level);
    REQUIRE(tree.size() == root);
    CHECK(tree.level(root) == level);
    CHECK(tree.population(root) == static_cast<std::uint64_t>(cells.population()));
    CHECK(tree.box(root) == Quadtree::Box{static_cast<std::uint64_t>(box.xmin),
                                          static_cast<std::uint64_t>(box.ymin),
                                          static_cast<std::uint64_t>(box.xmax),
                                          static_cast<std::uint64_t>(box.ymax)});
    CHECK(runs_of(tree, root, 0, 0) == cells);
    CHECK(runs_of(tree, root, static_cast<std::uint64_t>(box.xmin),
                  static_cast<std::uint64_t>(box.ymin)) == cells.moved(-box.xmin, -box.ymin));
    CHECK(tree.runs(root) >= list_of(cells).size());
    // Each end of a run cuts the others, and that in few squares per level.
    CHECK(tree.runs(root) <= 60 * 2 * 64 * list_of(cells).size());
    // Equal squares are one node, and parts come first.
    for (Quadtree::Node node = 1; node <= root; node++) {
      if (tree.level(node) == Quadtree::kLeafLevel) {
        REQUIRE(tree.leaf(tree.cells(node)) == node);
      } else {
        for (const Quadtree::Node part : tree.parts(node)) REQUIRE(part < node);
        REQUIRE(tree.join(tree.parts(node)) == node);
      }
    }
    REQUIRE(tree.size() == root);
  }
}

TEST_CASE("a place in the square changes nothing but the tree") {
  const CellRuns cells = runs_of_list({{3, -5, 2}, {-70, 4, 100}, {0, 900, 1}});
  for (const std::int64_t left : {-1024, -1000, -70}) {
    for (const std::int64_t top : {-1024, -77, -5}) {
      Quadtree tree;
      const Quadtree::Node root = square_of(tree, cells, left, top, 11);
      CHECK(runs_of(tree, root, static_cast<std::uint64_t>(-left),
                    static_cast<std::uint64_t>(-top)) == cells);
    }
  }
  Quadtree tree;
  CHECK(square_of(tree, {}, 0, 0, 20) == Quadtree::kEmpty);
  CHECK(runs_of(tree, Quadtree::kEmpty, 0, 0).empty());
}

TEST_CASE("squares know their cells") {
  Quadtree tree;
  CHECK(tree.leaf(0) == Quadtree::kEmpty);
  CHECK(tree.join({}) == Quadtree::kEmpty);
  CHECK(tree.population(Quadtree::kEmpty) == 0);
  CHECK(tree.runs(Quadtree::kEmpty) == 0);
  // Rows of two runs, of one, and a whole one.
  const Quadtree::Node some = tree.leaf(0xff'00'3c'81'00'00'00'00);
  CHECK(tree.population(some) == 14);
  CHECK(tree.runs(some) == 4);
  CHECK(tree.box(some) == Quadtree::Box{0, 4, 7, 7});
  CHECK_FALSE(tree.striped(some));
  const Quadtree::Node stripes = tree.leaf(0xff'00'ff'00'00'00'00'00);
  CHECK(tree.striped(stripes));
  CHECK(tree.box(tree.leaf(0x00'00'00'20'04'00'00'00)) == Quadtree::Box{2, 3, 5, 4});

  const Quadtree::Node wide = tree.join({stripes, stripes, 0, 0});
  CHECK(tree.striped(wide));
  CHECK(tree.runs(wide) == 2);
  CHECK(tree.population(wide) == 32);
  const Quadtree::Node broken = tree.join({stripes, 0, stripes, stripes});
  CHECK_FALSE(tree.striped(broken));
  CHECK(tree.runs(broken) == 6);
  CHECK(tree.box(broken) == Quadtree::Box{0, 5, 15, 15});
  CHECK_FALSE(tree.striped(tree.join({broken, broken, 0, 0})));
}

TEST_CASE("counts that do not fit 64 bits say so") {
  Quadtree tree;
  Quadtree::Node all = tree.leaf(kMost);
  Quadtree::Node dots = tree.leaf(1);
  for (int level = 4; level <= 64; level++) {
    all = tree.join({all, all, all, all});
    dots = tree.join({dots, dots, dots, dots});
    const bool fits = level < 32;
    const std::uint64_t area = fits ? std::uint64_t{1} << 2 * level : kMost;
    CHECK(tree.population(all) == area);
    CHECK(tree.runs(all) == (level < 64 ? std::uint64_t{1} << level : kMost));
    CHECK(tree.runs(dots) == (level < 35 ? std::uint64_t{1} << (2 * level - 6) : kMost));
  }
  CHECK(tree.box(all) == Quadtree::Box{0, 0, kMost, kMost});
  CHECK(tree.box(dots) == Quadtree::Box{0, 0, kMost - 7, kMost - 7});
}
