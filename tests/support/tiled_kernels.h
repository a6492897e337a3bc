#pragma once

#include <vector>

#include "tests/support/kernels.h"

namespace tessera::test {

/// kernels_here(), and each of them that has tiles a second time: "cpu:0 kernel simd in tiles"
/// steps a grid that it holds as tiles and nothing else, whatever moves (TiledSpace). Those of
/// emulated devices are left out, because each rule is one more pipeline there: tiles_test has
/// some.
const std::vector<Kernel>& kernels_and_tiles();

}  // namespace tessera::test
