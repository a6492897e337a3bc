#include "apps/viewer/simulation/recorder.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::int64_t kMostPixels = 4096;

VideoFormat format_of(const RecordingLook& look) {
  check_look(look);
  return {look.view.width(), look.view.height(), look.frames_per_second, look.colours.palette()};
}

}  // namespace

void check_look(const RecordingLook& look) {
  const FrameView& view = look.view;
  const std::int64_t most = kMostPixels / view.scale.pixels;  // cells, or pixels of several
  if (ceil_div(view.cells.width, view.scale.cells) > most ||
      ceil_div(view.cells.height, view.scale.cells) > most) {
    throw InputError(
        fmt::format("Scale: {}x{} cells would make a picture of more than {} pixels per side; "
                    "smaller cells are accepted",
                    view.cells.width, view.cells.height, kMostPixels));
  }
  if (look.colours.grid_lines) check_grid_lines("Grid lines", view.scale, look.colours);
}

Recorder::Recorder(const std::string& path, const RecordingLook& look, const AgeMap& ages)
    : path_(path),
      painter_(look.view, look.colours, ages),
      pipe_(std::make_unique<VideoPipe>("recording", path, format_of(look))) {}

void Recorder::add(Universe& universe) {
  pipe_->add(painter_.draw(universe).pixels);
  frames_++;
}

void Recorder::finish() { pipe_->finish(); }

}  // namespace tessera
