#include "apps/measure/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/base/error.h"
#include "core/base/paths.h"

extern char** environ;

namespace tessera {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary(const std::string& program) {
  File file(std::tmpfile(), &std::fclose);
  if (!file)
    throw FileError(
        fmt::format("{}: cannot make a temporary file: {}", program, std::strerror(errno)));
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
  const std::string& program = words.at(0);
  // Files instead of pipes: nothing can fill up while nobody reads.
  const File in = temporary(program), out = temporary(program);
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0) {
    throw FileError(fmt::format("{}: cannot write its input: {}", program, std::strerror(errno)));
  }
  std::rewind(in.get());
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ::fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ::fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, ::fileno(out.get()), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0)
    throw FileError(fmt::format("cannot start {}: {}", program, std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), last_line(out.get())};
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
