#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// Line and column of a character, both from 1.
struct Place {
  std::int64_t line = 1;
  std::int64_t column = 1;
};

/// "NAME:LINE:COLUMN".
std::string to_string(const std::string& name, const Place& place);

/// A character for a message: 'q', or byte 0x07.
std::string shown(char c);

/// The accepted range of a number, and its name for messages: at least `min`, at most `max`.
struct IntegerRange {
  const char* what;  ///< names the number, for example "x"
  std::int64_t min;
  std::int64_t max;
};

/// One line of a file, read from left to right. Errors name the place in the file.
class TextLine {
 public:
  /// `place` is the position of the first character of `text` in the file `name`.
  TextLine(std::string name, Place place, std::string text)
      : name_(std::move(name)), place_(place), text_(std::move(text)) {}

  /// All characters, taken or not.
  const std::string& text() const { return text_; }
  bool done() const { return at_ == text_.size(); }
  /// Characters not taken yet.
  std::string_view rest() const { return std::string_view(text_).substr(at_); }

  /// Takes white space.
  void skip_spaces();
  /// Takes `word` when it comes next.
  bool accept(std::string_view word);
  /// Takes white space and then a number. Throws ParseError, naming the number, when there is none,
  /// and naming the range when it is out of range.
  std::int64_t integer(const IntegerRange& range);
  /// Takes the rest of the line, without white space around it, as a rule with an optional
  /// universe.
  RuleSpec rule();
  /// Throws ParseError unless only white space is left; `expected` ends the message.
  void expect_done(const std::string& expected);

  /// Fails at the next character.
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }
  /// Fails at character `index` of the text.
  [[noreturn]] void fail_at(std::size_t index, const std::string& message) const;

 private:
  std::string name_;
  Place place_;
  std::string text_;
  std::size_t at_ = 0;
};

/// The text without white space at either end.
std::string_view trimmed(std::string_view text);

}  // namespace tessera
