#include "apps/viewer/played/reports.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/console.h"
#include "apps/viewer/played/played_input.h"
#include "apps/viewer/window/status_line.h"
#include "core/base/error.h"
#include "core/png.h"

namespace tessera {
namespace {

nlohmann::json simulation_json(const Status& status) {
  nlohmann::json json;
  json["generation"] = status.generation;
  json["population"] = status.population;
  if (const std::optional<Bounds>& box = status.bounds)
    json["bounds"] = {box->xmin, box->ymin, box->xmax, box->ymax};
  const auto peak = std::ranges::max_element(status.populations, {}, &PopulationSample::high);
  if (peak != status.populations.end()) json["peak"] = {peak->first, peak->last, peak->high};
  json["rule"] = to_string(status.rule);
  json["backend"] = status.backend.backend;
  json["kernel"] = status.backend.kernel;
  json["timeline"] = {status.first_generation, status.last_generation};
  if (status.period) json["period"] = *status.period;
  if (status.pattern) {
    const PatternInformation& pattern = *status.pattern;
    json["pattern"] = {{"name", pattern.name},
                       {"author", pattern.author},
                       {"comments", pattern.comments},
                       {"size", {pattern.width, pattern.height}},
                       {"population", pattern.population}};
  }
  json["running"] = status.running;
  json["undo"] = status.undo;
  json["redo"] = status.redo;
  json["modified"] = status.modified;
  json["recording"] = status.recording;
  if (status.selection) {
    const Rect& s = *status.selection;
    json["selection"] = {s.x, s.y, s.width, s.height};
  }
  return json;
}

nlohmann::json settings_json(const Settings& settings) {
  return {{"speed", settings.speed_level},
          {"step", settings.step.generations()},
          {"theme", name_of(settings.theme)},
          {"grid", settings.grid},
          {"history", settings.history},
          {"panel", settings.panel},
          {"graph", settings.graph},
          {"information", settings.information},
          {"paste_mode", name_of(settings.paste_mode)}};
}

nlohmann::json window_json(Viewer& viewer) {
  const Workspace& work = viewer.work();
  nlohmann::json json;
  json["tool"] = static_cast<int>(viewer.mouse().tool);
  json["dialog"] = static_cast<int>(viewer.dialog());
  json["dialog_error"] = viewer.dialog_error();
  json["menu"] = viewer.menu_open();
  if (const PatternCard* card = viewer.browser().chosen_card()) json["card"] = card->title;
  json["title"] = SDL_GetWindowTitle(work.window.get());
  json["message"] = work.toasts.last();
  json["performed"] = nlohmann::json::array();
  for (const Action* action : viewer.performed()) json["performed"].push_back(action->name);
  const auto picture = work.session().picture();
  json["pictures"] = picture && picture->shared ? "shared" : "host";
  const Camera& camera = work.camera;
  const Rect seen = camera.visible();
  json["scale"] = {camera.scale().cells, camera.scale().pixels};
  json["seen"] = {seen.x, seen.y, seen.width, seen.height};
  json["view"] = {camera.width(), camera.height()};
  json["hyperspeed"] = work.hyperspeed;
  json["auto_fit"] = work.auto_fit;
  json["status_line"] = status_parts(work, viewer.mouse());
  json["status_details"] = status_details(work, 0);
  json["list_open"] = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  json["tooltip"] = work.tooltip;
  json["full_screen"] = work.window.full_screen();
  return json;
}

Screenshot look(Viewer& viewer) {
  Screenshot out;
  viewer.when_drawn([&](const Screenshot& shot) { out = shot; });
  viewer.frame();
  return out;
}

}  // namespace

void print_state(Viewer& viewer) {
  Session& session = viewer.work().session();
  auto hash = std::make_shared<std::uint64_t>(0);
  session.post([hash](Engine& engine) { *hash = engine.universe().hash(); });
  wait_until(
      viewer, [&] { return session.status().commands == session.posted(); }, "the state");
  nlohmann::json json = simulation_json(session.status());
  json["hash"] = fmt::format("{:016x}", *hash);
  json.update(settings_json(viewer.work().settings));
  json.update(window_json(viewer));
  print(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void print_pixels(Viewer& viewer, int x, int y, int width, int height) {
  const Screenshot shot = look(viewer);
  const SDL_Point canvas = viewer.work().canvas;
  nlohmann::json rows = nlohmann::json::array();
  for (int row = y; row < y + height; row++) {
    nlohmann::json colours = nlohmann::json::array();
    for (int column = x; column < x + width; column++) {
      const int px = column + canvas.x, py = row + canvas.y;
      if (px < 0 || py < 0 || px >= shot.width || py >= shot.height)
        throw InputError("pixels outside the window");
      const std::uint8_t* at = shot.pixels.data() + 3 * (static_cast<std::size_t>(py) *
                                                             static_cast<std::size_t>(shot.width) +
                                                         static_cast<std::size_t>(px));
      colours.push_back(at[0] << 16 | at[1] << 8 | at[2]);
    }
    rows.push_back(colours);
  }
  print(rows.dump() + "\n");
}

void print_layout(const Viewer& viewer) {
  const auto corners = [](const ImVec2& low, const ImVec2& high) {
    return nlohmann::json{low.x, low.y, high.x, high.y};
  };
  nlohmann::json json;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  json["size"] = {size.x, size.y};
  for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
    if (!each->WasActive || each->Hidden) continue;
    const bool part = (each->Flags & ImGuiWindowFlags_ChildWindow) != 0;
    json["windows"].push_back({{"name", each->Name},
                               {"corners", corners(each->Pos, each->Rect().Max)},
                               {"part_of_another", part},
                               {"is_bar", (each->Flags & ImGuiWindowFlags_NoScrollbar) != 0},
                               {"hidden", {each->ScrollMax.x, each->ScrollMax.y}},
                               {"scrolls", {each->ScrollbarX, each->ScrollbarY}}});
  }
  for (const Place& each : viewer.work().places.all()) {
    json["places"].push_back({{"title", each.title},
                              {"corners", corners(each.low, each.high)},
                              {"seen", corners(each.seen_low, each.seen_high)},
                              {"above", each.above},
                              {"below", each.below}});
  }
  print(json.dump() + "\n");
}

void save_screenshot(Viewer& viewer, const std::string& path) {
  const Screenshot shot = look(viewer);
  write_png(path, shot.width, shot.height, shot.pixels);
}

}  // namespace tessera
