#include "apps/viewer/window/frame_input.h"

namespace tessera {
namespace {

bool is_modifier(SDL_Keycode key) {
  switch (key) {
    case SDLK_LCTRL:
    case SDLK_RCTRL:
    case SDLK_LSHIFT:
    case SDLK_RSHIFT:
    case SDLK_LALT:
    case SDLK_RALT:
    case SDLK_LGUI:
    case SDLK_RGUI:
      return true;
    default:
      return false;
  }
}

// Keys that type a character are followed by an event with their text.
bool only_types(const SDL_Keysym& key) {
  return key.sym >= SDLK_SPACE && key.sym < 0x110000 && key.sym != SDLK_DELETE &&
         (key.mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) == 0;
}

// Within a field; other keys may open a dialog, close it or go to another item, as Up and Down do.
bool stays_in_field(SDL_Keycode key) {
  switch (key) {
    case SDLK_LEFT:
    case SDLK_RIGHT:
    case SDLK_HOME:
    case SDLK_END:
    case SDLK_BACKSPACE:
    case SDLK_DELETE:
      return true;
    default:
      return false;
  }
}

// A field is given the keyboard in the frame after that in which it was asked for, which a dialog
// that refuses what was entered does in the frame after the key. The field drops what is typed in
// its first frame, and a button that Tab has led to can be pressed from its second one on.
constexpr int kQuietFrames = 4;

}  // namespace

void FrameInput::begin() {
  const int quiet = quiet_ - 1;
  *this = {};
  quiet_ = quiet > 0 ? quiet : 0;
}

bool FrameInput::takes_key_down(const SDL_KeyboardEvent& event) {
  if (event.repeat != 0) return true;  // it is down, which is all there is to see
  if (quiet_ > 0) return false;
  const SDL_Keysym& key = event.keysym;
  const bool modifier = is_modifier(key.sym);
  const bool edits = !modifier && !only_types(key);
  if (keys_.contains(key.scancode) || (modifier && pressed_) || (edits && edits_)) return false;
  keys_.insert(key.scancode);
  pressed_ = pressed_ || !modifier;
  edits_ = edits_ || edits;
  if (edits && !stays_in_field(key.sym)) quiet_ = kQuietFrames;
  return true;
}

// The place of a click must have been seen before, because it says to whom the click belongs.
bool FrameInput::takes_button(std::uint8_t button) {
  return !moved_ && buttons_.insert(button).second;
}

bool FrameInput::takes(const SDL_Event& event) {
  switch (event.type) {
    case SDL_KEYDOWN:
      return takes_key_down(event.key);
    case SDL_KEYUP:
      if (is_modifier(event.key.keysym.sym) && pressed_) return false;
      return keys_.insert(event.key.keysym.scancode).second;
    case SDL_TEXTINPUT:
      return !edits_ && quiet_ == 0;
    case SDL_MOUSEMOTION:
      moved_ = true;
      return buttons_.empty();
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
      return takes_button(event.button.button);
    default:
      return true;
  }
}

}  // namespace tessera
