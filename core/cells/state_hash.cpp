#include "core/cells/state_hash.h"

namespace tessera {

std::uint64_t state_hash(const BitGrid& grid, std::int64_t column0, std::int64_t row0, int plane) {
  std::uint64_t sum = 0;
  for (std::int64_t y = 0; y < grid.height(); y++) {
    const std::uint64_t* words = grid.row(y);
    for (std::int64_t i = 0; i < grid.words_per_row(); i++) {
      if (words[i] != 0) sum += hash_word(words[i], column0 + i, row0 + y, plane);
    }
  }
  return sum;
}

std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; i--, hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
  return text;
}

}  // namespace tessera
