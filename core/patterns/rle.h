#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads run length encoded text (LifeWiki: "Run Length Encoded"; Golly's extensions #CXRLE and the
/// universe after the rule; XLife's #P, #R and #r). The header may be missing; its sizes are hints,
/// widened to the cells. A pattern with a bounded universe and without a position is centred, as in
/// Golly, by the sizes of the header: at (-(x/2), -(y/2)). Text after '!' is ignored. Throws
/// ParseError.
Pattern read_rle(TextSource& text);

/// Writes everything that a tidied pattern has; lines of cells have at most 70 characters. A
/// pattern with a bounded universe and without a position is written, and read back, at (0, 0).
void write_rle(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
