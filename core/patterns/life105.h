#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads Life 1.05 (LifeWiki: "Life 1.05"): an optional "#Life 1.05" line, lines as LifeNotes reads
/// them, and blocks of rows of '.' and '*', each under a "#P x y" line that gives the place of its
/// top-left cell. Blocks may overlap, and empty lines are ignored. The box encloses all blocks.
/// Throws ParseError.
Pattern read_life105(TextSource& text);

/// Writes everything that a tidied pattern has, as one block; its rows may be longer than the 80
/// characters of old programs. Throws InputError when they take more than 4 GiB, before anything is
/// written.
void write_life105(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
