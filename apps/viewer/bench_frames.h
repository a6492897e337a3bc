#pragma once

#include <cstdint>

#include "apps/viewer/viewer.h"

namespace tessera {

/// Runs the simulation as fast as it can, without pictures and then for so many frames at up to 60
/// a second, and prints one JSON object: frame times in percentiles, and how fast the simulation
/// was with and without drawing.
void bench_frames(Viewer& viewer, std::int64_t frames);

}  // namespace tessera
