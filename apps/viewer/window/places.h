#pragma once

#include <SDL.h>
#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// An item of the window: a menu, a menu item, a button or a field. All in window units.
struct Place {
  std::string title;
  ImVec2 low, high;            ///< its corners, those that cannot be seen, too
  ImVec2 seen_low, seen_high;  ///< the corners of what of its part of the window is seen
  float above = 0, below = 0;  ///< how far that part can be scrolled
};

/// Where menus, menu items, buttons and fields were drawn in this frame, by title; scripts point at
/// them.
class Places {
 public:
  void clear() { places_.clear(); }
  /// Records Dear ImGui's last drawn item.
  void note(const std::string& title);
  /// The middle of the first of this title, in window units.
  std::optional<SDL_Point> find(const std::string& title) const;
  const std::vector<Place>& all() const { return places_; }

 private:
  std::vector<Place> places_;
};

}  // namespace tessera
