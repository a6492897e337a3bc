#pragma once

#include <cstdint>
#include <string>

#include "apps/common/simulation.h"

namespace tessera {

/// The command line of tessera-viewer, as typed.
struct ViewerOptions {
  StartOptions start;
  DeviceOptions device;
  std::string resume;             ///< checkpoint
  std::string gens;               ///< generation to go to
  std::string size;               ///< of the window
  std::string ui_scale;           ///< of fonts
  std::string pictures = "auto";  ///< which way they go: "auto" or "host"
  std::string script;             ///< file of input to play
  std::string bench_frames;       ///< frames to measure
  std::string monkey;             ///< random events to play
  bool keep_settings = false;     ///< also while a script plays
  bool list_actions = false;
  std::string pages;  ///< folder for manual page and completions
};

}  // namespace tessera
