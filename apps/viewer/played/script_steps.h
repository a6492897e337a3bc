#pragma once

#include <functional>
#include <string>

#include "apps/viewer/window/viewer.h"

namespace tessera {

/// A step of a script, ready to be played.
using ScriptStep = std::function<void(Viewer&)>;

/// Reads a step: its name and what follows on the line, as Script tells. Throws InputError when
/// there is no such step, or what follows does not fit it.
ScriptStep parse_step(const std::string& name, const std::string& rest);

}  // namespace tessera
