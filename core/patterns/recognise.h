#pragma once

#include <optional>
#include <string>

#include "core/patterns/pattern_format.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Tells the format of a pattern by its first lines, or, where these could be several, by the
/// suffix of its name. Takes nothing. Throws ParseError for an empty file, an unknown version of
/// Life, and what is no pattern, naming what is accepted.
PatternFormat recognise(const TextSource& text);

/// The format that a path's suffix names, in any case of letters and with or without ".gz" behind
/// it.
std::optional<PatternFormat> format_of_suffix(std::string path);

}  // namespace tessera
