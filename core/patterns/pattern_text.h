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

/// Numbers as headers and comments may give them.
IntegerRange coordinate_range(const char* what);
IntegerRange generation_range();

/// The text of a comment after its marker; one space that sets it off is not part of it.
std::string comment_text(std::string_view after_marker);

/// Takes the value of a name or author line: the first one counts, further ones are comments, kept
/// with their `label`.
void take_title(std::string& title, std::string_view value, const char* label, Pattern& pattern);

/// Ends reading: fits the box, and refuses a pattern whose cells, at its position, lie beyond
/// kMaxCoordinate; `place` is what put them there. Reads compressed data to their end.
void settle(Pattern& pattern, TextSource& text, const Place& place);

/// The pattern as writers need it, or nothing when it is so already: the box fitted, name and
/// author trimmed and, like each comment, on one line (a comment with line breaks becomes several).
std::optional<Pattern> tidied(const Pattern& pattern);

}  // namespace tessera
