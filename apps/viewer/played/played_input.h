#pragma once

#include <SDL.h>

#include <cstdint>
#include <functional>
#include <string>

#include "apps/viewer/window/viewer.h"

namespace tessera {

// Simulated input for scripts and tests: SDL events like those of a keyboard and a mouse. All throw
// FileError when SDL's queue is full.

void push_key(std::uint32_t type, const Chord& chord);
/// Pressed for a frame, then released.
void press_key(Viewer& viewer, const Chord& chord);
/// A character typed.
void push_text(char c);
/// The mouse to a place in window units.
void move_mouse(Viewer& viewer, int x, int y);
/// A button at the mouse's place.
void push_button(std::uint32_t type, int button);
void push_wheel(int steps);
/// A file dropped onto the window.
void push_drop(const std::string& path);

/// Shows frames until a condition holds or the viewer ended. Throws DeviceError when that takes
/// more than a minute.
void wait_until(Viewer& viewer, const std::function<bool()>& happened, const char* what);

/// Random keys, clicks, drags, wheel turns, typing, drops and resizing, all over the window.
void play_random_input(Viewer& viewer, std::int64_t events, std::uint64_t seed);

}  // namespace tessera
