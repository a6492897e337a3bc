#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/common/theme.h"
#include "apps/common/video_pipe.h"
#include "apps/viewer/simulation/status.h"

namespace tessera {

/// What a recording shows: the view at its start, and its colours.
struct RecordingLook {
  ViewRequest view;
  std::int64_t zoom = 1;  ///< pixels per cell side, when view.scale is 1
  Palette palette{};
  std::int64_t frames_per_second = 30;
};

/// A video of a view, in colours.
class Recorder {
 public:
  /// Starts ffmpeg. Throws InputError for an unknown suffix, or frames above 4096 pixels per side,
  /// and FileError when ffmpeg cannot be started.
  Recorder(const std::string& path, const RecordingLook& look);

  const std::string& path() const { return path_; }
  const ViewRequest& view() const { return look_.view; }
  std::int64_t frames() const { return frames_; }
  /// Adds a picture of the view. Throws FileError.
  void add(const DensityImage& image);
  /// Puts the video in place. Throws FileError.
  void finish();

 private:
  std::string path_;
  RecordingLook look_;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  std::int64_t frames_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::unique_ptr<VideoPipe> pipe_;
};

}  // namespace tessera
