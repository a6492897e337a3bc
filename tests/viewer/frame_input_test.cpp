#include "apps/viewer/window/frame_input.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tessera;

namespace {

SDL_Event key(std::uint32_t type, SDL_Keycode key, SDL_Scancode code, int mod = 0) {
  SDL_Event event{};
  event.type = type;
  event.key.keysym.sym = key;
  event.key.keysym.scancode = code;
  event.key.keysym.mod = static_cast<std::uint16_t>(mod);
  return event;
}

SDL_Event event(const std::string& name) {
  const std::uint32_t type = name.ends_with("-") ? SDL_KEYUP : SDL_KEYDOWN;
  if (name.starts_with("A")) return key(type, SDLK_a, SDL_SCANCODE_A);
  if (name.starts_with("B")) return key(type, SDLK_b, SDL_SCANCODE_B);
  if (name.starts_with("^A")) return key(type, SDLK_a, SDL_SCANCODE_A, KMOD_LCTRL);
  if (name.starts_with("Ctrl")) return key(type, SDLK_LCTRL, SDL_SCANCODE_LCTRL);
  if (name.starts_with("Enter")) return key(type, SDLK_RETURN, SDL_SCANCODE_RETURN);
  if (name.starts_with("Tab")) return key(type, SDLK_TAB, SDL_SCANCODE_TAB);
  if (name.starts_with("Down")) return key(type, SDLK_DOWN, SDL_SCANCODE_DOWN);
  if (name.starts_with("Left")) return key(type, SDLK_LEFT, SDL_SCANCODE_LEFT);
  SDL_Event out{};
  if (name == "text") out.type = SDL_TEXTINPUT;
  if (name == "move") out.type = SDL_MOUSEMOTION;
  if (name == "wheel") out.type = SDL_MOUSEWHEEL;
  if (name == "press") out.type = SDL_MOUSEBUTTONDOWN;
  if (name == "release") out.type = SDL_MOUSEBUTTONUP;
  out.button.button = SDL_BUTTON_LEFT;
  return out;
}

// How many of the events each frame handles.
std::vector<int> frames(const std::vector<std::string>& names) {
  std::vector<int> out;
  FrameInput input;
  for (std::size_t i = 0; i < names.size();) {
    input.begin();
    out.push_back(0);
    while (i < names.size() && input.takes(event(names[i]))) {
      out.back()++;
      i++;
    }
    REQUIRE(out.size() < 40);
  }
  return out;
}

}  // namespace

TEST_CASE("a key that comes and goes at once is seen for a frame") {
  CHECK(frames({"Enter", "Enter-"}) == std::vector{1, 1});
  CHECK(frames({"Left", "Left-", "Left", "Left-"}) == std::vector{1, 1, 1, 1});
}

TEST_CASE("typing needs no frame for each letter, and keeps its order with keys that edit") {
  CHECK(frames({"A", "text", "B", "text", "A-", "B-"}) == std::vector{4, 2});
  CHECK(frames({"A", "text", "Enter", "A-"}) == std::vector{3, 1});
  CHECK(frames({"Left", "A", "text"}) == std::vector{2, 1});
}

TEST_CASE("what follows a key that may move the keyboard to another field waits until it has it") {
  CHECK(frames({"Tab", "Tab-", "A", "text"}) == std::vector{1, 1, 0, 0, 2});
  CHECK(frames({"Down", "Enter"}) == std::vector{1, 0, 0, 0, 1});
  CHECK(frames({"Enter", "text"}) == std::vector{1, 0, 0, 0, 1});
  CHECK(frames({"Enter", "Enter-", "Enter", "Enter-"}) == std::vector{1, 1, 0, 0, 1, 1});
}

TEST_CASE("a modifier holds as long as its key") {
  CHECK(frames({"Ctrl", "^A", "^A-", "Ctrl-"}) == std::vector{2, 2});
  CHECK(frames({"^A", "Ctrl-"}) == std::vector{1, 1});
  CHECK(frames({"A", "Ctrl"}) == std::vector{1, 1});
}

TEST_CASE("a click happens where the mouse was seen") {
  CHECK(frames({"move", "move", "press", "release", "move"}) == std::vector{2, 1, 1, 1});
  CHECK(frames({"press", "release", "press", "release"}) == std::vector{1, 1, 1, 1});
  CHECK(frames({"wheel", "wheel"}) == std::vector{2});
}
