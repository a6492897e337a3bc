#pragma once

#include <string>

#include "apps/viewer/window/viewer.h"

namespace tessera {

// What a script can find out about the viewer.

/// Prints a line of JSON: generation, population, hash, view, settings, last message, ...
void print_state(Viewer& viewer);
/// Prints the colours of a rectangle of the cells' view, in pixels, as a line of JSON. Throws
/// InputError when it leaves the window.
void print_pixels(Viewer& viewer, int x, int y, int width, int height);
/// Prints where everything is, in window units, as a line of JSON: the window's size; Dear ImGui's
/// windows, and whether each can show all that is in it; and the items that were noted.
void print_layout(const Viewer& viewer);
/// Writes the whole window as a PNG. Throws FileError.
void save_screenshot(Viewer& viewer, const std::string& path);

}  // namespace tessera
