#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "apps/common/frame_sink.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/png.h"

namespace tessera {
namespace {

class FrameFolder final : public FrameSink {
 public:
  FrameFolder(const std::string& path, const std::optional<Palette>& palette)
      : path_(path), palette_(palette) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) {
      throw InputError(fmt::format("--frames {}: cannot make this folder: {}", printable(path),
                                   error.message()));
    }
    if (::access(path.c_str(), W_OK | X_OK) != 0) {
      throw InputError(
          fmt::format("--frames {}: this folder cannot be written to", printable(path)));
    }
  }

  void add(const DensityImage& frame, std::int64_t generation) override {
    const std::string path = (path_ / fmt::format("frame-{:09}.png", generation)).string();
    if (palette_) {
      write_png(path, frame, *palette_, Durability::unsynced);
    } else {
      write_png(path, frame, Durability::unsynced);
    }
  }
  void finish() override {}

 private:
  std::filesystem::path path_;
  std::optional<Palette> palette_;
};

}  // namespace

std::unique_ptr<FrameSink> make_frame_folder(const std::string& path,
                                             const std::optional<Palette>& palette) {
  return std::make_unique<FrameFolder>(path, palette);
}

}  // namespace tessera
