#include "core/rules/file_lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::string_view kSpaces = " \t\r\f\v";

std::string_view trimmed_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kSpaces);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace

bool FileLines::next() {
  if (at_ >= text_.size()) return false;
  begin_ = at_;
  const std::size_t newline = text_.find('\n', at_);
  end_ = newline == std::string_view::npos ? text_.size() : newline;
  at_ = newline == std::string_view::npos ? text_.size() : newline + 1;
  number_++;
  line_ = text_.substr(begin_, end_ - begin_);
  line_ = trimmed_end(line_.substr(0, line_.find('#')));
  const std::size_t first = line_.find_first_not_of(kSpaces);
  indent_ = first == std::string_view::npos ? line_.size() : first;
  line_.remove_prefix(indent_);
  word_ = place_ = 0;
  return true;
}

std::string_view FileLines::word(std::string_view ends) {
  const auto apart = [&](char c) {
    return kSpaces.find(c) != std::string_view::npos || ends.find(c) != std::string_view::npos;
  };
  while (place_ < line_.size() && apart(line_[place_])) place_++;
  word_ = place_;
  while (place_ < line_.size() && !apart(line_[place_])) place_++;
  return line_.substr(word_, place_ - word_);
}

std::string_view FileLines::rest() const {
  const std::string_view rest = line_.substr(place_);
  const std::size_t first = rest.find_first_not_of(kSpaces);
  return first == std::string_view::npos ? std::string_view{} : rest.substr(first);
}

bool FileLines::accept(std::string_view keyword) {
  if (line_.size() < keyword.size()) return false;
  for (std::size_t i = 0; i < keyword.size(); i++) {
    if (std::tolower(static_cast<unsigned char>(line_[i])) != keyword[i]) return false;
  }
  place_ = word_ = keyword.size();
  return true;
}

bool FileLines::digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t FileLines::number(std::string_view word, std::int64_t low, std::int64_t high,
                               const char* what) const {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || !digits(word))
    fail(std::string("a whole number for ").append(what).append(" was expected"));
  if (error != std::errc{} || stop != word.data() + word.size() || value < low || value > high) {
    fail(std::string(what) + " must be within " + std::to_string(low) + " to " +
         std::to_string(high));
  }
  return value;
}

void FileLines::fail(const std::string& message) const {
  throw ParseError(path_ + ":" + std::to_string(std::max<std::int64_t>(number_, 1)) + ":" +
                       std::to_string(indent_ + word_ + 1),
                   message);
}

}  // namespace tessera
