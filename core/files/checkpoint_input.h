#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "core/files/checkpoint_format.h"

namespace tessera {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// The bytes of a checkpoint on their way in, and their checksum. Throws ParseError
/// ("file:byte N: ...") for a file that ends too early and FileError when reading fails.
class CheckpointInput {
 public:
  /// Throws InputError when the file cannot be opened or is no regular file.
  explicit CheckpointInput(const std::string& path);

  void read(void* data, std::size_t bytes);
  std::uint32_t read_u32();
  std::uint64_t read_u64();
  /// Reads a checksum; throws ParseError unless it is that of all bytes before it.
  void check_checksum();
  /// Throws ParseError unless the file ends here.
  void check_end();

  /// Bytes that follow.
  std::int64_t left() const { return size_ - at_; }
  /// Throws ParseError at the byte that would be read next.
  [[noreturn]] void damaged(const std::string& message) const;
  /// For messages.
  const std::string& path() const { return path_; }
  /// The folder of the file itself, where the path is a symbolic link.
  const std::string& folder() const { return folder_; }
  /// The checksum that was checked last.
  std::uint64_t last_checksum() const { return last_; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_, folder_;
  OpenFile file_;
  std::int64_t size_ = 0;
  std::int64_t at_ = 0;
  Checksum checksum_;
  std::uint64_t last_ = 0;
};

}  // namespace tessera
