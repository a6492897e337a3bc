#pragma once

#include <cstdint>

#include "apps/viewer/window/viewer.h"

namespace tessera {

/// Runs the simulation as fast as it can: with pictures that are not drawn, without pictures, for
/// so many frames at up to 60 a second, and without pictures again. Prints one JSON object: how
/// long frames took (drawing is waited for) and showing them, which is a part of it, how long
/// pictures took, and after what time the simulation did what the window asked for, in
/// percentiles; and how fast it was each time.
void bench_frames(Viewer& viewer, std::int64_t frames);

}  // namespace tessera
