#include "apps/viewer/window/toasts.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace tessera {
namespace {

using namespace std::chrono_literals;

constexpr auto kToastTime = 6s;
constexpr auto kErrorTime = 12s;
constexpr std::size_t kMostToasts = 5;

}  // namespace

void Toasts::add(const std::string& text, bool error) {
  last_ = text;
  // Told again, it stays longer.
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.message.text == text; });
  toasts_.push_back({{text, error}, Clock::now() + (error ? kErrorTime : kToastTime)});
  if (toasts_.size() > kMostToasts) toasts_.erase(toasts_.begin());
}

void Toasts::expire() {
  std::erase_if(toasts_, [now = Clock::now()](const Toast& toast) { return toast.until < now; });
}

void Toasts::draw(float width) const {
  const ImGuiStyle& style = ImGui::GetStyle();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  float bottom = size.y - ImGui::GetFrameHeight() - 16;
  for (std::size_t i = toasts_.size(); i-- > 0;) {
    const Toast& toast = toasts_[i];
    ImGui::SetNextWindowPos({12, bottom}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {std::max(200.0f, width - 24), size.y});
    if (toast.message.error) {
      ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.55f, 0.12f, 0.12f, 0.96f));
      ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1, 1, 1, 1));
    }
    ImGui::Begin(fmt::format("##toast{}", i).c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav);
    ImGui::PushTextWrapPos(std::max(180.0f, width - 60));
    ImGui::TextUnformatted(toast.message.text.c_str());
    ImGui::PopTextWrapPos();
    bottom -= ImGui::GetWindowHeight() + style.ItemSpacing.y;
    ImGui::End();
    if (toast.message.error) ImGui::PopStyleColor(2);
  }
}

}  // namespace tessera
