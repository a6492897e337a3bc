// What the driver beside this compiles for a program while that runs: the kernel sums or table with
// the text of a rule, or the services of its layout, or the kernels of tiles with the text of a
// program.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#if TESSERA_SERVICES
#include "layout.cuh"
#include "services.cu"

#include "run_services.cuh"
#elif TESSERA_TILES
#include "tiles.cu"

#include "run_tiles.cuh"
#else
#if TESSERA_FILES
#include "table.cu"
#else
#include "sums.cu"
#endif

#include "argument.cuh"
#endif

#include <string>

namespace {

bool run_kernel(const std::string& name) {
#if TESSERA_SERVICES
  return run_service(name);
#elif TESSERA_TILES
  return run_tiles(name);
#elif TESSERA_FILES
  if (name == "step") {
    return step(argument<Grid>(0), argument<const u32*>(1), argument<u32*>(2),
                argument<TableRun>(3)),
           true;
  }
  if (name == "put") {
    return put(argument<Grid>(0), argument<u32*>(1), argument<const TableCell*>(2),
               argument<u32>(3)),
           true;
  }
  return false;
#else
  if (name == "step") {
    return step(argument<Grid>(0), argument<const u32*>(1), argument<u32*>(2),
                argument<SumsRun>(3)),
           true;
  }
  if (name == "fill_margins") {
    return fill_margins(argument<Grid>(0), argument<u32*>(1), argument<i64>(2), argument<int>(3)),
           true;
  }
  return false;
#endif
}

}  // namespace

/// Runs a launch of kernel `name`; false where there is none of that name.
extern "C" __attribute__((visibility("default"))) bool tessera_launch(const char* name,
                                                                      void** arguments,
                                                                      unsigned int blocks,
                                                                      unsigned int threads) {
  given = arguments;
  bool known = true;
  emulated::warp.kernel = [&] { known = run_kernel(name) && known; };
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks && known; blockIdx.x++) {
    for (unsigned int n = 0; n < threads / 32; n++) emulated::run_warp(n);
  }
  return known;
}
