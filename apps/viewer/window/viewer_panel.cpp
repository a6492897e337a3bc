// Menu bar, panel and status line.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/units.h"
#include "apps/viewer/window/text_field.h"
#include "apps/viewer/window/viewer.h"
#include "core/base/error.h"

namespace tessera {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;

std::string zoom_text(const Scale& scale) {
  if (scale.cells > 1)
    return fmt::format("{}x{} cells a pixel", grouped(scale.cells), grouped(scale.cells));
  return scale.pixels == 1 ? "1 pixel a cell" : fmt::format("{} pixels a cell", scale.pixels);
}

// As many values as there are pixels, by generation: samples lie as far apart as their generations.
std::vector<float> spread(const std::vector<PopulationSample>& samples, int pixels) {
  std::vector<float> values;
  if (samples.size() < 2) return values;
  const auto at = [&](std::size_t i) { return static_cast<double>(samples[i].generation); };
  const double step = (at(samples.size() - 1) - at(0)) / std::max(1, pixels - 1);
  std::size_t next = 1;
  for (int x = 0; x < pixels; x++) {
    const double generation = at(0) + x * step;
    while (next + 1 < samples.size() && at(next) < generation) next++;
    const double share =
        std::clamp((generation - at(next - 1)) / (at(next) - at(next - 1)), 0.0, 1.0);
    values.push_back(
        static_cast<float>(std::lerp(static_cast<double>(samples[next - 1].population),
                                     static_cast<double>(samples[next].population), share)));
  }
  return values;
}

}  // namespace

void Viewer::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  menu_open_ = false;
  for (const char* menu : {"File", "Edit", "Run", "View", "Help"}) {
    const bool open = ImGui::BeginMenu(menu);
    note_place(menu);
    if (!open) continue;
    menu_open_ = true;
    if (std::exchange(menu_closes_, false)) ImGui::CloseCurrentPopup();
    for (const ActionInfo& info : actions()) {
      if (std::string_view(info.menu) != menu) continue;
      std::string title = info.title;
      bool enabled = true;
      if (info.action == Action::undo) enabled = !status_.undo.empty(), title += " " + status_.undo;
      if (info.action == Action::redo) enabled = !status_.redo.empty(), title += " " + status_.redo;
      if (info.action == Action::record && !status_.recording.empty()) title = "Stop recording";
      const bool checked = (info.action == Action::grid && settings_.grid) ||
                           (info.action == Action::history && settings_.history) ||
                           (info.action == Action::panel && settings_.panel) ||
                           (info.action == Action::graph && settings_.graph) ||
                           (info.action == Action::full_screen && window_.full_screen()) ||
                           (info.action == Action::run && status_.running) ||
                           (info.action == Action::tool_draw && tool_ == Tool::draw) ||
                           (info.action == Action::tool_select && tool_ == Tool::select) ||
                           (info.action == Action::tool_pan && tool_ == Tool::pan);
      if (ImGui::MenuItem(title.c_str(), shown_key(info).c_str(), checked, enabled))
        perform(info.action);
      note_place(info.title);
      if (ImGui::IsItemHovered()) {
        // Beside the menu, so that no item is covered.
        ImGui::SetNextWindowPos({ImGui::GetWindowPos().x + ImGui::GetWindowWidth() + 4,
                                 ImGui::GetItemRectMin().y - ImGui::GetStyle().WindowPadding.y});
        ImGui::SetTooltip("%s", info.help);
      }
    }
    if (std::string_view(menu) == "File" && !settings_.recent.empty()) {
      ImGui::Separator();
      std::string chosen;
      for (const std::string& path : settings_.recent) {
        if (ImGui::MenuItem(path.c_str())) chosen = path;
      }
      if (!chosen.empty()) open_file(chosen);
    }
    ImGui::EndMenu();
  }
  menu_closes_ = false;
  ImGui::EndMainMenuBar();
}

void Viewer::draw_panel() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float menu = ImGui::GetFrameHeight();
  const float left = static_cast<float>(camera_.width() / window_.pixel_ratio());
  ImGui::SetNextWindowPos({left, menu});
  ImGui::SetNextWindowSize(
      {size.x - left, static_cast<float>(camera_.height() / window_.pixel_ratio())});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##panel", nullptr,
               (kFixed & ~ImGuiWindowFlags_NoDecoration) | ImGuiWindowFlags_NoTitleBar |
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse);
  const float full = ImGui::GetContentRegionAvail().x;
  const float third = (full - 2 * ImGui::GetStyle().ItemSpacing.x) / 3;
  const auto button = [&](const char* title, Action action, float width) {
    if (ImGui::Button(title, {width, 0})) perform(action);
    note_place(fmt::format("panel {}", title));
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("%s (%s)", info_of(action).help, shown_key(info_of(action)).c_str());
    }
  };
  const auto heading = [](const char* text) {
    ImGui::Spacing();
    ImGui::TextDisabled("%s", text);
  };
  button(status_.running ? "Pause" : "Run", Action::run, third);
  ImGui::SameLine();
  button("Step", Action::step, third);
  ImGui::SameLine();
  button("Reset", Action::reset, third);

  heading("Speed");
  ImGui::SetNextItemWidth(full);
  int level = settings_.speed_level;
  if (ImGui::SliderInt("##speed", &level, 0, Speed::kLevels - 1, Speed(level).text().c_str(),
                       ImGuiSliderFlags_NoInput)) {
    settings_.speed_level = level;
    post([level](Engine& engine) { engine.set_speed(Speed(level)); });
  }
  heading("Generations a step");
  ImGui::SetNextItemWidth(full);
  ImGui::InputScalar("##step", ImGuiDataType_S64, &settings_.step);
  settings_.step = std::clamp<std::int64_t>(settings_.step, 1, 1'000'000'000'000);

  heading("Rule and universe");
  ImGui::SetNextItemWidth(full);
  if (text_field("##rule", &rule_field_, ImGuiInputTextFlags_EnterReturnsTrue, "B3/S23:T512,256")) {
    try {
      parse_rule_spec(rule_field_);
      rule_error_.clear();
      post([text = rule_field_](Engine& engine) { engine.set_rule(text); });
    } catch (const Error& error) {
      rule_error_ = error.what();
    }
  }
  note_place("rule field");
  if (!rule_error_.empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored({0.95f, 0.4f, 0.35f, 1}, "%s", rule_error_.c_str());
    ImGui::PopTextWrapPos();
  }
  draw_devices();

  heading("Tool");
  for (const auto& [title, tool] :
       {std::pair{"Draw", Tool::draw}, {"Select", Tool::select}, {"Pan", Tool::pan}}) {
    if (ImGui::RadioButton(title, tool_ == tool)) tool_ = tool;
    ImGui::SameLine();
  }
  ImGui::NewLine();
  heading("Paste and move");
  for (const PasteMode mode : {PasteMode::or_, PasteMode::xor_, PasteMode::replace}) {
    if (ImGui::RadioButton(name_of(mode), settings_.paste_mode == mode))
      settings_.paste_mode = mode;
    ImGui::SameLine();
  }
  ImGui::NewLine();
  heading("Density of fills");
  auto density = static_cast<float>(settings_.density);
  ImGui::SetNextItemWidth(2 * third);
  if (ImGui::SliderFloat("##density", &density, 0, 1, "%.2f"))
    settings_.density = std::clamp(density, 0.0f, 1.0f);
  ImGui::SameLine();
  button("Fill", Action::fill, third);

  heading("View");
  bool grid = settings_.grid, history = settings_.history;
  if (ImGui::Checkbox("Grid", &grid)) perform(Action::grid);
  ImGui::SameLine();
  if (ImGui::Checkbox("Colours of age", &history)) perform(Action::history);
  if (ImGui::Button(fmt::format("Theme: {}###theme", name_of(settings_.theme)).c_str(),
                    {full, 0})) {
    perform(Action::theme);
  }

  if (settings_.graph) {
    heading("Population");
    const std::vector<float> values = spread(status_.populations, static_cast<int>(full));
    ImGui::PlotLines("##population", values.data(), static_cast<int>(values.size()), 0, nullptr, 0,
                     std::numeric_limits<float>::max(), {full, 90 * window_.ui_scale()});
    if (!status_.populations.empty()) {
      ImGui::TextDisabled("%s in generations %s to %s", grouped(status_.population).c_str(),
                          grouped(status_.populations.front().generation).c_str(),
                          grouped(status_.populations.back().generation).c_str());
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

void Viewer::draw_devices() {
  ImGui::Spacing();
  ImGui::TextDisabled("Backend and kernel");
  const std::string& backend = status_.backend.backend;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::BeginCombo("##backend",
                        fmt::format("{}  {}", backend, status_.backend.device).c_str())) {
    for (const DeviceLine& line : devices_) {
      if (ImGui::Selectable(line.title.c_str(), line.name == status_.backend_name)) {
        post([name = line.name](Engine& engine) { engine.use_backend(name, "auto"); });
      }
    }
    ImGui::EndCombo();
  }
  ImGui::SetNextItemWidth(-1);
  if (ImGui::BeginCombo("##kernel", status_.backend.kernel.c_str())) {
    for (const DeviceLine& line : devices_) {
      if (line.name.substr(0, line.name.find(':')) != backend) continue;
      for (const std::string& kernel : line.kernels) {
        if (ImGui::Selectable(kernel.c_str(), kernel == status_.backend.kernel)) {
          // The device that is in use, under the name that it was asked by unless that was "auto".
          const std::string name =
              status_.backend_name == "auto" ? line.name : status_.backend_name;
          post([name, kernel](Engine& engine) { engine.use_backend(name, kernel); });
        }
      }
      break;
    }
    ImGui::EndCombo();
  }
}

void Viewer::draw_status() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float top = static_cast<float>((canvas_.y + camera_.height()) / window_.pixel_ratio());
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({size.x, size.y - top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10, 4});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("##status", nullptr, kFixed | ImGuiWindowFlags_NoScrollWithMouse);
  const Cell cell = camera_.cell_at(pointer_.x, pointer_.y);
  std::vector<std::string> parts = {
      fmt::format("generation {}", grouped(status_.generation)),
      fmt::format("population {}", grouped(status_.population)),
      status_.running ? fmt::format("{} gen/s", rate_text(status_.generations_per_second))
                      : "paused",
      status_.running ? fmt::format("{} cells/s", rate_text(status_.cells_per_second)) : "",
      status_.recording.empty() ? "" : fmt::format("recording, {} frames", status_.recorded_frames),
      to_string(status_.rule),
      fmt::format("{} {}", status_.backend.backend, status_.backend.kernel),
      zoom_text(camera_.scale()),
      fmt::format("({}, {})", grouped(cell.x), grouped(cell.y)),
      fmt::format("{:.1f} ms a frame", 1000 * frame_seconds_),
      status_.backend.device,
      picture_ && picture_->shared ? "pictures stay there" : "pictures by way of the host",
  };
  // What does not fit into the window is left out whole.
  const float room = ImGui::GetContentRegionAvail().x;
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    const std::string longer = line.empty() ? part : line + "   \u00b7   " + part;
    if (ImGui::CalcTextSize(longer.c_str()).x <= room) line = longer;
  }
  ImGui::TextUnformatted(line.c_str());
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace tessera
