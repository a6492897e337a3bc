// The kernels of grids in one shape, for the driver beside this: strips with T, R, W as the build
// says, on a torus or a plane, as a band or whole; and the services of that layout.
#include "ptx.cuh"
// After it, so that the kernel's own is not taken.
#include "layout.cuh"
#include "services.cu"
#include "strips.cu"

#include "run_services.cuh"

// Runs the present lane of kernel `name`; false where there is none of that name.
bool TESSERA_RUN(const std::string& name, void** arguments, int word) {
  given = arguments;
  if (name == "step") {
    last_word = word;
#if TESSERA_BAND
    step(argument<Grid>(0), argument<StripRun>(1), argument<StripEdges>(2));
#else
    step(argument<Grid>(0), argument<StripRun>(1));
#endif
    return true;
  }
  if (name == "fill_margins") return fill_margins(argument<Grid>(0), argument<u32*>(1)), true;
  return run_service(name);
}
