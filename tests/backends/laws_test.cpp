// Laws that hold without any reference: each relates two evolutions on the same kernel.

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/tiled_kernels.h"
#include "tests/support/tunings.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// A start drawn from a seed: size, edge, rule, cells and a number of generations.
struct Start {
  BackendSpec spec;
  BitGrid cells{1, 1};
  std::int64_t generations = 0;
  std::mt19937_64 random;

  Start(std::uint64_t seed, Boundary boundary) : random(seed) {
    spec.width = 1 + below(seed % 4 == 0 ? 8 : 260);
    spec.height = 1 + below(seed % 5 == 0 ? 8 : 140);
    spec.boundary = boundary;
    spec.rule = seed % 3 == 0 ? kLife
                              : Rule{static_cast<std::uint16_t>(below(512)),
                                     static_cast<std::uint16_t>(below(512))};
    cells =
        make_soup({random(), static_cast<std::uint32_t>(below(65537))}, spec.width, spec.height);
    generations = below(40);
  }

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  }
};

// The eight symmetries of the square: bit 0 mirrors x, bit 1 mirrors y, bit 2 transposes.
BitGrid transformed(const BitGrid& grid, int symmetry) {
  const bool transpose = symmetry & 4;
  BitGrid out(transpose ? grid.height() : grid.width(), transpose ? grid.width() : grid.height());
  for (std::int64_t y = 0; y < grid.height(); y++) {
    for (std::int64_t x = 0; x < grid.width(); x++) {
      const std::int64_t tx = symmetry & 1 ? grid.width() - 1 - x : x;
      const std::int64_t ty = symmetry & 2 ? grid.height() - 1 - y : y;
      out.set(transpose ? ty : tx, transpose ? tx : ty, grid.get(x, y));
    }
  }
  return out;
}

BitGrid rolled(const BitGrid& grid, std::int64_t dx, std::int64_t dy) {
  BitGrid out(grid.width(), grid.height());
  for (std::int64_t y = 0; y < grid.height(); y++) {
    for (std::int64_t x = 0; x < grid.width(); x++) {
      out.set((x + dx) % grid.width(), (y + dy) % grid.height(), grid.get(x, y));
    }
  }
  return out;
}

BitGrid complement(BitGrid grid) {
  for (std::uint64_t& word : grid.words()) word = ~word;
  grid.clear_padding();
  return grid;
}

// The rule R' with R'(complement of A) = complement of R(A): the complement of a live cell with n
// live neighbours is a dead one with 8 - n, and the result is flipped, too.
Rule dual_of(const Rule& rule) {
  Rule dual{0, 0};
  for (int n = 0; n <= 8; n++) {
    const auto bit = static_cast<std::uint16_t>(1u << n);
    if (!rule.next(true, 8 - n)) dual.birth = static_cast<std::uint16_t>(dual.birth | bit);
    if (!rule.next(false, 8 - n)) dual.survival = static_cast<std::uint16_t>(dual.survival | bit);
  }
  return dual;
}

BitGrid after(const Kernel& kernel, const BackendSpec& spec, const BitGrid& cells,
              std::int64_t generations, const Tuning& tuning = {}) {
  const auto backend = kernel.create(spec, tuning);
  backend->upload(cells);
  backend->step(generations);
  return backend->download().plane(0);
}

// Calls body(kernel, start, tuning) for many starts and every kernel; emulated devices take a
// few.
template <class Body>
void for_each_start(Boundary boundary, Body&& body) {
  const std::int64_t count = case_count(150);
  for (std::int64_t seed = 1; seed <= count; seed++) {
    CAPTURE(seed);
    for (const Kernel& kernel : kernels_and_tiles()) {
      if (kernel.device.software && seed % 32 != 1) {
        skipped(kernel, "an emulated device takes one start of 32");
        continue;
      }
      Start start(static_cast<std::uint64_t>(seed), boundary);
      if (!supports(kernel, start.spec)) continue;
      INFO(kernel.name());
      INFO(to_string(start.spec.rule)
           << " " << start.spec.width << "x" << start.spec.height << " for " << start.generations);
      const Tuning tuning = draw_tuning(kernel, static_cast<std::uint64_t>(seed));
      try {
        body(kernel, start, tuning);
        ran(kernel);
      } catch (
          const UnsupportedError& error) {  // values that exclude each other, or do not fit here
        REQUIRE(!(tuning == Tuning{}));
        skipped(kernel, error.what());
      }
    }
  }
}

}  // namespace

TEST_CASE("on a torus a moved start evolves into a moved end") {
  for_each_start(Boundary::torus, [](const Kernel& kernel, Start& start, const Tuning& tuning) {
    const std::int64_t dx = start.below(start.spec.width), dy = start.below(start.spec.height);
    const BitGrid end = after(kernel, start.spec, start.cells, start.generations, tuning);
    const BitGrid moved =
        after(kernel, start.spec, rolled(start.cells, dx, dy), start.generations, tuning);
    CHECK(moved == rolled(end, dx, dy));
  });
}

TEST_CASE("turned and mirrored starts evolve into turned and mirrored ends") {
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for_each_start(boundary, [](const Kernel& kernel, Start& start, const Tuning& tuning) {
      const BitGrid end = after(kernel, start.spec, start.cells, start.generations, tuning);
      for (int symmetry = 1; symmetry < 8; symmetry++) {
        CAPTURE(symmetry);
        BackendSpec spec = start.spec;
        if (symmetry & 4) std::swap(spec.width, spec.height);
        if (!supports(kernel, spec)) continue;
        const BitGrid turned =
            after(kernel, spec, transformed(start.cells, symmetry), start.generations, tuning);
        CHECK(turned == transformed(end, symmetry));
      }
    });
  }
}

TEST_CASE("a + b generations are a and then b") {
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for_each_start(boundary, [](const Kernel& kernel, Start& start, const Tuning& tuning) {
      const std::int64_t a = start.below(start.generations + 1), b = start.generations - a;
      const BitGrid end = after(kernel, start.spec, start.cells, a + b, tuning);
      // On the same backend, and through the canonical grid on another one.
      const auto backend = kernel.create(start.spec, tuning);
      backend->upload(start.cells);
      backend->step(a);
      const BitGrid middle = backend->download().plane(0);
      backend->step(b);
      CHECK(backend->download() == end);
      CHECK(after(kernel, start.spec, middle, b) == end);
    });
  }
}

TEST_CASE("on a torus the complement evolves under the dual rule") {
  for_each_start(Boundary::torus, [](const Kernel& kernel, Start& start, const Tuning& tuning) {
    BackendSpec dual = start.spec;
    dual.rule = dual_of(start.spec.rule);
    if (!supports(kernel, dual)) return;
    const BitGrid end = after(kernel, start.spec, start.cells, start.generations, tuning);
    CHECK(after(kernel, dual, complement(start.cells), start.generations, tuning) ==
          complement(end));
  });
}

TEST_CASE("nothing spreads faster than a cell a generation") {
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for_each_start(boundary, [&](const Kernel& kernel, Start& start, const Tuning& tuning) {
      const std::int64_t w = start.spec.width, h = start.spec.height;
      const std::int64_t x0 = start.below(w), y0 = start.below(h), n = start.generations;
      BitGrid other = start.cells;
      other.set(x0, y0, !other.get(x0, y0));
      const BitGrid a = after(kernel, start.spec, start.cells, n, tuning);
      const BitGrid b = after(kernel, start.spec, other, n, tuning);
      // Distances aaround the torus take the shorter way.
      const auto distance = [&](std::int64_t from, std::int64_t to, std::int64_t side) {
        const std::int64_t d = std::abs(from - to);
        return boundary == Boundary::torus ? std::min(d, side - d) : d;
      };
      bool local = true;
      for (std::int64_t y = 0; y < h; y++) {
        for (std::int64_t x = 0; x < w; x++) {
          if (a.get(x, y) == b.get(x, y)) continue;
          local = local && distance(x, x0, w) <= n && distance(y, y0, h) <= n;
        }
      }
      CHECK(local);
    });
  }
}
