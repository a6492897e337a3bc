#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

/// Arrangements of live neighbours, up to rotation and reflection: for each count n from 0 to 8,
/// bit i stands for letter i of arrangement_letters(n). 0 and 8 have one arrangement without a
/// letter, bit 0.
using Arrangements = std::array<std::uint16_t, 9>;

/// The letters that Alan Hensel gave to the arrangements of `neighbours` live cells, in the order
/// of the alphabet: "ce" for 1 and 7, "aceikn" for 2 and 6, "aceijknqry" for 3 and 5,
/// "aceijknqrtwyz" for 4; none for 0 and 8.
std::string_view arrangement_letters(int neighbours);

/// All arrangements of that many live neighbours.
std::uint16_t all_arrangements(int neighbours);

/// The number of the arrangement among those of its count, for a pattern of nine cells
/// (NeighbourhoodTable) whose centre does not matter.
int arrangement_of(int pattern);

}  // namespace tessera
