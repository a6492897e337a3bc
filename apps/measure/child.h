#pragma once

#include <string>
#include <vector>

namespace tessera {

/// What another program came to.
struct ChildResult {
  int status = 0;        ///< exit code; 128 + signal number when a signal ended it
  std::string messages;  ///< last line that it wrote to standard error or output; empty when none
};

/// True when a program of this name is in PATH.
bool has_program(const std::string& name);

/// Runs a program to its end: the first word is its name, looked for in PATH, `input` its standard
/// input. What it writes is kept for `messages` alone. Throws FileError when it cannot be started.
ChildResult run_child(const std::vector<std::string>& words, const std::string& input = {});

/// A new empty folder for a program's files, removed with all that is in it when this ends.
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
