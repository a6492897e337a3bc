#include "apps/viewer/played/script_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "apps/viewer/played/played_input.h"
#include "apps/viewer/played/reports.h"
#include "core/base/error.h"

namespace tessera {
namespace {

using Words = std::vector<std::string>;

int number(const std::string& word) {
  return static_cast<int>(parse_count("script", word, -100000, 100000));
}

int button_named(const std::string& name) {
  if (name == "left") return SDL_BUTTON_LEFT;
  if (name == "middle") return SDL_BUTTON_MIDDLE;
  if (name == "right") return SDL_BUTTON_RIGHT;
  throw InputError(fmt::format("'{}': left, middle or right is expected", name));
}

// Replaces each "\n" by a line end.
std::string with_line_ends(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    const bool end = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
    out += end ? '\n' : text[i];
    i += end ? 1 : 0;
  }
  return out;
}

Chord chord_named(const std::string& name) {
  const auto chord = parse_chord(name);
  if (!chord) throw InputError(fmt::format("'{}' is not a key", name));
  return *chord;
}

ScriptStep key(const Words& words, const std::string&) {
  return [chord = chord_named(words[0])](Viewer& viewer) { press_key(viewer, chord); };
}

template <SDL_EventType type>
ScriptStep half_key(const Words& words, const std::string&) {
  return [chord = chord_named(words[0])](Viewer&) { push_key(type, chord); };
}

ScriptStep text(const Words&, const std::string& rest) {
  return [rest](Viewer& viewer) {
    for (const char c : rest) {
      push_text(c);
      viewer.frame();
    }
  };
}

ScriptStep move(const Words& words, const std::string&) {
  return [x = number(words[0]), y = number(words[1])](Viewer& viewer) {
    const double ratio = viewer.work().window.pixel_ratio();
    const SDL_Point canvas = viewer.work().canvas;
    move_mouse(viewer, static_cast<int>((x + canvas.x) / ratio),
               static_cast<int>((y + canvas.y) / ratio));
  };
}

template <SDL_EventType type>
ScriptStep button(const Words& words, const std::string&) {
  return [b = button_named(words[0])](Viewer&) { push_button(type, b); };
}

ScriptStep wheel(const Words& words, const std::string&) {
  return [n = number(words[0])](Viewer&) { push_wheel(n); };
}

ScriptStep drop(const Words&, const std::string& rest) {
  return [rest](Viewer&) { push_drop(rest); };
}

ScriptStep point(const Words&, const std::string& rest) {
  return [rest](Viewer& viewer) {
    const Places& places = viewer.work().places;
    wait_until(
        viewer, [&] { return places.find(rest).has_value(); }, rest.c_str());
    const SDL_Point place = *places.find(rest);
    move_mouse(viewer, place.x, place.y);
  };
}

ScriptStep resize(const Words& words, const std::string&) {
  return [x = number(words[0]), y = number(words[1])](Viewer& viewer) {
    SDL_SetWindowSize(viewer.work().window.get(), x, y);
  };
}

ScriptStep clipboard(const Words&, const std::string& rest) {
  return [text = with_line_ends(rest)](Viewer&) { SDL_SetClipboardText(text.c_str()); };
}

ScriptStep wait(const Words&, const std::string&) {
  return [](Viewer& viewer) {
    viewer.frame();
    viewer.frame();
    wait_until(
        viewer, [&] { return viewer.settled(); }, "rest");
  };
}

// The pattern browser, of which there is one open.
ScriptStep browsed(const Words&, const std::string&) {
  return [](Viewer& viewer) {
    viewer.frame();
    wait_until(
        viewer, [&] { return !viewer.browser().busy(); }, "the pattern browser's rest");
    viewer.frame();
  };
}

ScriptStep until(const Words& words, const std::string&) {
  return [n = number(words[0])](Viewer& viewer) {
    wait_until(
        viewer, [&] { return viewer.work().session().status().generation >= n; }, "the generation");
  };
}

// Frames that last, so that what comes and goes meanwhile falls into one.
ScriptStep until_file(const Words&, const std::string& rest) {
  return [rest](Viewer& viewer) {
    wait_until(
        viewer,
        [&] {
          SDL_Delay(30);
          std::error_code unknown;
          return std::filesystem::exists(rest, unknown);
        },
        rest.c_str());
  };
}

ScriptStep state(const Words&, const std::string&) { return print_state; }

ScriptStep layout(const Words&, const std::string&) { return print_layout; }

ScriptStep pixels(const Words& words, const std::string&) {
  return [x = number(words[0]), y = number(words[1]), width = number(words[2]),
          height = number(words[3])](Viewer& viewer) { print_pixels(viewer, x, y, width, height); };
}

ScriptStep screenshot(const Words&, const std::string& rest) {
  return [rest](Viewer& viewer) { save_screenshot(viewer, rest); };
}

ScriptStep monkey(const Words& words, const std::string&) {
  return [n = number(words[0]), seed = number(words[1])](Viewer& viewer) {
    viewer.show_frames(true);
    play_random_input(viewer, n, static_cast<std::uint64_t>(seed));
    viewer.show_frames(false);
  };
}

constexpr int kRest = -1;  // of the line, whatever it is
struct StepKind {
  const char* name;
  int words;  // that follow, or kRest
  ScriptStep (*make)(const Words& words, const std::string& rest);
};
constexpr StepKind kSteps[] = {
    {"key", 1, key},
    {"hold", 1, half_key<SDL_KEYDOWN>},
    {"let-go", 1, half_key<SDL_KEYUP>},
    {"text", kRest, text},
    {"move", 2, move},
    {"press", 1, button<SDL_MOUSEBUTTONDOWN>},
    {"release", 1, button<SDL_MOUSEBUTTONUP>},
    {"wheel", 1, wheel},
    {"drop", kRest, drop},
    {"point", kRest, point},
    {"resize", 2, resize},
    {"clipboard", kRest, clipboard},
    {"wait", 0, wait},
    {"browsed", 0, browsed},
    {"until", 1, until},
    {"until-file", kRest, until_file},
    {"state", 0, state},
    {"layout", 0, layout},
    {"pixels", 4, pixels},
    {"screenshot", kRest, screenshot},
    {"monkey", 2, monkey},
};

}  // namespace

ScriptStep parse_step(const std::string& name, const std::string& rest) {
  const auto kind =
      std::ranges::find_if(kSteps, [&](const StepKind& each) { return name == each.name; });
  if (kind == std::end(kSteps))
    throw InputError(fmt::format("'{}' is not a step of a script", name));
  Words words;
  std::istringstream stream(rest);
  for (std::string word; stream >> word;) words.push_back(word);
  if (kind->words != kRest && static_cast<int>(words.size()) != kind->words)
    throw InputError(fmt::format("'{}' takes {} words", name, kind->words));
  return kind->make(words, rest);
}

}  // namespace tessera
