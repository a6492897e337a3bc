#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// The lines of a rule file one after the other, and the words of each, for errors that tell
/// "path:line:column". Comments behind '#' are no part of a line.
class FileLines {
 public:
  FileLines(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  /// Goes to the next line, false at the end.
  bool next();
  /// Whether the line begins with '@', and so begins a section.
  bool section() const { return !line_.empty() && line_.front() == '@'; }
  /// The line without spaces at its ends, and where it ends in the text.
  std::string_view line() const { return line_; }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

  /// The next word of the line, ended by any of `ends` or by spaces; empty at the line's end. What
  /// stands between words is skipped.
  std::string_view word(std::string_view ends);
  /// What the line still holds, without spaces at its ends.
  std::string_view rest() const;
  /// Skips `keyword`, in upper or lower case, where the line begins with it.
  bool accept(std::string_view keyword);
  /// A whole number within low .. high, as which `word`, the last one read, is taken; `what` names
  /// it.
  std::int64_t number(std::string_view word, std::int64_t low, std::int64_t high,
                      const char* what) const;
  /// Whether the word is made of digits alone.
  static bool digits(std::string_view word);

  /// Throws ParseError at the last word.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string_view text_;
  const std::string& path_;
  std::string_view line_;
  std::size_t at_ = 0;     // in the text, where the next line begins
  std::size_t begin_ = 0;  // of this line
  std::size_t end_ = 0;
  std::size_t word_ = 0, place_ = 0;  // in the line: of the last word, and behind it
  std::size_t indent_ = 0;
  std::int64_t number_ = 0;  // of the line, from 1
};

}  // namespace tessera
