#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// How another program ended.
struct ChildResult {
  int status = 0;        ///< exit code; 128 + signal number when a signal ended it
  std::string messages;  ///< last line that it wrote to standard error or output, or empty
  /// Bytes that it had in memory at most; no less than what it began as: this program as it is now
  /// for run_child, and with what it had in memory at most for others.
  std::int64_t peak_memory = 0;
};

/// Another program while it runs. What it writes is kept for `ChildResult::messages` alone.
class Child {
 public:
  /// Who gets the signals that a terminal sends.
  enum class Group {
    ours,  ///< the child gets Ctrl-C, too
    own,   ///< it goes on until its input ends
  };

  /// Starts a program: the first word is its name, looked for in PATH, and the descriptor `input`
  /// becomes its standard input. Throws FileError when it cannot be started.
  Child(const std::vector<std::string>& words, int input, Group group);
  /// Kills the program when it was not waited for.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns when the program has ended. To be called once.
  ChildResult wait();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::unique_ptr<std::FILE, Close> output_;
  pid_t id_ = 0;  // 0: it has ended
};

/// True when a program of this name is in PATH.
bool has_program(const std::string& name);

/// Runs a program with `input` as its standard input to its end. Throws FileError when it cannot be
/// started.
ChildResult run_child(const std::vector<std::string>& words, const std::string& input = {});

/// A new empty folder for a program's files, removed with its contents by the destructor.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tessera
