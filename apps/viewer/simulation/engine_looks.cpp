// What the engine sees: pictures, ages, frames of a recording.
#include <fmt/format.h>

#include <utility>

#include "apps/viewer/simulation/engine.h"
#include "core/base/error.h"
#include "core/png.h"
#include "core/rules/state_looks.h"

namespace tessera {

// Generations since the ages were seen last.
std::int64_t Engine::take_passed() {
  const std::int64_t now = universe().generation();
  return now - std::exchange(seen_at_, now);
}

// Ages of cells that nobody has seen.
void Engine::forget_ages() {
  ages_.clear();
  ages_on_device_.reset();
  seen_at_ = universe().generation();
  to_see_ = 0;
}

void Engine::see_generation() {
  const std::int64_t passed = take_passed();
  if (ages_on_device_ == view_) {
    universe().watch()->add_ages(passed);
    return;
  }
  fetch_ages();
  universe().look(seen(view_), scratch_);
  ages_.add(scratch_, view_.cells, view_.scale, passed);
  keep_ages();
}

// Whether generations have passed unseen since the ages were seen.
bool Engine::leapt() {
  return view_.history && !view_.cells.empty() && universe().generation() != seen_at_;
}

// Steps some generations that are seen one by one, where others passed unseen before: after a
// single look what comes and goes would be taken for what lives on.
void Engine::see_some() {
  if (!running_ || document_.stroking() || !leaping() || !leapt()) return;
  to_see_ = Leaps::kLeast;
  while (running_ && to_see_ > 0) advance();
}

// The cells that a view shows; a torus goes on beyond its edges.
View Engine::seen(const ViewRequest& view) { return {view.cells, view.scale, true}; }

// Begins a look at the cells, or at their ages, on a device that goes on stepping meanwhile; false
// where there is none.
bool Engine::begin_look(const ViewRequest& view, const std::optional<DeviceIdentity>& sharing) {
  Watch* const watch = universe().watch();
  if (view.history && ages_on_device_ == view) {
    watch->add_ages(0);
    watch->begin_ages(sharing);
    return true;
  }
  return watch && !view.history && !sees_states(view) && watch->begin_greys(seen(view), sharing);
}

// Where states have colours of their own, what is not ages is states.
bool Engine::sees_states(const ViewRequest& view) {
  return !view.history && shown_by_state(universe().spec().rule);
}

void Engine::look_here(const ViewRequest& view, DensityImage& image) {
  if (sees_states(view)) {
    universe().look_states(seen(view), image);
    return;
  }
  if (view.history) fetch_ages();
  universe().look(seen(view), image);
  if (!view.history) return;
  ages_.add(image, view.cells, view.scale, take_passed());
  image = ages_.image();
  keep_ages();
}

// Lets the device go on with the ages, where it can.
void Engine::keep_ages() {
  Watch* const watch = universe().watch();
  if (watch && watch->keep_ages(seen(view_), ages_)) ages_on_device_ = view_;
}

void Engine::fetch_ages() {
  if (!ages_on_device_) return;
  ages_.set_ages(universe().watch()->ages());
  ages_on_device_.reset();
}

void Engine::record() {
  if (!recorder_ || floor_mod(universe().generation(), record_every_) != 0) return;
  try {
    recorder_->add(universe());
  } catch (const FileError& error) {
    recorder_.reset();
    messages_.push_back({error.what(), true});
  }
}

void Engine::look(Picture& picture) {
  see_some();
  picture.view = view_;
  picture.generation = universe().generation();
  picture.serial = ++pictures_;
  picture.shared.reset();
  picture.rule = universe().spec().rule;
  if (view_.cells.empty()) {
    picture.image.resize(0, 0);
    return;
  }
  if (!begin_look(view_, sharing_)) {
    look_here(view_, picture.image);
    return;
  }
  start_block();  // the device need not wait until the picture has come to the host
  picture.shared = universe().watch()->end(picture.image);
}

// A look in the colours of the rule.
RecordingLook Engine::coloured(RecordingLook look) {
  look.colours.rule = universe().spec().rule;
  return look;
}

void Engine::start_recording(const std::string& path, const RecordingLook& look,
                             std::int64_t every) {
  stop_recording();
  see_some();
  fetch_ages();  // a recording goes on with those that the window shows
  Recorder recorder(path, coloured(look), ages_);
  recorder.add(universe());
  recorder_.emplace(std::move(recorder));
  record_every_ = every;
  pace_anew();  // generations that are looked at take longer
}

void Engine::stop_recording() {
  if (!recorder_) return;
  Recorder recorder = std::move(*recorder_);
  recorder_.reset();
  recorder.finish();
  messages_.push_back(
      {fmt::format("Recorded {} frames to {}", recorder.frames(), recorder.path()), false});
}

void Engine::save_picture(const std::string& path, const RecordingLook& wanted) {
  const RecordingLook look = coloured(wanted);
  check_look(look);
  see_some();
  fetch_ages();
  FramePainter painter(look.view, look.colours, ages_);
  write_png(path, painter.draw(universe()), look.colours.palette());
  messages_.push_back({"Saved " + path, false});
}

}  // namespace tessera
