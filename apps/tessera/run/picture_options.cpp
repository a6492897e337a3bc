#include "apps/tessera/run/picture_options.h"

namespace tessera {

void add_picture_options(CLI::App& app, PictureOptions& options, const char* group) {
  const auto text = [&](const char* name, std::string& value, const char* type, const char* help) {
    app.add_option(name, value, help)->type_name(type)->group(group);
  };
  text("--view", options.view, "X,Y,WxH",
       "Cells that frames show, and with any of these options a picture that --out names, too "
       "(default the whole bounded universe, or 1024x1024 and more around a pattern on the plane)");
  text("--scale", options.scale, "S",
       "Cells per pixel side, or 1/N: pixels per cell side (default the least that needs at most "
       "1920 pixels)");
  text("--theme", options.theme, "NAME",
       "Colours: dark, light or phosphor, as in the viewer (default black on white, or dark with "
       "the options that follow)");
  text("--colours", options.colours, "KIND",
       "What the colours tell: cells, or age, with trails of dead cells, for which every "
       "generation is looked at (default cells)");
  app.add_flag("--grid-lines", options.grid_lines,
               "Draw lines between cells, from --scale 1/6 on; every tenth is stronger")
      ->group(group);
}

std::optional<FrameLook> parse_look(const PictureOptions& options) {
  if (!options.coloured()) return std::nullopt;
  FrameLook look;
  if (!options.theme.empty()) look.theme = parse_theme("--theme", options.theme);
  if (!options.colours.empty()) look.ages = parse_colours("--colours", options.colours);
  look.grid_lines = options.grid_lines;
  return look;
}

}  // namespace tessera
