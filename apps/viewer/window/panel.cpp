#include "apps/viewer/window/panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/units.h"
#include "apps/viewer/window/fixed_window.h"
#include "apps/viewer/window/flow.h"
#include "apps/viewer/window/menu_item.h"
#include "apps/viewer/window/pattern_information.h"
#include "apps/viewer/window/population_graph.h"
#include "apps/viewer/window/text_field.h"
#include "apps/viewer/window/tooltip.h"
#include "apps/viewer/window/viewer.h"
#include "core/rules/state_looks.h"

namespace tessera {
namespace {

void heading(Workspace& work, const char* text) {
  ImGui::Spacing();
  hint(text);
  work.places.note(text);
}

float full_width() { return ImGui::GetContentRegionAvail().x; }

void button(Viewer& viewer, const char* title, const char* name, float width) {
  const Action& action = action_named(name);
  ImGui::BeginDisabled(action.enabled && !action.enabled(viewer));
  if (ImGui::Button(title, {width, 0})) viewer.perform(action);
  ImGui::EndDisabled();
  viewer.work().places.note(fmt::format("panel {}", title));
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) draw_tooltip(viewer, action);
}

// One of several, beside the one before where it has room. True when it is chosen.
bool choice(Workspace& work, const std::string& title, bool chosen, bool first) {
  if (!first) beside(width_of_choice(title.c_str()));
  const bool pressed = ImGui::RadioButton(title.c_str(), chosen);
  work.places.note(fmt::format("panel {}", title));
  return pressed;
}

// In one row, or in two.
void run_section(Viewer& viewer) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float least = ImGui::CalcTextSize("Pause").x + 2 * style.FramePadding.x;
  const float quarter = (full_width() - 3 * style.ItemSpacing.x) / 4;
  const float half = std::floor((full_width() - style.ItemSpacing.x) / 2);
  const float width = quarter >= least ? quarter : half;
  button(viewer, viewer.work().status.running ? "Pause" : "Run", "run", width);
  ImGui::SameLine();
  button(viewer, "Step", "step", width);
  beside(width);
  button(viewer, "Back", "step-back", width);
  ImGui::SameLine();
  button(viewer, "Reset", "reset", width);
}

void speed_section(Workspace& work) {
  heading(work, "Speed");
  ImGui::SetNextItemWidth(full_width());
  int level = work.settings.speed_level;
  if (ImGui::SliderInt("##speed", &level, 0, Speed::kLevels - 1,
                       Speed(level).text(work.settings.step.generations()).c_str(),
                       ImGuiSliderFlags_NoInput)) {
    work.set_speed(Speed(level));
  }
  work.places.note("speed");
  heading(work, "Step size");
  const StepSize step = work.settings.step;
  for (const int base : StepSize::kBases) {
    if (choice(work, fmt::format("{}^", base), step.base == base, base == *StepSize::kBases))
      work.set_step(step.with_base(base));
  }
  beside(80 * work.window.ui_scale());
  ImGui::SetNextItemWidth(full_width());
  int exponent = step.exponent;
  const std::string text =
      fmt::format("{} = {}", exponent, grouped(work.settings.step.generations()));
  if (ImGui::SliderInt("##step", &exponent, 0, StepSize::most(step.base), text.c_str(),
                       ImGuiSliderFlags_NoInput)) {
    work.set_step(step.with_exponent(exponent));
  }
  work.places.note("step size");
}

void device_section(Workspace& work, const std::vector<DeviceMenu::Line>& devices) {
  heading(work, "Backend and kernel");
  const Status& status = work.status;
  const std::string& backend = status.backend.backend;
  const auto use = [&](const std::string& name, const std::string& kernel) {
    work.post([=](Engine& engine) { engine.use_backend(name, kernel); });
  };
  ImGui::SetNextItemWidth(-1);
  const bool backends =
      ImGui::BeginCombo("##backend", fmt::format("{}  {}", backend, status.backend.device).c_str());
  if (!backends) work.places.note("backends");  // else the list is the last item
  if (backends) {
    for (const DeviceMenu::Line& line : devices) {
      if (ImGui::Selectable(line.title.c_str(), line.name == status.backend_name))
        use(line.name, "auto");
    }
    ImGui::EndCombo();
  }
  ImGui::SetNextItemWidth(-1);
  const bool kernels = ImGui::BeginCombo("##kernel", status.backend.kernel.c_str());
  if (!kernels) work.places.note("kernels");  // else the list is the last item
  if (kernels) {
    for (const DeviceMenu::Line& line : devices) {
      if (line.name.substr(0, line.name.find(':')) != backend) continue;
      for (const std::string& kernel : line.kernels) {
        if (!ImGui::Selectable(kernel.c_str(), kernel == status.backend.kernel)) continue;
        // The device in use, under the name that it was asked for by, unless that was "auto".
        use(status.backend_name == "auto" ? line.name : status.backend_name, kernel);
      }
      break;
    }
    ImGui::EndCombo();
  }
}

// A slider through the live states, with the colour and the name of the one that is chosen.
void state_picker(Viewer& viewer, int& state) {
  const Rule& rule = viewer.work().status.rule.rule;
  const Palette colours = palette_of_states(viewer.work().settings.theme, rule);
  ImGui::ColorButton("##colour",
                     ImGui::ColorConvertU32ToFloat4(colours[static_cast<std::size_t>(state)]),
                     ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop);
  ImGui::SameLine();
  std::string shown = "%d";
  if (const std::string_view name = name_of_state(rule, state); !name.empty()) {
    shown += ": ";
    for (const char c : name) shown += c == '%' ? std::string("%%") : std::string(1, c);
  }
  ImGui::SetNextItemWidth(full_width());
  ImGui::SliderInt("##state", &state, 1, rule.states() - 1, shown.c_str(),
                   ImGuiSliderFlags_AlwaysClamp);
  viewer.work().places.note("draw state");
}

void edit_section(Viewer& viewer) {
  heading(viewer.work(), "Tool");
  Mouse& mouse = viewer.mouse();
  for (const auto& [title, tool] :
       {std::pair{"Draw", Tool::draw}, {"Select", Tool::select}, {"Pan", Tool::pan}}) {
    if (choice(viewer.work(), title, mouse.tool == tool, tool == Tool::draw)) mouse.tool = tool;
  }
  const int states = viewer.work().status.rule.rule.states();
  if (states > 2) {
    heading(viewer.work(), "Draw with state");
    mouse.draw_state = std::min(mouse.draw_state, states - 1);
    state_picker(viewer, mouse.draw_state);
  }
  heading(viewer.work(), "Paste mode");
  Settings& settings = viewer.work().settings;
  for (const PasteMode mode : {PasteMode::or_, PasteMode::xor_, PasteMode::replace}) {
    if (choice(viewer.work(), name_of(mode), settings.paste_mode == mode, mode == PasteMode::or_))
      settings.paste_mode = mode;
  }
  heading(viewer.work(), "Fill density");
  const float third = (full_width() - 2 * ImGui::GetStyle().ItemSpacing.x) / 3;
  auto density = static_cast<float>(settings.density);
  ImGui::SetNextItemWidth(2 * third);
  if (ImGui::SliderFloat("##density", &density, 0, 1, "%.2f"))
    settings.density = std::clamp(density, 0.0f, 1.0f);
  viewer.work().places.note("density");
  ImGui::SameLine();
  button(viewer, "Fill", "fill", third);
}

void view_section(Viewer& viewer) {
  heading(viewer.work(), "View");
  const Settings& settings = viewer.work().settings;
  bool grid = settings.grid, history = settings.history;
  if (ImGui::Checkbox("Grid", &grid)) viewer.perform(action_named("grid"));
  viewer.work().places.note("panel Grid");
  beside(width_of_choice("Age colours"));
  if (ImGui::Checkbox("Age colours", &history)) viewer.perform(action_named("history"));
  viewer.work().places.note("panel Age colours");
  if (ImGui::Button(fmt::format("Theme: {}###theme", name_of(settings.theme)).c_str(),
                    {full_width(), 0})) {
    viewer.perform(action_named("theme"));
  }
  viewer.work().places.note("panel Theme");
}

}  // namespace

void Panel::rule_section(Viewer& viewer) {
  Workspace& work = viewer.work();
  if (shown_rule_ != work.status.rule) {
    shown_rule_ = work.status.rule;
    rule_ = to_string(*shown_rule_);
  }
  heading(work, "Rule and universe");
  ImGui::SetNextItemWidth(full_width());
  if (text_field("##rule", &rule_, ImGuiInputTextFlags_EnterReturnsTrue, "B3/S23:T512,256")) {
    work.attempt([text = rule_](Engine& engine) { engine.set_rule(text); },
                 [this](const std::string& wrong) { error_ = wrong; });
  }
  work.places.note("rule field");
  error_text(error_);
}

// While it is dragged, the simulation follows as fast as it can.
void Panel::timeline_section(Workspace& work) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;  // of Dear ImGui's sliders
  heading(work, "Timeline");
  const Status& status = work.status;
  const std::int64_t first = std::min(kMost, status.first_generation);
  const std::int64_t last = std::min(kMost, status.last_generation);
  std::int64_t at = std::clamp(scrub_to_.value_or(status.generation), first, last);
  ImGui::SetNextItemWidth(full_width());
  ImGui::BeginDisabled(first == last);
  const bool moved = ImGui::SliderScalar("##timeline", ImGuiDataType_S64, &at, &first, &last,
                                         grouped(at).c_str(), ImGuiSliderFlags_NoInput);
  const bool held = ImGui::IsItemActive();
  ImGui::EndDisabled();
  work.places.note("timeline");
  if (moved && first < last) scrub_to_ = at;
  const bool answered = status.commands == work.session().posted() && !status.goal;
  if (!scrub_to_ || !answered) return;
  if (*scrub_to_ != status.generation || status.running)
    work.post([to = *scrub_to_](Engine& engine) { engine.go_to(to); });
  if (!held) scrub_to_.reset();
}

void Panel::draw(Viewer& viewer) {
  Workspace& work = viewer.work();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const double ratio = work.window.pixel_ratio();
  const auto left = static_cast<float>(work.camera.width() / ratio);
  ImGui::SetNextWindowPos({left, ImGui::GetFrameHeight()});
  ImGui::SetNextWindowSize({size.x - left, static_cast<float>(work.camera.height() / ratio)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##panel", nullptr, kFixedWindow);
  run_section(viewer);
  timeline_section(work);
  if (work.settings.graph) {
    heading(work, "Population (cells) by generation");
    const std::string told =
        draw_population_graph(work.status, full_width(), 130 * work.window.ui_scale());
    work.places.note("population graph");
    if (!told.empty()) show_tooltip(work, told);
  }
  if (work.settings.information && work.status.pattern) {
    heading(work, "Pattern");
    draw_pattern_information(work.status);
  }
  speed_section(work);
  rule_section(viewer);
  device_section(work, viewer.devices().lines());
  edit_section(viewer);
  view_section(viewer);
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace tessera
