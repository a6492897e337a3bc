#include "core/rules/isotropic_letters.h"

#include <bit>
#include <cstddef>

namespace tessera {
namespace {

// The ring of neighbours, clockwise from N: bit i of a ring is bit kPlaces[i] of a pattern.
constexpr std::array<int, 8> kPlaces = {7, 6, 3, 0, 1, 2, 5, 8};

struct Letter {
  int neighbours;
  char letter;
  const char* ring;  // one arrangement of the class, clockwise from N
};

// One arrangement for each letter of 1 to 4 neighbours; 5 to 7 are the complements of 3 to 1.
constexpr Letter kLetterShapes[] = {
    {1, 'c', "01000000"}, {1, 'e', "10000000"}, {2, 'c', "01010000"}, {2, 'e', "10100000"},
    {2, 'k', "10010000"}, {2, 'a', "11000000"}, {2, 'i', "10001000"}, {2, 'n', "01000100"},
    {3, 'c', "00010101"}, {3, 'e', "00101010"}, {3, 'k', "00101001"}, {3, 'a', "00001110"},
    {3, 'i', "00000111"}, {3, 'n', "00001101"}, {3, 'y', "00100101"}, {3, 'q', "00010011"},
    {3, 'j', "00001011"}, {3, 'r', "00100011"}, {4, 'c', "01010101"}, {4, 'e', "10101010"},
    {4, 'k', "00101101"}, {4, 'a', "00001111"}, {4, 'i', "00110110"}, {4, 'n', "00010111"},
    {4, 'y', "00110101"}, {4, 'q', "00111001"}, {4, 'j', "00101011"}, {4, 'r', "00101110"},
    {4, 't', "00100111"}, {4, 'w', "00011011"}, {4, 'z', "00110011"}};

constexpr std::uint8_t turned(std::uint8_t ring) { return std::rotl(ring, 2); }

// Mirrored in the vertical axis, so that N and S stay.
constexpr std::uint8_t mirrored(std::uint8_t ring) {
  std::uint8_t out = 0;
  for (int i = 0; i < 8; i++) {
    if (ring >> i & 1) out = static_cast<std::uint8_t>(out | 1 << (8 - i) % 8);
  }
  return out;
}

std::array<std::uint8_t, 256> numbers_of_rings() {
  std::array<std::uint8_t, 256> numbers{};
  for (const Letter& each : kLetterShapes) {
    const auto number =
        static_cast<std::uint8_t>(arrangement_letters(each.neighbours).find(each.letter));
    std::uint8_t ring = 0;
    for (int i = 0; i < 8; i++) {
      if (each.ring[i] == '1') ring = static_cast<std::uint8_t>(ring | 1 << i);
    }
    for (int turn = 0; turn < 4; turn++, ring = turned(ring)) {
      for (const std::uint8_t same : {ring, mirrored(ring)}) {
        numbers[same] = number;
        if (each.neighbours < 4) numbers[static_cast<std::uint8_t>(~same)] = number;
      }
    }
  }
  return numbers;
}

}  // namespace

std::string_view arrangement_letters(int neighbours) {
  constexpr std::array<std::string_view, 5> kOf = {"", "ce", "aceikn", "aceijknqry",
                                                   "aceijknqrtwyz"};
  return kOf[static_cast<std::size_t>(neighbours <= 4 ? neighbours : 8 - neighbours)];
}

std::uint16_t all_arrangements(int neighbours) {
  const std::size_t letters = arrangement_letters(neighbours).size();
  return static_cast<std::uint16_t>((1u << (letters == 0 ? 1 : letters)) - 1);
}

int arrangement_of(int pattern) {
  static const std::array<std::uint8_t, 256> kNumbers = numbers_of_rings();
  std::size_t ring = 0;
  for (std::size_t i = 0; i < 8; i++) {
    if (pattern >> kPlaces[i] & 1) ring |= std::size_t{1} << i;
  }
  return kNumbers[ring];
}

}  // namespace tessera
