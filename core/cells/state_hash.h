#pragma once

#include <cstdint>
#include <string>

#include "core/cells/bit_grid.h"
#include "core/cells/soup.h"

namespace tessera {

/// What one non-zero word of bit plane `plane` adds to the state hash; `column` is the absolute
/// cell column of its first cell divided by 64 (floor), `row` its absolute row. Both are taken
/// modulo 2^32.
constexpr std::uint64_t hash_word(std::uint64_t word, std::int64_t column, std::int64_t row,
                                  int plane = 0) {
  return mix64(word ^
               mix64((static_cast<std::uint64_t>(column) & 0xffffffffu) << 32 |
                     (static_cast<std::uint64_t>(row) & 0xffffffffu)) ^
               static_cast<std::uint64_t>(plane) * 0xD1342543DE82EF95u);
}

/// Sum modulo 2^64 of hash_word over the non-zero words of a grid that is bit plane `plane`. The
/// grid's first word is word column `column0` and its first row `row0`. The order does not matter:
/// parts of a grid can be hashed separately and added.
std::uint64_t state_hash(const BitGrid& grid, std::int64_t column0 = 0, std::int64_t row0 = 0,
                         int plane = 0);

/// 16 lower-case hexadecimal digits.
std::string hash_text(std::uint64_t hash);

}  // namespace tessera
