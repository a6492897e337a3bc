#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/theme.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// Takes the frames of a run, all of one size. With a palette their bytes are its colours; without
/// one they are greys, 255 is full and drawn black on white.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// The next frame. Throws FileError.
  virtual void add(const DensityImage& frame, std::int64_t generation) = 0;
  /// To be called after the last frame. Throws FileError. Without this call no video is left, while
  /// a folder keeps its frames so far.
  virtual void finish() = 0;
};

/// A folder of "frame-000001000.png", numbered by generation; it is made when it does not exist.
/// Throws InputError when that fails.
std::unique_ptr<FrameSink> make_frame_folder(const std::string& path,
                                             const std::optional<Palette>& palette);

/// A video, encoded by the program ffmpeg, which must be installed; the suffix chooses the format:
/// .mp4, .mkv, .mov, .webm, .avi or .gif. Throws InputError for another suffix, and FileError when
/// ffmpeg cannot be started.
std::unique_ptr<FrameSink> make_video(const std::string& path, std::int64_t width,
                                      std::int64_t height, std::int64_t frames_per_second,
                                      const std::optional<Palette>& palette);

}  // namespace tessera
