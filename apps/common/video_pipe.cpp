#include "apps/common/video_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

constexpr const char* kSuffixes[] = {".mp4", ".mkv", ".mov", ".webm", ".avi", ".gif"};

}  // namespace

VideoPipe::VideoPipe(const std::string& what, const std::string& path, const VideoFormat& format)
    : what_(what), path_(path) {
  check_video_suffix(what, path);
  if (!has_program("ffmpeg")) {
    fail(
        "videos need the program ffmpeg, which is not installed or not in PATH; pictures can be "
        "written without it");
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
  for (std::size_t done = 0; done < frame.size();) {
    const ssize_t written = ::write(pipe_, frame.data() + done, frame.size() - done);
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
                                  format.colour ? "rgb24" : "gray",
                                  "-video_size",
                                  fmt::format("{}x{}", format.width, format.height),
                                  "-framerate",
                                  std::to_string(format.frames_per_second),
                                  "-i",
                                  "pipe:0"};
  if (path_.ends_with(".gif")) {
    all.insert(all.end(), {"-pix_fmt", format.colour ? "rgb8" : "gray"});
  } else {
    // Players want colour planes of half the size, and so even sides.
    all.insert(all.end(),
               {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"});
  }
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
