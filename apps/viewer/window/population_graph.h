#pragma once

#include <string>

#include "apps/viewer/simulation/status.h"

namespace tessera {

/// Draws the population over the generations, with axes, into the window of Dear ImGui that is
/// open, `width` by `height` in window units. What it says of the place that the mouse is on, or
/// empty.
std::string draw_population_graph(const Status& status, float width, float height);

}  // namespace tessera
