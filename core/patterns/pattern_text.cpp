#include "core/patterns/pattern_text.h"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

bool box_fits(const Pattern& pattern) {
  const std::optional<Bounds> cells = pattern.cells.bounds();
  if (!cells)
    return (pattern.width > 0 && pattern.height > 0) || (pattern.width == 0 && pattern.height == 0);
  return cells->xmin >= 0 && cells->ymin >= 0 && cells->xmax < pattern.width &&
         cells->ymax < pattern.height;
}

// Removes line breaks, the NUL bytes that readers refuse, and the line end that they drop.
std::string one_line(std::string_view text) {
  std::string out(text.substr(0, text.find_last_not_of('\r') + 1));
  for (char& c : out) {
    if (c == '\n' || c == '\0') c = ' ';
  }
  return out;
}

std::string title(std::string_view text) { return std::string(trimmed(one_line(text))); }

bool is_comment(const std::string& text) {
  return text.find('\n') == std::string::npos && one_line(text) == text;
}

}  // namespace

IntegerRange coordinate_range(const char* what) { return {what, -kMaxCoordinate, kMaxCoordinate}; }

IntegerRange generation_range() {
  return {"the generation", 0, std::numeric_limits<std::int64_t>::max()};
}

std::string comment_text(std::string_view after_marker) {
  if (after_marker.starts_with(' ')) after_marker.remove_prefix(1);
  return std::string(after_marker);
}

void take_title(std::string& title, std::string_view value, const char* label, Pattern& pattern) {
  if (title.empty()) {
    title = trimmed(value);
  } else {
    pattern.comments.push_back(label + std::string(trimmed(value)));
  }
}

void settle(Pattern& pattern, TextSource& text, const Place& place) {
  text.check_rest();
  try {
    fit_box(pattern);
  } catch (const InputError& error) {
    text.fail(place, error.what());
  }
  const std::optional<Bounds> cells = pattern.cells.bounds();
  if (!cells || !pattern.position) return;
  const auto reaches = [](std::int64_t at, std::int64_t low, std::int64_t high) {
    return at >= -kMaxCoordinate - low && at <= kMaxCoordinate - high;
  };
  if (!reaches(pattern.position->x, cells->xmin, cells->xmax) ||
      !reaches(pattern.position->y, cells->ymin, cells->ymax)) {
    text.fail(place,
              "at this position the pattern reaches further than 2^62 cells from the origin");
  }
}

std::optional<Pattern> tidied(const Pattern& pattern) {
  if (box_fits(pattern) && title(pattern.name) == pattern.name &&
      title(pattern.author) == pattern.author &&
      std::all_of(pattern.comments.begin(), pattern.comments.end(), is_comment)) {
    return std::nullopt;
  }
  Pattern tidy = pattern;
  fit_box(tidy);
  tidy.name = title(pattern.name);
  tidy.author = title(pattern.author);
  tidy.comments.clear();
  for (const std::string& comment : pattern.comments) {
    std::size_t start = 0;
    for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
      end = comment.find('\n', start);
      tidy.comments.push_back(one_line(std::string_view(comment).substr(start, end - start)));
    }
  }
  return tidy;
}

}  // namespace tessera
