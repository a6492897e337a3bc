#include "apps/viewer/window/settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/viewer/window/own_folder.h"
#include "core/base/error.h"
#include "core/files/atomic_file.h"

namespace tessera {
namespace {

constexpr std::size_t kMostRecent = 8;

template <class Value>
void read(const nlohmann::json& json, const char* name, Value& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    value = found->get<Value>();
  } catch (const nlohmann::json::exception&) {
    return;  // of another type: default
  }
}

}  // namespace

void Settings::remember(const std::string& path) {
  if (const std::string in = folder_of(path); is_own_folder(in)) folder = in;
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

std::string settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config && *config) return std::string(config) + "/tessera/viewer.json";
  const char* home = std::getenv("HOME");
  return home && *home ? std::string(home) + "/.config/tessera/viewer.json" : "";
}

Settings load_settings(const std::string& path, std::string* warning) {
  Settings out;
  std::ifstream file(path);
  if (!file) return out;
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) {
    *warning = path + ": this is not a settings file; the default settings are used";
    return out;
  }
  int theme = 0, mode = 0;
  read(json, "theme", theme);
  read(json, "paste_mode", mode);
  out.theme = static_cast<Theme>(std::clamp(theme, 0, kThemes - 1));
  out.paste_mode = static_cast<PasteMode>(std::clamp(mode, 0, 2));
  read(json, "grid", out.grid);
  read(json, "history", out.history);
  read(json, "panel", out.panel);
  read(json, "graph", out.graph);
  read(json, "information", out.information);
  read(json, "width", out.width);
  read(json, "height", out.height);
  read(json, "speed", out.speed_level);
  StepSize step;
  read(json, "step_base", step.base);
  read(json, "step_exponent", step.exponent);
  if (std::ranges::count(StepSize::kBases, step.base) == 1)
    out.step = step.with_exponent(step.exponent);
  read(json, "density", out.density);
  read(json, "gallery", out.gallery);
  read(json, "pattern_folder", out.pattern_folder);
  read(json, "folder", out.folder);
  read(json, "recent", out.recent);
  out.width = std::clamp(out.width, 320, 16384);
  out.height = std::clamp(out.height, 240, 16384);
  out.speed_level = std::clamp(out.speed_level, 0, Speed::kLevels - 1);
  if (!(out.density >= 0 && out.density <= 1)) out.density = 0.5;
  std::erase(out.recent, "");
  if (out.recent.size() > kMostRecent) out.recent.resize(kMostRecent);
  return out;
}

void save_settings(const std::string& path, const Settings& settings) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  nlohmann::json json;
  json["theme"] = static_cast<int>(settings.theme);
  json["paste_mode"] = static_cast<int>(settings.paste_mode);
  json["grid"] = settings.grid;
  json["history"] = settings.history;
  json["panel"] = settings.panel;
  json["graph"] = settings.graph;
  json["information"] = settings.information;
  json["width"] = settings.width;
  json["height"] = settings.height;
  json["speed"] = settings.speed_level;
  json["step_base"] = settings.step.base;
  json["step_exponent"] = settings.step.exponent;
  json["density"] = settings.density;
  json["gallery"] = settings.gallery;
  json["pattern_folder"] = settings.pattern_folder;
  json["folder"] = settings.folder;
  json["recent"] = settings.recent;
  AtomicFile file(path);
  // File names need not be UTF-8.
  file.write(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  file.commit(OldFile::replace, Durability::unsynced);
}

}  // namespace tessera
