#include "apps/viewer/window/places.h"

#include <algorithm>

namespace tessera {

void Places::note(const std::string& title) {
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  places_.push_back({title, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), list.GetClipRectMin(),
                     list.GetClipRectMax(), ImGui::GetScrollY(),
                     ImGui::GetScrollMaxY() - ImGui::GetScrollY()});
}

std::optional<SDL_Point> Places::find(const std::string& title) const {
  const auto found = std::ranges::find(places_, title, &Place::title);
  if (found == places_.end()) return std::nullopt;
  return SDL_Point{static_cast<int>((found->low.x + found->high.x) / 2),
                   static_cast<int>((found->low.y + found->high.y) / 2)};
}

}  // namespace tessera
