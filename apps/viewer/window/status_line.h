#pragma once

#include <SDL.h>

#include "apps/viewer/window/workspace.h"

namespace tessera {

/// Draws the line at the bottom of the window. `pointer`: the mouse, in pixels of the cells' view.
/// `frame_seconds`: time per frame.
void draw_status_line(const Workspace& work, SDL_Point pointer, double frame_seconds);

}  // namespace tessera
