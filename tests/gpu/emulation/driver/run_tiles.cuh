// The kernels of tiles by their names, for a source that includes tiles.cu.
#ifndef TESSERA_RUN_TILES_CUH
#define TESSERA_RUN_TILES_CUH

#include <string>

#include "argument.cuh"

// Runs the present lane of kernel `name`; false where there is none of that name.
static bool run_tiles(const std::string& name) {
  const TileRing& ring = argument<TileRing>(0);
  if (name == "step_tiles") return step_tiles(ring, argument<TileLaunch>(1)), true;
  if (name == "renew_copies")
    return renew_copies(ring, argument<TileLaunch>(1), argument<u32>(2)), true;
  if (name == "look_ahead")
    return look_ahead(ring, argument<u32>(1), argument<u32>(2), argument<u32>(3)), true;
  if (name == "restart_tiles")
    return restart_tiles(ring, argument<TileRing>(1), argument<u32>(2)), true;
  if (name == "patch_tiles") return patch_tiles(ring, argument<TileChanges>(1)), true;
  if (name == "look_at_tiles") {
    return look_at_tiles(ring, argument<u32>(1), argument<u32>(2), argument<u32>(3),
                         argument<u32>(4), argument<u32>(5), argument<u16*>(6)),
           true;
  }
  if (name == "take_tiles") {
    return take_tiles(ring, argument<u32>(1), argument<const u32*>(2), argument<u32>(3),
                      argument<u64*>(4)),
           true;
  }
#if TESSERA_PLANES == 1
  if (name == "take_band") return take_band(ring, argument<TileBand>(1)), true;
  if (name == "lone_shapes") {
    return lone_shapes(ring, argument<u32>(1), argument<u32>(2), argument<u32>(3),
                       argument<u32>(4)),
           true;
  }
#endif
  return false;
}

#endif
