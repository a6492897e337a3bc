#pragma once

#include <cstdint>

#include "apps/viewer/window/viewer.h"

namespace tessera {

/// Runs the simulation as fast as possible: with pictures that are not drawn, without pictures, for
/// this many frames at up to 60 per second, and without pictures again. Prints one JSON object with
/// percentiles of the times of frames (including drawing), of showing them, of pictures, and of the
/// simulation's answers to the window; and the speed in each part.
void bench_frames(Viewer& viewer, std::int64_t frames);

}  // namespace tessera
