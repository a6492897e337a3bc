#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tessera {

/// The bytes of a file, of standard input or of memory, block by block. Data that start as gzip (1f
/// 8b) are unpacked on the way, also when they have several members in a row.
class ByteSource {
 public:
  /// Blocks but the last hold at least this many bytes.
  static constexpr std::size_t kBlock = std::size_t{1} << 17;

  /// Opens a file, or standard input for "-". Throws InputError when it cannot be opened, is a
  /// folder, or is a named pipe (which might never be written to; "-" and /dev/fd/N are fine).
  explicit ByteSource(const std::string& path);
  /// Reads from memory that outlives the source; `name` stands for the file in messages.
  ByteSource(std::string_view bytes, const std::string& name);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The next block, valid until the next call; empty at the end. Throws FileError when reading
  /// fails, and ParseError ("file:byte N: ...", N counting compressed bytes) for compressed data
  /// that are damaged, end early, are followed by something else, or have so far unpacked to more
  /// than 64 MiB and more than 200 times the file's size.
  std::string_view next();

  /// Reads compressed data to their end, to find damage there.
  void check_rest();

  /// What stands for the file in messages: one line.
  const std::string& name() const { return name_; }

 private:
  struct Raw;
  struct Unpacker;
  std::string_view next_unpacked();
  [[noreturn]] void fail_packed(const std::string& message) const;

  std::string name_;
  std::unique_ptr<Raw> raw_;
  std::unique_ptr<Unpacker> unpacker_;  // none for plain bytes
  bool started_ = false;
};

}  // namespace tessera
