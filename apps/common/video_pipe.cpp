#include "apps/common/video_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/paths.h"

extern char** environ;

namespace tessera {
namespace {

constexpr const char* kSuffixes[] = {".mp4", ".mkv", ".mov", ".webm", ".avi", ".gif"};

}  // namespace

VideoPipe::VideoPipe(const std::string& what, const std::string& path, const VideoFormat& format)
    : what_(what), path_(path), messages_(std::tmpfile()) {
  check_video_suffix(what, path);
  if (!messages_) fail(std::string("cannot make a temporary file: ") + std::strerror(errno));
  const std::filesystem::path file(path);
  // The suffix stays, since it tells ffmpeg the format.
  temporary_ = (file.parent_path() /
                fmt::format(".tessera-{}-video{}", ::getpid(), file.extension().string()))
                   .string();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  pipe_ = ends[1];
  try {
    start(ends[0], arguments(format));
  } catch (...) {
    ::close(ends[0]);
    ::close(pipe_);
    throw;
  }
  ::close(ends[0]);
}

VideoPipe::~VideoPipe() {
  if (child_ <= 0) return;
  ::close(pipe_);
  ::kill(child_, SIGKILL);
  wait();
  ::unlink(temporary_.c_str());
}

void VideoPipe::add(std::span<const std::uint8_t> frame) {
  frames_++;
  for (std::size_t done = 0; done < frame.size();) {
    const ssize_t written = ::write(pipe_, frame.data() + done, frame.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up();
    done += static_cast<std::size_t>(written);
  }
}

void VideoPipe::finish() {
  if (frames_ == 0) fail("no frame fell into this run; use fewer generations between frames");
  ::close(pipe_);
  const int status = wait();
  child_ = 0;
  if (status != 0) give_up();
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
    // Players want colour planes of half the size, so even sides.
    all.insert(all.end(),
               {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"});
  }
  // "file:" keeps a name with a colon from being taken for a protocol.
  all.push_back("file:" + temporary_);
  return all;
}

void VideoPipe::start(int input, const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ::fileno(messages_.get()), STDERR_FILENO);
  // A group of its own: Ctrl-C stops the simulation, and ffmpeg sees the end of its input and
  // finishes the file.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error = ::posix_spawnp(&child_, "ffmpeg", &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == 0) return;
  child_ = 0;
  if (error == ENOENT)
    fail(
        "videos need the program ffmpeg, which is not installed or not in PATH; pictures can be "
        "written without it");
  fail(std::string("cannot start ffmpeg: ") + std::strerror(error));
}

int VideoPipe::wait() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// ffmpeg's last word is why it failed.
void VideoPipe::give_up() {
  if (child_ > 0) {
    ::close(pipe_);
    wait();
    child_ = 0;
  }
  ::unlink(temporary_.c_str());
  std::rewind(messages_.get());
  std::string reason = "no reason given", line;
  for (int c; (c = std::fgetc(messages_.get())) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    if (!line.empty()) reason = line;
    line.clear();
  }
  fail("ffmpeg failed: " + reason);
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
