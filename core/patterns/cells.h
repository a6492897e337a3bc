#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads plaintext (LifeWiki: "Plaintext"): lines of '!' are comments, other lines are rows of '.'
/// for dead and 'O' or '*' for live cells; empty lines are empty rows. "!Name:" and "!Author:" are
/// understood, and, as an extension for what the format cannot express, so are "!Rule: B3/S23",
/// "!Position: x y" and "!Generation: n". Throws ParseError.
Pattern read_cells(TextSource& text);

/// Writes everything that a tidied pattern has, using these lines where needed. Throws InputError
/// when the rows take more than 4 GiB, before anything is written.
void write_cells(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
