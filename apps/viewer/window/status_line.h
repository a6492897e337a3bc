#pragma once

#include <string>
#include <vector>

#include "apps/viewer/window/mouse.h"
#include "apps/viewer/window/workspace.h"

namespace tessera {

/// "4,930 gen/s", "2.5 gen/s", "paused".
std::string speed_text(const Status& status);
/// What is said of hyperspeed, or empty when it is off. At full speed it has no effect, because
/// nothing is waited for between two steps.
std::string hyperspeed_text(bool on, const Speed& speed);
/// What the line at the bottom of the window says, the most important first.
std::vector<std::string> status_parts(const Workspace& work, const Mouse& mouse);
/// What it says more when the mouse is over it: how the simulation is computed. `frame_seconds`:
/// time per frame.
std::vector<std::string> status_details(const Workspace& work, double frame_seconds);

/// Draws the line: as many parts as have room, and the others first among the details.
void draw_status_line(Workspace& work, const Mouse& mouse, double frame_seconds);

}  // namespace tessera
