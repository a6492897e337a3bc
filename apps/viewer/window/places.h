#pragma once

#include <SDL.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Where menus, menu items and buttons were drawn in this frame, by title; scripts point at them.
class Places {
 public:
  void clear() { places_.clear(); }
  /// Records the middle of Dear ImGui's last drawn item.
  void note(const std::string& title);
  /// In window units.
  std::optional<SDL_Point> find(const std::string& title) const;

 private:
  std::vector<std::pair<std::string, SDL_Point>> places_;
};

}  // namespace tessera
