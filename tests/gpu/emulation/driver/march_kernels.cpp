// The kernel march for Life on tori, or in its place relay (TESSERA_RELAY), for the driver beside
// this.
#include "ptx.cuh"
// After it, so that the kernel's own is not taken.
#if TESSERA_RELAY
#include "relay.cu"
#else
#include "march.cu"
#endif

#include <string>

#include "argument.cuh"

// Runs the present lane of kernel `name`; false where there is none of that name.
bool TESSERA_RUN(const std::string& name, void** arguments, int) {
  given = arguments;
#if TESSERA_RELAY
  if (name == "relay") return relay(argument<Grid>(0), argument<RelayRun>(1)), true;
#else
  if (name == "step") return step(argument<Grid>(0), argument<MarchRun>(1)), true;
  if (name == "fill_sides")
    return fill_sides(argument<Grid>(0), argument<u32*>(1), argument<u32>(2)), true;
  if (name == "fill_below")
    return fill_below(argument<Grid>(0), argument<u32*>(1), argument<u32>(2)), true;
#endif
  return false;
}
