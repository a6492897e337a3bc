#include "apps/viewer/window/pattern_information.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>
#include <string>

#include "apps/common/units.h"

namespace tessera {
namespace {

constexpr std::size_t kFewComments = 4;  // lines

std::string period_text(const Status& status) {
  if (!status.period) return "";
  if (status.population == 0) return "Nothing is left";
  if (*status.period == 1) return "At rest";
  return fmt::format("Period {}", grouped(*status.period));
}

void line(const std::string& text) {
  if (!text.empty()) ImGui::TextWrapped("%s", text.c_str());
}

}  // namespace

void draw_pattern_information(const Status& status) {
  const PatternInformation& pattern = *status.pattern;
  line(pattern.name.empty() ? std::filesystem::path(status.source).filename().string()
                            : pattern.name);
  if (!pattern.author.empty()) line("By " + pattern.author);
  line(fmt::format("{} x {}, {} live cell{}", grouped(pattern.width), grouped(pattern.height),
                   grouped(pattern.population), pattern.population == 1 ? "" : "s"));
  line("Rule " + to_string(status.rule));
  line(period_text(status));
  // Many lines would push the rest of the panel away.
  const bool many = pattern.comments.size() > kFewComments;
  if (many && !ImGui::TreeNodeEx("Comments", ImGuiTreeNodeFlags_NoTreePushOnOpen)) return;
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  for (const std::string& comment : pattern.comments) line(comment);
  ImGui::PopStyleColor();
}

}  // namespace tessera
