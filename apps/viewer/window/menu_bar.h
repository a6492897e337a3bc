#pragma once

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

}  // namespace tessera
