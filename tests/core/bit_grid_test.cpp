#include "core/cells/bit_grid.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::has;
using tessera::test::message_of;

namespace {

// The same grid with one byte per cell.
struct Plain {
  std::int64_t width, height;
  std::vector<char> cells;

  Plain(std::int64_t w, std::int64_t h)
      : width(w), height(h), cells(static_cast<std::size_t>(w * h)) {}
  char& at(std::int64_t x, std::int64_t y) {
    return cells[static_cast<std::size_t>(y * width + x)];
  }
  char at(std::int64_t x, std::int64_t y) const {
    return cells[static_cast<std::size_t>(y * width + x)];
  }
};

// Every cell agrees, the words hold nothing else, and the numbers derived from them are right.
bool agree(const BitGrid& grid, const Plain& plain) {
  if (grid.width() != plain.width || grid.height() != plain.height) return false;
  const std::int64_t words_per_row = (plain.width + 63) / 64;
  if (grid.words_per_row() != words_per_row) return false;
  if (static_cast<std::int64_t>(grid.words().size()) != words_per_row * plain.height) return false;
  std::int64_t population = 0;
  std::optional<Bounds> bounds;
  for (std::int64_t y = 0; y < plain.height; y++) {
    for (std::int64_t x = 0; x < words_per_row * 64; x++) {
      const bool alive = x < plain.width && plain.at(x, y);
      const std::uint64_t word = grid.words()[static_cast<std::size_t>(y * words_per_row + x / 64)];
      if ((word >> (x % 64) & 1) != (alive ? 1u : 0u)) return false;
      if (x < plain.width && grid.get(x, y) != alive) return false;
      if (!alive) continue;
      population++;
      if (!bounds) bounds = Bounds{x, y, x, y};
      bounds = Bounds{std::min(bounds->xmin, x), bounds->ymin, std::max(bounds->xmax, x), y};
    }
  }
  return grid.population() == population && grid.bounds() == bounds;
}

std::int64_t below(std::mt19937_64& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

// Random cells, set one by one.
BitGrid scatter(std::mt19937_64& random, Plain& plain, int percent) {
  BitGrid grid(plain.width, plain.height);
  for (std::int64_t y = 0; y < plain.height; y++) {
    for (std::int64_t x = 0; x < plain.width; x++) {
      plain.at(x, y) = below(random, 100) < percent;
      grid.set(x, y, plain.at(x, y));
    }
  }
  return grid;
}

}  // namespace

TEST_CASE("a new grid is dead") {
  for (const std::int64_t width : {1, 63, 64, 65, 128, 1000}) {
    const BitGrid grid(width, 3);
    CHECK(agree(grid, Plain(width, 3)));
    CHECK(grid.bounds() == std::nullopt);
  }
}

TEST_CASE("cells, windows, pastes and runs agree with one byte per cell") {
  std::mt19937_64 random(20);
  for (int round = 0; round < 3000; round++) {
    CAPTURE(round);
    Plain plain(1 + below(random, 200), 1 + below(random, 6));
    BitGrid grid = scatter(random, plain, static_cast<int>(below(random, 4)) * 20);
    for (int edit = 0; edit < 4; edit++) {
      const std::int64_t x = below(random, plain.width), y = below(random, plain.height);
      const std::int64_t w = 1 + below(random, plain.width - x),
                         h = 1 + below(random, plain.height - y);
      switch (below(random, 4)) {
        case 0:
          grid.fill_run(x, y, w);
          for (std::int64_t i = 0; i < w; i++) plain.at(x + i, y) = 1;
          break;
        case 1: {
          Plain patch(w, h);
          grid.paste(x, y, scatter(random, patch, 50));
          for (std::int64_t j = 0; j < h; j++) {
            for (std::int64_t i = 0; i < w; i++) plain.at(x + i, y + j) = patch.at(i, j);
          }
          break;
        }
        case 2: {
          Plain part(w, h);
          for (std::int64_t j = 0; j < h; j++) {
            for (std::int64_t i = 0; i < w; i++) part.at(i, j) = plain.at(x + i, y + j);
          }
          REQUIRE(agree(grid.window({x, y, w, h}), part));
          break;
        }
        default:
          plain.at(x, y) = !plain.at(x, y);
          grid.set(x, y, plain.at(x, y));
      }
    }
    REQUIRE(agree(grid, plain));
  }
}

TEST_CASE("a run of no cells changes nothing") {
  BitGrid grid(70, 1);
  grid.fill_run(64, 0, 0);
  CHECK(grid.population() == 0);
}

TEST_CASE("padding is cleared and nothing else") {
  for (std::int64_t width = 1; width <= 130; width++) {
    BitGrid grid(width, 2);
    std::fill(grid.words().begin(), grid.words().end(), ~std::uint64_t{0});
    grid.clear_padding();
    Plain plain(width, 2);
    std::fill(plain.cells.begin(), plain.cells.end(), 1);
    CAPTURE(width);
    CHECK(agree(grid, plain));
  }
}

TEST_CASE("sizes that no machine has are refused before allocation") {
  CHECK(BitGrid::bytes(1, 1) == 8);
  CHECK(BitGrid::bytes(65, 3) == 48);
  CHECK(BitGrid::bytes(65536, 65536) == std::int64_t{1} << 29);
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(BitGrid::bytes(huge, 512) == std::int64_t{1} << 46);
  CHECK(BitGrid::bytes(huge, 513) == std::nullopt);
  CHECK(BitGrid::bytes(INT64_MAX, INT64_MAX) == std::nullopt);
  CHECK(BitGrid::bytes(1, INT64_MAX) == std::nullopt);
  CHECK(BitGrid::bytes(INT64_MAX, 1) == std::nullopt);
  for (const auto& [w, h] : {std::pair<std::int64_t, std::int64_t>{0, 1},
                             {1, 0},
                             {-1, 5},
                             {5, -1},
                             {huge, huge},
                             {INT64_MIN, 1}}) {
    CHECK(BitGrid::bytes(w, h) == std::nullopt);
    const std::int64_t width = w, height = h;
    const std::string what = message_of<InputError>([&] { BitGrid(width, height); });
    CHECK(
        has(what, {(std::to_string(w) + "x" + std::to_string(h)).c_str(), "at least 1", "64 TiB"}));
  }
}
