#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include "backends/vulkan/spelled_gate.h"

namespace tessera::vulkan {
namespace {

// Tables of the functions of shaders/gate.inl, worked out by hand, at index 4a + 2b + c.
constexpr std::array<unsigned, 14> kTables = {0x00, 0xF0, 0xC0, 0x3C, 0x80, 0xE0, 0x60,
                                              0x78, 0x96, 0x18, 0x64, 0xCA, 0xE8, 0x16};

unsigned bit(unsigned word, unsigned at) { return word >> at & 1; }

TEST_CASE("every gate has a spelling, over its own inputs") {
  // Signals whose numbers are far apart, and bit s of `signals` is the value of signal s.
  const std::array<std::uint8_t, 3> numbers = {4, 9, 2};
  std::array<bool, 14> used{};
  for (unsigned table = 0; table < 256; table++) {
    CAPTURE(table);
    const std::uint32_t packed =
        spelled_gate({static_cast<std::uint8_t>(table), numbers[0], numbers[1], numbers[2]});
    REQUIRE((packed & 15) < kTables.size());
    used[packed & 15] = true;
    for (unsigned abc = 0; abc < 8; abc++) {
      const unsigned signals =
          bit(abc, 2) << numbers[0] | bit(abc, 1) << numbers[1] | bit(abc, 0) << numbers[2];
      unsigned index = 0;
      for (unsigned input = 0; input < 3; input++) {
        const unsigned n = packed >> (5 * input + 5);
        const unsigned signal = n & 15;
        REQUIRE((signal == numbers[0] || signal == numbers[1] || signal == numbers[2]));
        index = 2 * index + (bit(signals, signal) ^ bit(n, 4));
      }
      CHECK((bit(kTables[packed & 15], index) ^ bit(packed, 4)) == bit(table, abc));
    }
  }
  for (unsigned shape = 0; shape < used.size(); shape++) {
    CAPTURE(shape);
    CHECK(used[shape]);  // no function is one of the others in disguise
  }
}

}  // namespace
}  // namespace tessera::vulkan
