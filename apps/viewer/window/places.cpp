#include "apps/viewer/window/places.h"

#include <imgui.h>

namespace tessera {

void Places::note(const std::string& title) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  places_.push_back(
      {title, {static_cast<int>((low.x + high.x) / 2), static_cast<int>((low.y + high.y) / 2)}});
}

std::optional<SDL_Point> Places::find(const std::string& title) const {
  for (const auto& [name, place] : places_) {
    if (name == title) return place;
  }
  return std::nullopt;
}

}  // namespace tessera
