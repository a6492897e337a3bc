#include "core/patterns/text_line.h"

#include <fmt/format.h>

#include <charconv>

namespace tessera {

std::string to_string(const std::string& name, const Place& place) {
  return fmt::format("{}:{}:{}", name, place.line, place.column);
}

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7f) return fmt::format("'{}'", c);
  if (byte == ' ') return "space";
  if (byte == '\t') return "tab";
  if (byte == '\n') return "end of line";
  return fmt::format("byte 0x{:02x}", byte);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void TextLine::skip_spaces() {
  while (!done() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) at_++;
}

bool TextLine::accept(std::string_view word) {
  if (!rest().starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::int64_t TextLine::integer(const IntegerRange& range) {
  skip_spaces();
  const char* first = text_.data() + at_;
  const char* end = text_.data() + text_.size();
  const bool plus = first != end && *first == '+' && first + 1 != end && first[1] != '-';
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(plus ? first + 1 : first, end, value);
  if (error == std::errc::invalid_argument) {
    fail(fmt::format("a whole number for {} was expected", range.what));
  }
  if (error == std::errc::result_out_of_range || value < range.min || value > range.max) {
    fail(fmt::format("{} must be within {} to {}", range.what, range.min, range.max));
  }
  at_ = static_cast<std::size_t>(stop - text_.data());
  return value;
}

RuleSpec TextLine::rule() {
  skip_spaces();
  const std::string_view text = trimmed(rest());
  try {
    const RuleSpec spec = parse_rule_spec(text);
    at_ = text_.size();
    return spec;
  } catch (const ParseError& error) {
    // "rule:1:COLUMN: message", with the column counted from the rule's start.
    const std::string& place = error.place();
    if (!place.starts_with("rule:1:")) throw;  // in a rule file
    const std::size_t column = std::stoul(place.substr(place.rfind(':') + 1));
    fail_at(at_ + column - 1, std::string(error.what()).substr(place.size() + 2));
  }
}

void TextLine::expect_done(const std::string& expected) {
  skip_spaces();
  if (!done()) fail(fmt::format("unexpected {}; {}", shown(text_[at_]), expected));
}

void TextLine::fail_at(std::size_t index, const std::string& message) const {
  throw ParseError(
      to_string(name_, {place_.line, place_.column + static_cast<std::int64_t>(index)}), message);
}

}  // namespace tessera
