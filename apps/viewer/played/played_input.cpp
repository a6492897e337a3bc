#include "apps/viewer/played/played_input.h"

#include <fmt/format.h>

#include <chrono>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr auto kDeadline = std::chrono::seconds(60);

void push(SDL_Event event) {
  if (SDL_PushEvent(&event) < 0)
    throw FileError(std::string("script: an event cannot be queued: ") + SDL_GetError());
}

// The mouse's place, which button events need.
SDL_Point& mouse() {
  static SDL_Point kMouse{};
  return kMouse;
}

int modifiers_of(const Chord& chord) {
  return (chord.ctrl ? KMOD_LCTRL : 0) | (chord.shift ? KMOD_LSHIFT : 0) |
         (chord.alt ? KMOD_LALT : 0);
}

// All keys except those of actions that write files, quit, or take the whole screen. Menus and
// dialogs may still lead to these, which is part of the test.
std::vector<Chord> harmless_keys() {
  const std::set<std::string_view> harmful = {"quit",    "save",    "screenshot", "record",
                                              "picture", "save-as", "full-screen"};
  std::vector<Chord> keys;
  for (const Action& action : actions()) {
    const std::vector<Chord> chords = chords_of(action);
    if (!chords.empty() && !harmful.contains(action.name)) keys.push_back(chords.front());
  }
  return keys;
}

// Waits for rest. Dear ImGui spreads a frame's events over the next ones, and each of them may run
// the simulation again, so one pause is not enough.
void rest(Viewer& viewer) {
  Session& session = viewer.work().session();
  wait_until(
      viewer,
      [&] {
        const Status status = session.status();
        if (status.running && status.commands == session.posted())
          session.post([](Engine& engine) { engine.run(false); });
        return viewer.settled();
      },
      "rest");
}

}  // namespace

void push_key(std::uint32_t type, const Chord& chord) {
  SDL_Event event{};
  event.type = type;
  event.key.keysym.sym = chord.key;
  event.key.keysym.scancode = SDL_GetScancodeFromKey(chord.key);
  event.key.keysym.mod = static_cast<std::uint16_t>(modifiers_of(chord));
  event.key.state = type == SDL_KEYDOWN ? SDL_PRESSED : SDL_RELEASED;
  push(event);
}

void press_key(Viewer& viewer, const Chord& chord) {
  push_key(SDL_KEYDOWN, chord);
  viewer.frame();
  push_key(SDL_KEYUP, {chord.key, false, false, false});
  viewer.frame();
}

void push_text(char c) {
  SDL_Event event{};
  event.type = SDL_TEXTINPUT;
  event.text.text[0] = c;
  push(event);
}

void move_mouse(Viewer& viewer, int x, int y) {
  mouse() = {x, y};
  viewer.mouse().script();
  SDL_Event event{};
  event.type = SDL_MOUSEMOTION;
  event.motion.x = x;
  event.motion.y = y;
  push(event);
}

void push_button(std::uint32_t type, int button) {
  SDL_Event event{};
  event.type = type;
  event.button.button = static_cast<std::uint8_t>(button);
  event.button.state = type == SDL_MOUSEBUTTONDOWN ? SDL_PRESSED : SDL_RELEASED;
  event.button.clicks = 1;
  event.button.x = mouse().x;
  event.button.y = mouse().y;
  push(event);
}

void push_wheel(int steps) {
  SDL_Event event{};
  event.type = SDL_MOUSEWHEEL;
  event.wheel.y = steps;
  push(event);
}

void push_drop(const std::string& path) {
  SDL_Event event{};
  event.type = SDL_DROPFILE;
  event.drop.file = SDL_strdup(path.c_str());
  push(event);
}

void wait_until(Viewer& viewer, const std::function<bool()>& happened, const char* what) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (!happened() && !viewer.ended()) {
    if (std::chrono::steady_clock::now() > end)
      throw DeviceError(fmt::format("{} does not happen within a minute", what));
    viewer.frame();
    SDL_Delay(1);
  }
}

void play_random_input(Viewer& viewer, std::int64_t events, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(n));
  };
  const std::vector<Chord> chords = harmless_keys();
  for (std::int64_t i = 0; i < events && !viewer.ended(); i++) {
    int width = 1, height = 1;
    SDL_GetWindowSize(viewer.work().window.get(), &width, &height);
    switch (below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        press_key(viewer, chords[static_cast<std::size_t>(below(static_cast<int>(chords.size())))]);
        break;
      case 4:
        // Leaves any dialog, so that the remaining events are not all spent in one.
        press_key(viewer, {SDLK_ESCAPE, false, false, false});
        break;
      case 5:
        push_key(below(2) == 0 ? SDL_KEYDOWN : SDL_KEYUP,
                 chords[static_cast<std::size_t>(below(static_cast<int>(chords.size())))]);
        break;
      case 6:
      case 7:
      case 8:
        push_button(SDL_MOUSEBUTTONDOWN, 1 + below(3));
        break;
      case 9:
      case 10:
      case 11:
        push_button(SDL_MOUSEBUTTONUP, 1 + below(3));
        break;
      case 12:
        push_wheel(below(7) - 3);
        break;
      case 13:
      case 14:
        push_text(static_cast<char>(' ' + below(95)));
        break;
      case 15:
        if (below(20) == 0)
          SDL_SetWindowSize(viewer.work().window.get(), 320 + below(300), 240 + below(200));
        if (below(20) == 0) push_drop(below(2) == 0 ? "nothing.rle" : ".");
        break;
      default:
        move_mouse(viewer, below(width), below(height));
        break;
    }
    // Sometimes several events come within a frame.
    if (below(3) == 0) viewer.frame();
    // Pausing from time to time limits the queue, and zooming returns to visible cells.
    if (i % 200 == 199) {
      rest(viewer);
      viewer.work().session().post([](Engine& engine) {
        if (engine.universe().population() > 2'000'000) engine.start_empty(RuleSpec{});
      });
    }
  }
}

}  // namespace tessera
