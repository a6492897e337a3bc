#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads plaintext (LifeWiki: "Plaintext"): lines of '!' are comments, other lines are rows of '.'
/// for dead and 'O' or '*' for live cells; empty lines are empty rows. "!Name:" and "!Author:" are
/// understood, and, an extension for what the format cannot say, "!Rule: B3/S23", "!Position: x y"
/// and "!Generation: n". Throws ParseError.
Pattern read_cells(TextSource& text);

/// Writes it with everything a tidied pattern has, by these lines where need be. Throws InputError
/// when the rows take more than 4 GiB, before anything is written.
void write_cells(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
