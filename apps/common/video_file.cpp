#include <algorithm>
#include <vector>

#include "apps/common/frame_sink.h"
#include "apps/common/video_pipe.h"

namespace tessera {
namespace {

class VideoFile final : public FrameSink {
 public:
  VideoFile(const std::string& path, const VideoFormat& format)
      : pipe_("--video", path, format), coloured_(format.palette) {}

  void add(const DensityImage& frame, std::int64_t) override {
    if (coloured_) {
      pipe_.add(frame.pixels);
      return;
    }
    // Dark on white, like the PNG frames.
    bytes_.resize(frame.pixels.size());
    std::transform(frame.pixels.begin(), frame.pixels.end(), bytes_.begin(),
                   [](std::uint8_t grey) { return static_cast<std::uint8_t>(255 - grey); });
    pipe_.add(bytes_);
  }
  void finish() override { pipe_.finish(); }

 private:
  VideoPipe pipe_;
  bool coloured_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

std::unique_ptr<FrameSink> make_video(const std::string& path, std::int64_t width,
                                      std::int64_t height, std::int64_t frames_per_second,
                                      const std::optional<Palette>& palette) {
  return std::make_unique<VideoFile>(path, VideoFormat{width, height, frames_per_second, palette});
}

}  // namespace tessera
