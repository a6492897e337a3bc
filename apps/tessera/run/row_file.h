#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// A text file, or standard output, that grows by whole rows: what is appended is written by one
/// call, so that a killed process leaves whole rows.
class RowFile {
 public:
  enum class Begin {
    anew,      ///< what the file held is gone
    as_it_is,  ///< appends where it began, which `cut` moves to the end
  };

  /// "-" is standard output. Throws FileError.
  RowFile(const std::string& path, Begin begin);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// "standard output" for "-".
  const std::string& path() const { return path_; }
  /// Whether it is a file on a disk that holds something.
  bool has_rows() const;
  /// Throws FileError and then leaves no part of `rows`.
  void append(const std::string& rows);
  /// Cuts the file off after `bytes` bytes and appends from there. Throws FileError.
  void cut(std::int64_t bytes);
  /// Returns when the rows have reached the disk. Throws FileError.
  void sync();
  /// Throws a FileError with what the operating system said last.
  [[noreturn]] void fail(const char* what) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tessera
