#pragma once

#include <span>
#include <string_view>

namespace tessera {

class Viewer;

/// The menus: every action, and the files used last.
class MenuBar {
 public:
  /// Draws it, and performs the action that is chosen.
  void draw(Viewer& viewer);
  /// True while a menu is open.
  bool open() const { return open_; }

 private:
  bool open_ = false;
};

/// The names of the actions that a line sets off from those before them in their menu.
std::span<const std::string_view> menu_groups();

}  // namespace tessera
