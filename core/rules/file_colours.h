#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/file_lines.h"
#include "core/rules/file_rule.h"

namespace tessera {

/// Reads a line of @COLORS into the colours of the states: "state red green blue", or the colours
/// of state 1 and of the last one, between which the others lie. States that the rule has not are
/// skipped. Throws ParseError with the place.
void read_colours(FileLines& lines, std::vector<std::optional<FileColour>>& colours);

/// Reads the text of a file NAME.colors, in which older Gollys kept the colours of NAME.table or
/// NAME.tree: lines "color = state red green blue" and "gradient = red green blue red green blue".
/// `path` is the place in errors. Throws ParseError with "path:line:column".
void read_old_colours(std::string_view text, const std::string& path,
                      std::vector<std::optional<FileColour>>& colours);

}  // namespace tessera
