#include "apps/viewer/window/status_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <vector>

#include "apps/common/units.h"
#include "apps/viewer/window/fixed_window.h"

namespace tessera {
namespace {

std::string zoom_text(const Scale& scale) {
  if (scale.cells > 1)
    return fmt::format("{}x{} cells per pixel", grouped(scale.cells), grouped(scale.cells));
  return scale.pixels == 1 ? "1 pixel per cell" : fmt::format("{} pixels per cell", scale.pixels);
}

std::string recording_text(const Status& status) {
  if (status.recording.empty()) return "";
  return fmt::format("recording, {} frame{}", grouped(status.recorded_frames),
                     status.recorded_frames == 1 ? "" : "s");
}

// The most important first; those that do not apply are empty.
std::vector<std::string> parts_of(const Workspace& work, SDL_Point pointer, double frame_seconds) {
  const Status& status = work.status;
  const Cell cell = work.camera.cell_at(pointer.x, pointer.y);
  return {
      fmt::format("generation {}", grouped(status.generation)),
      fmt::format("population {}", grouped(status.population)),
      status.running ? fmt::format("{} gen/s", rate_text(status.generations_per_second)) : "paused",
      status.running ? fmt::format("{} cells/s", rate_text(status.cells_per_second)) : "",
      recording_text(status),
      to_string(status.rule),
      fmt::format("{} {}{}", status.backend.backend, status.backend.kernel,
                  status.space == "tiles" ? ", tiles" : ""),
      zoom_text(work.camera.scale()),
      fmt::format("({}, {})", grouped(cell.x), grouped(cell.y)),
      fmt::format("{:.1f} ms per frame", 1000 * frame_seconds),
      status.backend.device,
      work.picture && work.picture->shared ? "pictures on the device" : "pictures via the host",
  };
}

}  // namespace

void draw_status_line(const Workspace& work, SDL_Point pointer, double frame_seconds) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const auto top =
      static_cast<float>((work.canvas.y + work.camera.height()) / work.window.pixel_ratio());
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({size.x, size.y - top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10, 4});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("##status", nullptr,
               kFixedWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  // What does not fit into the window is left out completely.
  const float room = ImGui::GetContentRegionAvail().x;
  std::string line;
  for (const std::string& part : parts_of(work, pointer, frame_seconds)) {
    if (part.empty()) continue;
    const std::string longer = line.empty() ? part : line + "   \u00b7   " + part;
    if (ImGui::CalcTextSize(longer.c_str()).x <= room) line = longer;
  }
  ImGui::TextUnformatted(line.c_str());
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace tessera
