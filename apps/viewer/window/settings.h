#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/theme.h"
#include "apps/viewer/simulation/blocks.h"
#include "apps/viewer/simulation/speed.h"
#include "apps/viewer/simulation/step_size.h"

namespace tessera {

/// What a person chose in the window, kept for the next start.
struct Settings {
  Theme theme = Theme::dark;
  bool grid = true;
  bool history = false;
  bool panel = true;
  bool graph = true;
  bool information = true;  ///< of the pattern that was opened
  int width = 1280;         ///< of the window, in its own units
  int height = 800;
  int speed_level = 5;   ///< 50 steps per second
  StepSize step;         ///< of running and of the Step action
  double density = 0.5;  ///< of fills and soups
  PasteMode paste_mode = PasteMode::or_;
  bool gallery = true;              ///< shown at a start without a pattern
  std::string pattern_folder;       ///< of the browser; empty: the gallery
  std::string folder;               ///< of the last file that is in a folder of the user's own
  std::vector<std::string> recent;  ///< files, the last one first

  bool operator==(const Settings&) const = default;
  /// Puts a file first among the recent ones.
  void remember(const std::string& path);
};

/// $XDG_CONFIG_HOME/tessera/viewer.json, or under ~/.config; empty when neither is known.
std::string settings_path();

/// Reads the file. Missing or invalid values keep their defaults. A missing file is not an error.
/// `warning` receives what is wrong with an unreadable one.
Settings load_settings(const std::string& path, std::string* warning);

/// Writes the settings, and makes the folder. Throws FileError.
void save_settings(const std::string& path, const Settings& settings);

}  // namespace tessera
