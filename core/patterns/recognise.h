#pragma once

#include <optional>
#include <string>

#include "core/patterns/pattern_format.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// The format of a pattern, recognised by its first lines, or by the suffix of its name where these
/// fit several formats. Takes nothing from the source. Throws ParseError, naming what is accepted,
/// for an empty file, an unknown version of Life, and anything that is not a pattern.
PatternFormat recognise(const TextSource& text);

/// The format that a path's suffix names, in upper or lower case, with or without ".gz" after it.
std::optional<PatternFormat> format_of_suffix(std::string path);

}  // namespace tessera
