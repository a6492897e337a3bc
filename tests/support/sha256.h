#pragma once

#include <string>

#include "core/cells/bit_grid.h"

namespace tessera::test {

/// SHA-256 of a grid's words as little-endian bytes, row by row, in lower-case hexadecimal.
std::string sha256_of(const BitGrid& grid);

}  // namespace tessera::test
