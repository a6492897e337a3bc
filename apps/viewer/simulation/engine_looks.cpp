// What the engine sees: pictures, ages, frames of a recording.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/viewer/simulation/engine.h"
#include "apps/viewer/simulation/wrapped_view.h"
#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::int64_t kMostSide = std::int64_t{1} << 31;  // of a grid that is looked at by spans

}  // namespace

// Ages look at every generation.
void Engine::see_generation() {
  if (ages_on_device_ == view_) {
    universe().backend().look()->add_ages(1);
    return;
  }
  fetch_ages();
  view_wrapped(universe(), view_.cells, view_.scale, scratch_);
  ages_.add(scratch_, view_.cells, view_.scale, 1);
  keep_ages();
}

// Begins a look at the cells, or at their ages, on a device that goes on stepping meanwhile; false
// where there is none.
bool Engine::begin_look(const ViewRequest& view, const std::optional<DeviceIdentity>& sharing) {
  if (view.history && ages_on_device_ == view) {
    universe().backend().look()->add_ages(0);
    universe().backend().look()->begin_ages(sharing);
    return true;
  }
  return !view.history && looks_by_spans(view) &&
         universe().backend().look()->begin_greys(spans_of(universe(), view.cells, view.scale),
                                                  sharing);
}

bool Engine::looks_by_spans(const ViewRequest& view) {
  const BackendSpec& grid = universe().backend().spec();
  return universe().backend().look() && view.scale <= Look::kMostSpan &&
         std::max(grid.width, grid.height) <= kMostSide;
}

void Engine::look_here(const ViewRequest& view, DensityImage& image) {
  if (view.history) fetch_ages();
  view_wrapped(universe(), view.cells, view.scale, image);
  if (!view.history) return;
  ages_.add(image, view.cells, view.scale, 0);
  image = ages_.image();
  keep_ages();
}

// Lets the device go on with the ages, where it can; on the infinite plane, whose grid comes and
// goes, it is done here.
void Engine::keep_ages() {
  if (!universe().spec().bounded() || !looks_by_spans(view_)) return;
  if (universe().backend().look()->keep_ages(spans_of(universe(), view_.cells, view_.scale),
                                             ages_.ages())) {
    ages_on_device_ = view_;
  }
}

void Engine::fetch_ages() {
  if (!ages_on_device_) return;
  ages_.set_ages(universe().backend().look()->ages());
  ages_on_device_.reset();
}

void Engine::record() {
  if (!recorder_ || floor_mod(universe().generation(), record_every_) != 0) return;
  const ViewRequest& view = recorder_->view();
  try {
    if (view.history && view == view_) {
      if (begin_look(view)) {
        universe().backend().look()->end(scratch_);
      } else {
        look_here(view, scratch_);
      }
    } else {
      view_wrapped(universe(), view.cells, view.scale, scratch_);
    }
    recorder_->add(scratch_);
  } catch (const FileError& error) {
    recorder_.reset();
    messages_.push_back({error.what(), true});
  }
}

void Engine::look(Picture& picture) {
  picture.view = view_;
  picture.generation = universe().generation();
  picture.serial = ++pictures_;
  picture.shared.reset();
  if (view_.cells.empty()) {
    picture.image.resize(0, 0);
    return;
  }
  if (!begin_look(view_, sharing_)) {
    look_here(view_, picture.image);
    return;
  }
  // The device need not wait until the picture has come to the host. A plane that grows changes its
  // backend.
  if (universe().spec().bounded()) start_block();
  picture.shared = universe().backend().look()->end(picture.image);
}

void Engine::start_recording(const std::string& path, const RecordingLook& look,
                             std::int64_t every) {
  stop_recording();
  recorder_.emplace(path, look);
  record_every_ = every;
  Picture first;
  const ViewRequest seen = std::exchange(view_, look.view);
  const std::optional<DeviceIdentity> sharing = std::exchange(sharing_, {});  // it goes to a file
  this->look(first);
  finish_block();
  sharing_ = sharing;
  view_ = seen;
  recorder_->add(first.image);
}

void Engine::stop_recording() {
  if (!recorder_) return;
  Recorder recorder = std::move(*recorder_);
  recorder_.reset();
  recorder.finish();
  messages_.push_back(
      {fmt::format("Recorded {} frames to {}", recorder.frames(), recorder.path()), false});
}

}  // namespace tessera
