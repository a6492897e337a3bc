#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads Life 1.06 (LifeWiki: "Life 1.06"): a "#Life 1.06" line, then "x y" for each live cell in
/// any order; repeated ones count once. '#' lines, which the format does not forbid, are read as by
/// LifeNotes. The box encloses the cells, and the position is its corner. Throws ParseError.
Pattern read_life106(TextSource& text);

/// Writes a pattern. The declared box is lost where it is larger than that of the cells, and so is
/// the position of an empty pattern. A pattern without a position is written, and read back, at (0,
/// 0). Throws InputError when the cells could take more than 4 GiB, before anything is written.
void write_life106(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
