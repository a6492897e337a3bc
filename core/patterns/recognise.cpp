#include "core/patterns/recognise.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/patterns/foreign_file.h"

namespace tessera {
namespace {

constexpr const char* kAccepted =
    "accepted are RLE (x = 3, y = 3, rule = B3/S23), macrocell ([M2]), plaintext .cells, "
    "Life 1.05, Life 1.06 and MCell, plain or gzip-compressed";

bool consists_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// What follows "#Life" when that is a number. Otherwise empty, and the line is a comment.
std::string_view life_version(std::string_view head) {
  constexpr std::string_view kMark = "#Life";
  if (!head.starts_with(kMark)) return {};
  const std::string_view line = head.substr(0, head.substr(0, 64).find_first_of("\r\n"));
  const std::string_view version = trimmed(line.substr(kMark.size()));
  const bool number = !version.empty() && version.front() >= '0' && version.front() <= '9';
  return number ? version : std::string_view{};
}

// Decides by the first line that is neither empty nor begins with '#'.
std::optional<PatternFormat> format_of_line(std::string_view line, bool after_hash) {
  if (line.starts_with('!')) return after_hash ? PatternFormat::rle : PatternFormat::cells;
  if (line.starts_with('x') || line.starts_with('X')) return PatternFormat::rle;
  if (consists_of(line, ".O*")) return after_hash ? PatternFormat::life105 : PatternFormat::cells;
  // Anything may follow the final '!'.
  if (consists_of(line.substr(0, line.find('!')), "0123456789bo$.A \t") &&
      line.find_first_of("bo$!A") != std::string_view::npos) {
    return PatternFormat::rle;
  }
  return std::nullopt;
}

// What a file is that nothing else tells.
const char* not_a_pattern(std::string_view head) {
  const bool text = std::none_of(head.begin(), head.end(), [](unsigned char c) {
    return c == 0x7f || (c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f');
  });
  return text ? "not a pattern but other text" : "not a pattern but binary data";
}

// What is wrong with a file that has no pattern: what it is, where that is known, or `otherwise`.
[[noreturn]] void refuse(const TextSource& text, const char* otherwise) {
  const std::string what = foreign_file(text.ahead(), text.name());
  text.fail(text.place(), (what.empty() ? otherwise : "this is " + what) + "; " + kAccepted);
}

}  // namespace

PatternFormat recognise(const TextSource& text) {
  const std::string_view head = text.ahead();
  if (const std::string_view version = life_version(head); !version.empty()) {
    if (version == "1.05") return PatternFormat::life105;
    if (version == "1.06") return PatternFormat::life106;
    text.fail(text.place(),
              "this version of Life files is not known; #Life 1.05 and #Life 1.06 are accepted");
  }
  if (head.starts_with("[M2]")) return PatternFormat::macrocell;
  if (head.starts_with("#MCell ")) return PatternFormat::mcell;
  std::optional<PatternFormat> suffix = format_of_suffix(text.name());
  // Without its first line it cannot be Life 1.06.
  if (suffix == PatternFormat::life106) suffix = PatternFormat::life105;
  bool after_hash = false;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    std::string_view line = head.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    line = line.substr(0, line.find_last_not_of('\r') + 1);
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      after_hash = true;
      continue;
    }
    std::optional<PatternFormat> format = format_of_line(line, after_hash);
    if (!format && foreign_file(head, "").empty()) format = suffix;
    if (!format) refuse(text, not_a_pattern(head));
    return *format;
  }
  // There are only comments so far. It is RLE if so many come first that nothing else can be seen.
  const bool more = head.size() + 3 >= ByteSource::kBlock;  // less a byte order mark
  const bool foreign = !foreign_file(head, "").empty();
  if (after_hash && !foreign && (suffix || more)) return suffix.value_or(PatternFormat::rle);
  refuse(text, after_hash ? "comments, but no pattern"
               : more     ? not_a_pattern(head)
                          : "the file is empty");
}

std::optional<PatternFormat> format_of_suffix(std::string path) {
  std::transform(path.begin(), path.end(), path.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  if (path.ends_with(".rle")) return PatternFormat::rle;
  if (path.ends_with(".mc")) return PatternFormat::macrocell;
  if (path.ends_with(".cells")) return PatternFormat::cells;
  if (path.ends_with(".lif") || path.ends_with(".life")) return PatternFormat::life106;
  if (path.ends_with(".l")) return PatternFormat::life105;
  return std::nullopt;
}

}  // namespace tessera
