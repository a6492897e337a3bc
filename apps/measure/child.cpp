#include "apps/measure/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "core/base/error.h"
#include "core/base/paths.h"

extern char** environ;

namespace tessera {

namespace {

std::FILE* temporary(const std::string& program) {
  std::FILE* file = std::tmpfile();
  if (!file) {
    throw FileError(
        fmt::format("{}: cannot make a temporary file: {}", program, std::strerror(errno)));
  }
  return file;
}

std::string last_line(std::FILE* file) {
  std::rewind(file);
  std::string last, line;
  for (int c; (c = std::fgetc(file)) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    if (!line.empty()) last = line;
    line.clear();
  }
  return printable(line.empty() ? last : line, 300);
}

}  // namespace

Child::Child(const std::vector<std::string>& words, int input, Group group)
    : output_(temporary(words.at(0))) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ::fileno(output_.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, ::fileno(output_.get()), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  int flags = POSIX_SPAWN_SETSIGDEF;
  if (group == Group::own) flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  posix_spawnattr_setpgroup(&attributes, 0);
  // This program ignores SIGPIPE; others do not expect that.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  const int error =
      ::posix_spawnp(&id_, words.front().c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    throw FileError(fmt::format("cannot start {}: {}", words.front(), std::strerror(error)));
}

Child::~Child() {
  if (id_ == 0) return;
  ::kill(id_, SIGKILL);
  wait();
}

ChildResult Child::wait() {
  int status = 0;
  rusage used{};
  while (::wait4(id_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  id_ = 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          last_line(output_.get()), std::int64_t{used.ru_maxrss} * 1024};
}

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = end > at ? folders.substr(at, end - at) : ".";
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

ChildResult run_child(const std::vector<std::string>& words, const std::string& input) {
  // A file instead of a pipe: it cannot fill up while nobody reads.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(temporary(words.at(0)), &std::fclose);
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0) {
    throw FileError(
        fmt::format("{}: cannot write its input: {}", words.front(), std::strerror(errno)));
  }
  std::rewind(in.get());
  // What this program had in memory once is not to count as the other's (proc(5), clear_refs).
  std::ofstream("/proc/self/clear_refs") << "5";
  return Child(words, ::fileno(in.get()), Child::Group::ours).wait();
}

ScratchFolder::ScratchFolder() {
  std::error_code failed;
  path_ = (std::filesystem::temp_directory_path(failed) / "tessera-XXXXXX").string();
  if (failed || !::mkdtemp(path_.data())) {
    throw FileError(
        fmt::format("cannot make a folder for temporary files: {}", std::strerror(errno)));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tessera
