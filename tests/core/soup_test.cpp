#include "core/cells/soup.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

namespace {

// The definition, written without the library.
std::uint64_t mix(std::uint64_t z) {
  z ^= z >> 30;
  z *= 13787848793156543929ull;
  z ^= z >> 27;
  z *= 10723151780598845931ull;
  z ^= z >> 31;
  return z;
}

std::uint64_t stream_word(std::uint64_t seed, unsigned stream, std::uint64_t index) {
  return mix(seed + stream * 15074714826142052245ull + (index + 1) * 11400714819323198485ull);
}

// Density n/65536: from the lowest set bit of n upwards, "or" halves the dead, "and" the living.
std::uint64_t soup_word(std::uint64_t seed, std::uint32_t n, std::uint64_t index) {
  if (n == 65536) return ~std::uint64_t{0};
  std::uint64_t r = 0;
  bool started = false;
  for (unsigned bit = 0; bit < 16; bit++) {
    const bool one = n & 1u << bit;
    started = started || one;
    if (!started) continue;
    const std::uint64_t w = stream_word(seed, 15 - bit, index);
    r = one ? r | w : r & w;
  }
  return r;
}

}  // namespace

TEST_CASE("the words of a soup follow the definition for every density") {
  for (std::uint32_t n = 0; n <= 65536; n++) {
    const std::uint64_t seed = n * 0x123456789abcdefull;
    bool same = true;
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{n}, ~std::uint64_t{0} - n}) {
      same = same && Soup{seed, n}.word(index) == soup_word(seed, n, index);
    }
    if (!same) FAIL_CHECK("density " << n << "/65536");
  }
}

TEST_CASE("half a soup is plain SplitMix64") {
  // The first outputs of the generator seeded with 0, as its authors' program prints them.
  const Soup soup{0, 32768};
  CHECK(soup.word(0) == 0xe220a8397b1dcdafull);
  CHECK(soup.word(1) == 0x6e789e6aa1b965f4ull);
  CHECK(soup.word(2) == 0x06c45d188009454full);
}

TEST_CASE("a density is rounded to the nearest 65536th") {
  CHECK(Soup::of(0.5, 7).density == 32768);
  CHECK(Soup::of(0.5, 7).seed == 7);
  CHECK(Soup::of(0, 1).density == 0);
  CHECK(Soup::of(1, 1).density == 65536);
  CHECK(Soup::of(0.3337, 1).density == 21869);    // 21869.36
  CHECK(Soup::of(0.33335, 1).density == 21846);   // 21846.43
  CHECK(Soup::of(0.333361, 1).density == 21847);  // 21847.15
  CHECK(Soup::of(0.33336, 1).density == 21847);   // 21847.08
  CHECK(Soup::of(10.6 / 65536, 1).density == 11);
  CHECK(Soup::of(65535.6 / 65536, 1).density == 65536);
  for (const double bad : {-1e-9, 1.0000001, 50.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::string what = message_of<InputError>([&] { Soup::of(bad, 1); });
    CHECK(what.find("a number from 0 to 1 is accepted") != std::string::npos);
  }
}

TEST_CASE("a soup's share of live cells is its density") {
  for (const std::uint32_t n : {655u, 16384u, 21870u, 32768u, 60000u}) {
    const BitGrid grid = make_soup({99, n}, 1024, 1024);
    const double cells = 1024.0 * 1024.0, share = n / 65536.0;
    const double sigma = std::sqrt(cells * share * (1 - share));
    CAPTURE(n);
    CHECK(std::abs(static_cast<double>(grid.population()) - cells * share) < 5 * sigma);
  }
  CHECK(make_soup({5, 0}, 100, 100).population() == 0);
  CHECK(make_soup({5, 65536}, 100, 100).population() == 100 * 100);
}

TEST_CASE("a grid takes the words in row order and clears its padding") {
  for (const std::int64_t width : {1, 63, 64, 65, 200}) {
    const BitGrid grid = make_soup({77, 40000}, width, 5);
    for (std::int64_t y = 0; y < 5; y++) {
      for (std::int64_t x = 0; x < width; x++) {
        const std::uint64_t word =
            soup_word(77, 40000, static_cast<std::uint64_t>(y * ((width + 63) / 64) + x / 64));
        CHECK(grid.get(x, y) == ((word >> (x % 64) & 1) != 0));
      }
    }
    BitGrid cleared = grid;
    cleared.clear_padding();
    CHECK(cleared == grid);
  }
}

TEST_CASE("the state hash follows the definition") {
  const BitGrid grid = make_soup({3, 4000}, 300, 40);
  for (const std::int64_t column0 : {0, 5, -3, -1}) {
    for (const std::int64_t row0 : {0, 9, -20}) {
      std::uint64_t sum = 0;
      for (std::int64_t y = 0; y < 40; y++) {
        for (std::int64_t i = 0; i < 5; i++) {
          const std::uint64_t word = grid.row(y)[i];
          const auto x = static_cast<std::uint32_t>(column0 + i),
                     row = static_cast<std::uint32_t>(row0 + y);
          if (word != 0) sum += mix(word ^ mix(std::uint64_t{x} << 32 | row));
        }
      }
      CHECK(state_hash(grid, column0, row0) == sum);
    }
  }
  CHECK(state_hash(BitGrid(500, 500)) == 0);
  CHECK(state_hash(BitGrid(1, 1), -7, 12) == 0);
}

TEST_CASE("the hashes of parts add up to the whole") {
  const BitGrid grid = make_soup({8, 32768}, 320, 64);
  std::uint64_t sum = 0;
  for (std::int64_t y = 0; y < 64; y += 16) {
    for (std::int64_t x = 0; x < 320; x += 64)
      sum += state_hash(grid.window({x, y, 64, 16}), x / 64 - 2, y - 30);
  }
  CHECK(sum == state_hash(grid, -2, -30));
}

TEST_CASE("a hash tells places and words apart") {
  BitGrid a(128, 2), b(128, 2);
  a.set(0, 0, true);
  b.set(64, 0, true);
  CHECK(state_hash(a) != state_hash(b));
  b.set(64, 0, false);
  b.set(0, 1, true);
  CHECK(state_hash(a) != state_hash(b));
  b.set(0, 1, false);
  b.set(1, 0, true);
  CHECK(state_hash(a) != state_hash(b));
}

TEST_CASE("a hash prints as 16 digits") {
  CHECK(hash_text(0) == "0000000000000000");
  CHECK(hash_text(0xefacdd53a04703f0ull) == "efacdd53a04703f0");
  CHECK(hash_text(std::numeric_limits<std::uint64_t>::max()) == "ffffffffffffffff");
}
