#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/common/frame_painter.h"
#include "apps/common/video_pipe.h"

namespace tessera {

/// What a recording shows: the view at its start, and its colours.
struct RecordingLook {
  FrameView view;
  FrameLook colours;
  std::int64_t frames_per_second = 30;
};

/// Throws InputError for pictures of more than 4096 pixels per side, and for grid lines between
/// cells that are too small.
void check_look(const RecordingLook& look);

/// A video of a view, in colours.
class Recorder {
 public:
  /// Starts ffmpeg. `ages`: those that are known already. Throws InputError for an unknown suffix
  /// and what check_look refuses, and FileError when ffmpeg cannot be started.
  Recorder(const std::string& path, const RecordingLook& look, const AgeMap& ages);

  const std::string& path() const { return path_; }
  std::int64_t frames() const { return frames_; }
  /// True when every generation must be watched.
  bool has_ages() const { return painter_.has_ages(); }
  void watch(Universe& universe) { painter_.watch(universe); }
  /// Adds a picture of the universe. Throws FileError.
  void add(Universe& universe);
  /// Puts the video in place. Throws FileError.
  void finish();

 private:
  std::string path_;
  FramePainter painter_;
  std::unique_ptr<VideoPipe> pipe_;
  std::int64_t frames_ = 0;
};

}  // namespace tessera
