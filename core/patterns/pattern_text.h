#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/patterns/pattern.h"
#include "core/patterns/text_line.h"
#include "core/patterns/text_source.h"

namespace tessera {

// What the readers and writers of all text formats share.

/// Ranges of the numbers in headers and comments.
IntegerRange coordinate_range(const char* what);
IntegerRange generation_range();

/// The text of a comment after its marker, without the one space that separates them.
std::string comment_text(std::string_view after_marker);

/// Takes the value of a name or author line. The first one counts; further ones become comments
/// with their `label`.
void take_title(std::string& title, std::string_view value, const char* label, Pattern& pattern);

/// Ends reading: fits the box, and refuses a pattern whose cells, at its position, lie beyond
/// kMaxCoordinate; `place` is where the file gave that position. Reads compressed data to their
/// end.
void settle(Pattern& pattern, TextSource& text, const Place& place);

/// The pattern as writers need it: the box fitted, name and author trimmed and, like each comment,
/// on one line (a comment with line breaks becomes several). Nothing when the pattern already is
/// so.
std::optional<Pattern> tidied(const Pattern& pattern);

}  // namespace tessera
