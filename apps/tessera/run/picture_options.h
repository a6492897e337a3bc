#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "apps/common/frame_painter.h"

namespace tessera {

/// What frames, videos and pictures show and how, as typed.
struct PictureOptions {
  std::string view, scale;
  std::string theme, colours;
  bool grid_lines = false;

  /// True when any colours were asked for.
  bool coloured() const { return !theme.empty() || !colours.empty() || grid_lines; }
  /// True when anything was asked for: a picture that --out names is a frame then.
  bool any() const { return coloured() || !view.empty() || !scale.empty(); }
};

/// Declares --view, --scale, --theme, --colours and --grid-lines in a group of the help.
void add_picture_options(CLI::App& app, PictureOptions& options, const char* group);

/// The colours that were asked for, or nothing: black on white. Throws InputError.
std::optional<FrameLook> parse_look(const PictureOptions& options);

}  // namespace tessera
