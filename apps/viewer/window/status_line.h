#pragma once

#include <string>
#include <vector>

#include "apps/viewer/window/mouse.h"
#include "apps/viewer/window/workspace.h"

namespace tessera {

/// What the line at the bottom of the window says, the most important first.
std::vector<std::string> status_parts(const Workspace& work, const Mouse& mouse);
/// What it says more when the mouse is over it: how the simulation is computed. `frame_seconds`:
/// time per frame.
std::vector<std::string> status_details(const Workspace& work, double frame_seconds);

/// Draws the line.
void draw_status_line(const Workspace& work, const Mouse& mouse, double frame_seconds);

}  // namespace tessera
