#pragma once

namespace tessera {

class Viewer;

/// Buttons of the actions that are needed most, in the menu bar beside the menus: as many as have
/// room. Tooltips tell what they do and their keys.
void draw_toolbar(Viewer& viewer);

}  // namespace tessera
