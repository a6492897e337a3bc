#pragma once

namespace tessera {

class Viewer;

/// Buttons of the actions that are needed most, in the menu bar beside the menus: as many as have
/// room, and a menu of the others. Tooltips tell what they do and their keys. True while that menu
/// is open.
bool draw_toolbar(Viewer& viewer);

}  // namespace tessera
