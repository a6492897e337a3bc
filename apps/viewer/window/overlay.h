#pragma once

#include "apps/viewer/window/mouse.h"
#include "apps/viewer/window/workspace.h"

namespace tessera {

/// Draws the overlay on the cells: the universe's edge, grid lines, selection, floating cells.
void draw_overlay(const Workspace& work, const Mouse& mouse);

}  // namespace tessera
