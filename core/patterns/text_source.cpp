#include "core/patterns/text_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

constexpr std::int64_t kMaxLineBytes = std::int64_t{16} << 20;
// What a kept line costs besides its characters.
constexpr std::int64_t kLineCost = 64;

}  // namespace

TextSource::TextSource(ByteSource& bytes) : bytes_(&bytes) {
  if (fill() && ahead().starts_with("\xef\xbb\xbf")) {
    at_ += 3;
    line_start_ = 3;
  }
}

bool TextSource::fill() {
  before_ += end_ - block_;
  const std::string_view block = bytes_->next();
  block_ = at_ = block.data();
  end_ = block_ + block.size();
  return !block.empty();
}

std::int64_t TextSource::take_while(char c) {
  std::int64_t taken = 0;
  while (at_ != end_ || fill()) {
    const char* other = std::find_if(at_, end_, [c](char d) { return d != c; });
    taken += other - at_;
    at_ = other;
    if (at_ != end_) break;
  }
  return taken;
}

void TextSource::skip_white() {
  const auto is_white = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (at_ != end_ || fill()) {
    for (; at_ != end_; at_++) {
      if (!is_white(*at_)) return;
      if (*at_ == '\n') start_line(at_ + 1);
    }
  }
}

TextLine TextSource::take_line() {
  const Place start = place();
  std::string text;
  while (at_ != end_ || fill()) {
    const auto* newline =
        static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    const char* stop = newline ? newline : end_;
    line_bytes_ += stop - at_ + (newline ? kLineCost : 0);
    if (line_bytes_ > kMaxLineBytes) fail(start, "header and comment lines take more than 16 MiB");
    text.append(at_, stop);
    at_ = stop;
    if (newline) {
      get();
      break;
    }
  }
  text.erase(text.find_last_not_of('\r') + 1);
  const std::size_t nul = text.find('\0');
  TextLine line(name(), start, std::move(text));
  if (nul != std::string::npos) line.fail_at(nul, "a NUL byte; patterns are text");
  return line;
}

void TextSource::fail(const Place& place, const std::string& message) const {
  throw ParseError(to_string(name(), place), message);
}

void TextSource::fail_unexpected(const std::string& message) {
  const int c = peek();
  const Place at = place();
  fail(at,
       "unexpected " + (c == kEnd ? "end of file" : shown(static_cast<char>(c))) + "; " + message);
}

}  // namespace tessera
