#include "apps/viewer/window/chord.h"

#include <SDL_keycode.h>

#include <string>
#include <utility>

namespace tessera {
namespace {

struct KeyName {
  const char* name;
  std::int32_t key;
};
constexpr KeyName kKeyNames[] = {
    {"Space", SDLK_SPACE},   {"Tab", SDLK_TAB},       {"Return", SDLK_RETURN},
    {"Escape", SDLK_ESCAPE}, {"Delete", SDLK_DELETE}, {"Backspace", SDLK_BACKSPACE},
    {"Left", SDLK_LEFT},     {"Right", SDLK_RIGHT},   {"Up", SDLK_UP},
    {"Down", SDLK_DOWN},     {"PageUp", SDLK_PAGEUP}, {"PageDown", SDLK_PAGEDOWN},
    {"Home", SDLK_HOME},     {"End", SDLK_END},
};

}  // namespace

std::optional<Chord> parse_chord(std::string_view text) {
  Chord chord;
  for (const auto& [prefix, flag] :
       {std::pair{"Ctrl+", &chord.ctrl}, {"Shift+", &chord.shift}, {"Alt+", &chord.alt}}) {
    const std::string_view name = prefix;
    if (text.size() > name.size() && text.starts_with(name)) {
      *flag = true;
      text.remove_prefix(name.size());
    }
  }
  if (text.size() == 1) {
    char c = text[0];
    if (c == '?') {
      chord.shift = true;
      c = '/';
    }
    chord.key = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    return chord;
  }
  for (const KeyName& each : kKeyNames) {
    if (text == each.name) {
      chord.key = each.key;
      return chord;
    }
  }
  if (text.size() >= 2 && text[0] == 'F' &&
      text.find_first_not_of("0123456789", 1) == std::string_view::npos) {
    const int number = std::stoi(std::string(text.substr(1)));
    if (number < 1 || number > 12) return std::nullopt;
    chord.key = SDLK_F1 + number - 1;
    return chord;
  }
  return std::nullopt;
}

}  // namespace tessera
