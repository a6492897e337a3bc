#pragma once

#include <string>

namespace tessera {

class Workspace;

/// Shows a text beside the mouse, broken into lines that the window has room for, and tells scripts
/// of it.
void show_tooltip(Workspace& work, const std::string& text);

}  // namespace tessera
