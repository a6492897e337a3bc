#pragma once

#include <span>

namespace tessera {

class Viewer;

/// What a click with the right button offers: actions on the selection, or else on the cells.
class ContextMenu {
 public:
  /// Opens it where the mouse is when that was asked for, draws it, and performs what is chosen.
  void draw(Viewer& viewer);
  /// True while it is open.
  bool open() const { return open_; }

 private:
  bool open_ = false;
};

/// The names of its actions with a selection or without one, in order; null is a separator.
std::span<const char* const> context_actions(bool selection);

}  // namespace tessera
