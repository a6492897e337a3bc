#include "apps/viewer/window/status_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/common/units.h"
#include "apps/viewer/window/fixed_window.h"
#include "apps/viewer/window/tooltip.h"

namespace tessera {
namespace {

std::string scale_text(const Scale& scale) {
  if (scale.cells > 1) return fmt::format("1:{}", grouped(scale.cells));
  return fmt::format("{}:1", scale.pixels);
}

std::string recording_text(const Status& status) {
  if (status.recording.empty()) return "";
  return fmt::format("recording, {} frame{}", grouped(status.recorded_frames),
                     status.recorded_frames == 1 ? "" : "s");
}

std::string step_text(std::int64_t step) {
  return step == 1 ? "" : fmt::format("step {}", grouped(step));
}

std::string selection_text(const std::optional<Rect>& selection) {
  if (!selection) return "";
  return fmt::format("selection {} x {}", grouped(selection->width), grouped(selection->height));
}

}  // namespace

std::string speed_text(const Status& status) {
  if (!status.running) return "paused";
  const double speed = status.generations_per_second;
  if (speed == 0) return "running";  // not known yet
  if (speed < 10) return fmt::format("{:.1f} gen/s", speed);
  return fmt::format("{} gen/s", grouped(std::llround(std::min(speed, 1e18))));
}

std::string hyperspeed_text(bool on, const Speed& speed) {
  if (!on) return "";
  return speed.unlimited() ? "hyperspeed: no effect at full speed" : "hyperspeed";
}

std::vector<std::string> status_parts(const Workspace& work, const Mouse& mouse) {
  const Status& status = work.status;
  const SDL_Point at = mouse.pointer();
  const Cell cell = work.camera.cell_at(at.x, at.y);
  std::vector<std::string> parts = {
      fmt::format("Generation {}", grouped(status.generation)),
      fmt::format("population {}", grouped(status.population)),
      speed_text(status),
      step_text(status.step),
      hyperspeed_text(work.hyperspeed, Speed(work.settings.speed_level)),
      recording_text(status),
      to_string(status.rule),
      "scale " + scale_text(work.camera.scale()),
      fmt::format("cell ({}, {})", grouped(cell.x), grouped(cell.y)),
      selection_text(mouse.selection()),
  };
  std::erase(parts, "");  // what does not apply
  return parts;
}

std::vector<std::string> status_details(const Workspace& work, double frame_seconds) {
  const Status& status = work.status;
  std::vector<std::string> lines = {
      fmt::format("Backend: {}, {}", status.backend.backend, status.backend.device),
      fmt::format("Kernel: {}", status.backend.kernel),
      fmt::format("Cells held as: {}", status.space),
      fmt::format("Pictures: {}", work.picture && work.picture->shared
                                      ? "stay on the device"
                                      : "pass through the host's memory"),
      fmt::format("Frame time: {:.1f} ms", 1000 * frame_seconds),
  };
  if (status.running)
    lines.push_back(fmt::format("Cell updates: {} per second", rate_text(status.cells_per_second)));
  return lines;
}

void draw_status_line(Workspace& work, const Mouse& mouse, double frame_seconds) {
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
  std::vector<std::string> hidden;
  const float room = ImGui::GetContentRegionAvail().x;
  std::string line;
  for (const std::string& part : status_parts(work, mouse)) {
    const std::string longer = line.empty() ? part : line + "   \u00b7   " + part;
    const bool fits = ImGui::CalcTextSize(longer.c_str()).x <= room;
    fits ? void(line = longer) : hidden.push_back(part);
  }
  ImGui::TextUnformatted(line.c_str());
  work.places.note("status line");
  if (ImGui::IsWindowHovered()) {
    std::ranges::move(status_details(work, frame_seconds), std::back_inserter(hidden));
    show_tooltip(work, fmt::format("{}", fmt::join(hidden, "\n")));
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace tessera
