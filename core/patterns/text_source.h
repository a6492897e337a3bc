#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/files/byte_source.h"
#include "core/patterns/text_line.h"

namespace tessera {

/// The characters of a ByteSource with their places. A byte order mark at the start is skipped.
/// Columns count bytes.
class TextSource {
 public:
  static constexpr int kEnd = -1;

  explicit TextSource(ByteSource& bytes);

  /// The next character, which is not taken, or kEnd.
  int peek() { return at_ != end_ || fill() ? static_cast<unsigned char>(*at_) : kEnd; }
  /// Takes the next character; kEnd at the end.
  int get() {
    if (at_ == end_ && !fill()) return kEnd;
    const char c = *at_++;
    if (c == '\n') start_line(at_);
    return static_cast<unsigned char>(c);
  }
  /// Takes all characters up to one that is not `c`, and returns their number.
  std::int64_t take_while(char c);
  /// Takes spaces, tabs and line ends.
  void skip_white();

  /// Takes the rest of the line and its end ("\n" or "\r\n"), and returns the rest. For headers and
  /// comments: throws ParseError for a NUL byte and when such lines take more than 16 MiB in all.
  TextLine take_line();

  /// The place of the next character.
  Place place() const { return {line_, before_ + (at_ - block_) - line_start_ + 1}; }
  /// The place of the character taken last, which must not have been a line's end.
  Place last_place() const { return {line_, place().column - 1}; }
  [[noreturn]] void fail(const Place& place, const std::string& message) const;
  /// Fails at the next character, naming it: "unexpected 'q'; MESSAGE", or "... end of file".
  [[noreturn]] void fail_unexpected(const std::string& message);

  /// What is left of the current block: before anything was taken, at least 256 KiB or everything.
  std::string_view ahead() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  /// Takes `count` characters of `ahead()`, none of them a line end.
  void skip(std::size_t count) { at_ += count; }
  const std::string& name() const { return bytes_->name(); }
  /// See ByteSource::check_rest.
  void check_rest() { bytes_->check_rest(); }

 private:
  bool fill();
  void start_line(const char* at) {
    line_++;
    line_start_ = before_ + (at - block_);
  }

  ByteSource* bytes_;
  const char* block_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::int64_t before_ = 0;      // characters before the block
  std::int64_t line_ = 1;        // of the next character
  std::int64_t line_start_ = 0;  // characters before that line
  std::int64_t line_bytes_ = 0;  // cost of the lines taken so far
};

}  // namespace tessera
