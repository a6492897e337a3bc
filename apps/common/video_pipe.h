#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/theme.h"
#include "apps/measure/child.h"

namespace tessera {

/// Size and kind of the frames of a video: one byte per pixel.
struct VideoFormat {
  std::int64_t width = 0;   ///< pixels
  std::int64_t height = 0;  ///< pixels
  std::int64_t frames_per_second = 30;
  std::optional<Palette> palette;  ///< of the bytes, of which 0 fills the edges; none: greys
};

/// Feeds raw frames to the program ffmpeg, which writes a temporary beside the video. The video
/// gets its name when everything went well; without `finish` nothing is left. The suffix chooses
/// the format: .mp4, .mkv, .mov, .webm, .avi or .gif, which repeats for ever.
class VideoPipe {
 public:
  /// Starts ffmpeg. `what` names the video's place on the command line or in the window for
  /// messages. Throws InputError for another suffix, and FileError when ffmpeg cannot be started.
  VideoPipe(const std::string& what, const std::string& path, const VideoFormat& format);
  ~VideoPipe();
  VideoPipe(const VideoPipe&) = delete;
  VideoPipe& operator=(const VideoPipe&) = delete;

  /// The next frame, row by row. Throws FileError.
  void add(std::span<const std::uint8_t> frame);
  /// To be called after the last frame. Throws FileError, also when there was no frame.
  void finish();

 private:
  std::vector<std::string> arguments(const VideoFormat& format) const;
  void write(std::span<const std::uint8_t> bytes);
  ChildResult end();
  [[noreturn]] void give_up(const ChildResult& result);
  [[noreturn]] void fail(const std::string& message) const;

  std::string what_;
  std::string path_;
  std::string temporary_;
  std::vector<std::uint8_t> palette_;  // as ffmpeg reads it behind each frame, or empty
  // ffmpeg takes byte 255 of a GIF for transparent: 254 stands for both there.
  bool replaces_last_ = false;
  std::vector<std::uint8_t> bytes_;  // of a frame, replaced
  int pipe_ = -1;
  std::optional<Child> ffmpeg_;  // none: it has ended
  std::int64_t frames_ = 0;
};

/// Throws InputError, naming `what` and listing what is accepted, when the suffix is not that of a
/// video.
void check_video_suffix(const std::string& what, const std::string& path);

}  // namespace tessera
