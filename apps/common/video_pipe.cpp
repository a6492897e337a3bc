#include "apps/common/video_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

constexpr const char* kSuffixes[] = {".mp4", ".mkv", ".mov", ".webm", ".avi", ".gif"};

// "0xRRGGBB" of a colour 0xAABBGGRR.
std::string hex_of(std::uint32_t colour) {
  return fmt::format("0x{:02x}{:02x}{:02x}", colour & 0xff, colour >> 8 & 0xff,
                     colour >> 16 & 0xff);
}

// ffmpeg's: 0xAARRGGBB in the machine's byte order.
std::vector<std::uint8_t> raw_palette(const Palette& palette) {
  std::vector<std::uint8_t> bytes(sizeof palette);
  for (std::size_t i = 0; i < palette.size(); i++) {
    const std::uint32_t c = palette[i];
    const std::uint32_t swapped = (c & 0xff00ff00u) | (c & 0xff) << 16 | (c >> 16 & 0xff);
    std::memcpy(bytes.data() + 4 * i, &swapped, 4);
  }
  return bytes;
}

// What makes a file of the frames. Players want colour planes of half the size, and so even sides.
std::vector<std::string> output_arguments(bool gif, const std::optional<Palette>& palette) {
  if (gif) return {"-pix_fmt", palette ? "pal8" : "gray", "-loop", "0"};
  const std::string pad = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=";
  if (!palette) return {"-vf", pad + "white", "-pix_fmt", "yuv420p"};
  // Colours are converted as the file says that they were; players guess otherwise.
  return {"-vf",
          "format=gbrp," + pad + hex_of(palette->front()) +
              ",scale=out_color_matrix=bt709:out_range=tv",
          "-pix_fmt",
          "yuv420p",
          "-colorspace",
          "bt709",
          "-color_primaries",
          "bt709",
          "-color_trc",
          "bt709",
          "-color_range",
          "tv"};
}

}  // namespace

VideoPipe::VideoPipe(const std::string& what, const std::string& path, const VideoFormat& format)
    : what_(what), path_(path) {
  check_video_suffix(what, path);
  if (!has_program("ffmpeg")) {
    fail(
        "videos need the program ffmpeg, which is not installed or not in PATH; pictures can be "
        "written without it");
  }
  if (format.palette) {
    Palette palette = *format.palette;
    replaces_last_ = path.ends_with(".gif");
    if (replaces_last_) {
      palette[254] = palette[255];
      palette[255] = 0;
    }
    palette_ = raw_palette(palette);
  }
  const std::filesystem::path file(path);
  // The suffix stays, because it tells ffmpeg the format.
  temporary_ = (file.parent_path() /
                fmt::format(".tessera-{}-video{}", ::getpid(), file.extension().string()))
                   .string();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  pipe_ = ends[1];
  try {
    // Ctrl-C stops the simulation alone: ffmpeg sees the end of its input and finishes the file.
    ffmpeg_.emplace(arguments(format), ends[0], Child::Group::own);
  } catch (const FileError& error) {
    ::close(ends[0]);
    ::close(pipe_);
    fail(error.what());
  }
  ::close(ends[0]);
}

VideoPipe::~VideoPipe() {
  if (!ffmpeg_) return;
  ::close(pipe_);
  ffmpeg_.reset();
  ::unlink(temporary_.c_str());
}

void VideoPipe::add(std::span<const std::uint8_t> frame) {
  frames_++;
  if (replaces_last_) {
    bytes_.assign(frame.begin(), frame.end());
    std::replace(bytes_.begin(), bytes_.end(), std::uint8_t{255}, std::uint8_t{254});
    frame = bytes_;
  }
  write(frame);
  write(palette_);
}

void VideoPipe::write(std::span<const std::uint8_t> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(pipe_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up(end());
    done += static_cast<std::size_t>(written);
  }
}

void VideoPipe::finish() {
  if (frames_ == 0) fail("no frame fell into this run; use fewer generations between frames");
  if (const ChildResult result = end(); result.status != 0) give_up(result);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(temporary_.c_str());
    fail("cannot put the video in place: " + why);
  }
}

std::vector<std::string> VideoPipe::arguments(const VideoFormat& format) const {
  std::vector<std::string> all = {"ffmpeg",
                                  "-loglevel",
                                  "error",
                                  "-nostdin",
                                  "-y",
                                  "-f",
                                  "rawvideo",
                                  "-pix_fmt",
                                  format.palette ? "pal8" : "gray",
                                  "-video_size",
                                  fmt::format("{}x{}", format.width, format.height),
                                  "-framerate",
                                  std::to_string(format.frames_per_second),
                                  "-i",
                                  "pipe:0"};
  for (std::string& word : output_arguments(path_.ends_with(".gif"), format.palette))
    all.push_back(std::move(word));
  // "file:" keeps a name with a colon from being taken for a protocol.
  all.push_back("file:" + temporary_);
  return all;
}

// What ffmpeg came to when its input has ended.
ChildResult VideoPipe::end() {
  ::close(pipe_);
  ChildResult result = ffmpeg_->wait();
  ffmpeg_.reset();
  return result;
}

// ffmpeg's last line tells why it failed.
void VideoPipe::give_up(const ChildResult& result) {
  ::unlink(temporary_.c_str());
  fail("ffmpeg failed: " + (result.messages.empty() ? "no reason given" : result.messages));
}

void VideoPipe::fail(const std::string& message) const {
  throw FileError(fmt::format("{} {}: {}", what_, printable(path_), printable(message)));
}

void check_video_suffix(const std::string& what, const std::string& path) {
  for (const char* suffix : kSuffixes) {
    if (path.ends_with(suffix)) return;
  }
  throw InputError(fmt::format(
      "{} {}: the suffix names the format; .mp4, .mkv, .mov, .webm, .avi and .gif are accepted",
      what, printable(path)));
}

}  // namespace tessera
