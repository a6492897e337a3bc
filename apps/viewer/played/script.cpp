#include "apps/viewer/played/script.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/common/console.h"
#include "apps/viewer/played/played_input.h"
#include "apps/viewer/window/viewer_ask.h"
#include "core/base/error.h"
#include "core/png.h"

namespace tessera {
namespace {

int button_named(const std::string& name) {
  if (name == "left") return SDL_BUTTON_LEFT;
  if (name == "middle") return SDL_BUTTON_MIDDLE;
  if (name == "right") return SDL_BUTTON_RIGHT;
  throw InputError(fmt::format("'{}': left, middle or right is expected", name));
}

void print_state(Viewer& viewer) {
  auto hash = std::make_shared<std::pair<bool, std::uint64_t>>(false, 0);
  viewer.session().post(
      [hash](Engine& engine) { hash->second = engine.universe().hash(), hash->first = true; });
  wait_until(
      viewer, [&] { return viewer.session().status().commands == viewer.session().posted(); },
      "the state");
  const Status status = viewer.session().status();
  const Rect seen = viewer.camera().visible();
  nlohmann::json json;
  json["generation"] = status.generation;
  json["population"] = status.population;
  json["hash"] = fmt::format("{:016x}", hash->second);
  json["rule"] = to_string(status.rule);
  json["backend"] = status.backend.backend;
  json["kernel"] = status.backend.kernel;
  json["running"] = status.running;
  json["speed"] = viewer.settings().speed_level;
  json["step"] = viewer.settings().step;
  json["theme"] = name_of(viewer.settings().theme);
  json["grid"] = viewer.settings().grid;
  json["history"] = viewer.settings().history;
  json["panel"] = viewer.settings().panel;
  json["graph"] = viewer.settings().graph;
  json["paste_mode"] = name_of(viewer.settings().paste_mode);
  json["tool"] = static_cast<int>(viewer.tool());
  json["dialog"] = static_cast<int>(viewer.dialog());
  json["menu"] = viewer.menu_open();
  if (const PatternCard* card = viewer.browser().card()) json["card"] = card->title;
  json["title"] = SDL_GetWindowTitle(viewer.window().get());
  json["undo"] = status.undo;
  json["redo"] = status.redo;
  json["modified"] = status.modified;
  json["recording"] = status.recording;
  json["message"] = viewer.last_message();
  json["performed"] = nlohmann::json::array();
  for (const Action action : viewer.performed()) json["performed"].push_back(info_of(action).name);
  const auto picture = viewer.session().picture();
  json["pictures"] = picture && picture->shared ? "shared" : "host";
  json["scale"] = {viewer.camera().scale().cells, viewer.camera().scale().pixels};
  json["seen"] = {seen.x, seen.y, seen.width, seen.height};
  json["view"] = {viewer.camera().width(), viewer.camera().height()};
  json["full_screen"] = viewer.window().full_screen();
  if (status.selection) {
    const Rect& s = *status.selection;
    json["selection"] = {s.x, s.y, s.width, s.height};
  }
  print(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Screenshot look(Viewer& viewer) {
  Screenshot out;
  viewer.when_drawn([&](const Screenshot& shot) { out = shot; });
  viewer.frame();
  return out;
}

void print_pixels(Viewer& viewer, int x, int y, int width, int height) {
  const Screenshot shot = look(viewer);
  nlohmann::json rows = nlohmann::json::array();
  for (int row = y; row < y + height; row++) {
    nlohmann::json colours = nlohmann::json::array();
    for (int column = x; column < x + width; column++) {
      const int px = column + viewer.canvas().x, py = row + viewer.canvas().y;
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

using Words = std::vector<std::string>;
using Act = std::function<void(Viewer&)>;
using Maker = std::function<Act(const Words&, const std::string& rest)>;

int number(const std::string& word) {
  return static_cast<int>(parse_count("script", word, -100000, 100000));
}

// With each backslash and n as a line's end.
std::string with_line_ends(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    const bool end = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
    out += end ? '\n' : text[i];
    i += end ? 1 : 0;
  }
  return out;
}

// Steps by name, and how many words follow (-1: the rest of the line).
const std::map<std::string, std::pair<int, Maker>>& makers() {
  static const std::map<std::string, std::pair<int, Maker>> kMakers = {
      {"key",
       {1,
        [](const Words& w, const std::string&) -> Act {
          const auto chord = parse_chord(w[0]);
          if (!chord) throw InputError(fmt::format("'{}' is not a key", w[0]));
          return [chord = *chord](Viewer& v) { press_key(v, chord); };
        }}},
      {"text",
       {-1,
        [](const Words&, const std::string& rest) -> Act {
          return [rest](Viewer& v) {
            for (const char c : rest) {
              push_text(c);
              v.frame();
            }
          };
        }}},
      {"move",
       {2,
        [](const Words& w, const std::string&) -> Act {
          return [x = number(w[0]), y = number(w[1])](Viewer& v) {
            const double ratio = v.window().pixel_ratio();
            move_mouse(v, static_cast<int>((x + v.canvas().x) / ratio),
                       static_cast<int>((y + v.canvas().y) / ratio));
          };
        }}},
      {"press",
       {1,
        [](const Words& w, const std::string&) -> Act {
          return [b = button_named(w[0])](Viewer&) { push_button(SDL_MOUSEBUTTONDOWN, b); };
        }}},
      {"release",
       {1,
        [](const Words& w, const std::string&) -> Act {
          return [b = button_named(w[0])](Viewer&) { push_button(SDL_MOUSEBUTTONUP, b); };
        }}},
      {"wheel",
       {1,
        [](const Words& w, const std::string&) -> Act {
          return [n = number(w[0])](Viewer&) { push_wheel(n); };
        }}},
      {"drop",
       {-1,
        [](const Words&, const std::string& rest) -> Act {
          return [rest](Viewer&) { push_drop(rest); };
        }}},
      {"point",
       {-1,
        [](const Words&, const std::string& rest) -> Act {
          return [rest](Viewer& v) {
            wait_until(
                v, [&] { return v.place_of(rest).has_value(); }, rest.c_str());
            const SDL_Point place = *v.place_of(rest);
            move_mouse(v, place.x, place.y);
          };
        }}},
      {"resize",
       {2,
        [](const Words& w, const std::string&) -> Act {
          return [x = number(w[0]), y = number(w[1])](Viewer& v) {
            SDL_SetWindowSize(v.window().get(), x, y);
          };
        }}},
      {"clipboard",
       {-1,
        [](const Words&, const std::string& rest) -> Act {
          return [text = with_line_ends(rest)](Viewer&) { SDL_SetClipboardText(text.c_str()); };
        }}},
      {"wait",
       {0,
        [](const Words&, const std::string&) -> Act {
          return [](Viewer& v) {
            v.frame();
            v.frame();
            wait_until(
                v, [&] { return v.settled(); }, "rest");
          };
        }}},
      {"until",
       {1,
        [](const Words& w, const std::string&) -> Act {
          return [n = number(w[0])](Viewer& v) {
            wait_until(
                v, [&] { return v.session().status().generation >= n; }, "the generation");
          };
        }}},
      {"state", {0, [](const Words&, const std::string&) -> Act { return print_state; }}},
      {"pixels",
       {4,
        [](const Words& w, const std::string&) -> Act {
          return [a = number(w[0]), b = number(w[1]), c = number(w[2]),
                  d = number(w[3])](Viewer& v) { print_pixels(v, a, b, c, d); };
        }}},
      {"screenshot",
       {-1,
        [](const Words&, const std::string& rest) -> Act {
          return [rest](Viewer& v) {
            const Screenshot shot = look(v);
            write_png(rest, shot.width, shot.height, shot.pixels);
          };
        }}},
      {"monkey",
       {2,
        [](const Words& w, const std::string&) -> Act {
          return [n = number(w[0]), seed = number(w[1])](Viewer& v) {
            v.show_frames(true);
            play_random_input(v, n, static_cast<std::uint64_t>(seed));
            v.show_frames(false);
          };
        }}},
  };
  return kMakers;
}

}  // namespace

Script::Script(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError("--script " + path + ": the file cannot be opened");
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    const std::string place = fmt::format("{}:{}", path, number);
    std::istringstream words(line);
    std::string name;
    if (!(words >> name) || name.starts_with('#')) continue;
    const auto maker = makers().find(name);
    if (maker == makers().end())
      throw ParseError(place + ":1", fmt::format("'{}' is not a step of a script", name));
    std::string rest;
    std::getline(words >> std::ws, rest);
    Words all;
    std::istringstream more(rest);
    for (std::string word; more >> word;) all.push_back(word);
    const int count = maker->second.first;
    if (count >= 0 && static_cast<int>(all.size()) != count) {
      throw ParseError(place + ":1", fmt::format("'{}' takes {} words", name, count));
    }
    try {
      steps_.push_back({place, maker->second.second(all, rest)});
    } catch (const InputError& error) {
      throw ParseError(place + ":1", error.what());
    }
  }
}

Script::Script(std::int64_t events, std::uint64_t seed) {
  steps_.push_back({"--monkey", [=](Viewer& viewer) {
                      viewer.show_frames(true);
                      play_random_input(viewer, events, seed);
                    }});
}

void Script::play(Viewer& viewer) const {
  viewer.show_frames(false);
  for (int i = 0; i < 3; i++) viewer.frame();
  for (const Step& step : steps_) {
    if (viewer.ended()) return;
    try {
      step.act(viewer);
    } catch (const Error& error) {
      throw DeviceError(step.place + ": " + error.what());
    }
    viewer.frame();
  }
}

}  // namespace tessera
