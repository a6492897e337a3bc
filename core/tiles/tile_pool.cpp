#include "core/tiles/tile_pool.h"

#include "core/base/error.h"

namespace tessera {

void TilePool::set_frames(const std::vector<TileFrame>&) {
  throw UnsupportedError("the tiles of this kernel hold no bounded planes; --space grid does");
}

}  // namespace tessera
