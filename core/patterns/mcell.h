#pragma once

#include "core/patterns/pattern.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// Reads files of Mirek Wójtowicz's program MCell 2 to 4 (.mcl), all of whose lines begin with '#':
/// "#GAME" Life, Generations or Larger than Life with its "#RULE", or any game with a line
/// "#GOLLY RULE", which Golly adds; "#BOARD WxH" and "#WRAP 0" or "1", a bounded plane or a torus;
/// "#D" comments; and "#L" cells, '.' for state 0, A to X for states 1 to 24 and aA to jX for the
/// next ones, '$' for a new row, each behind a count. On a board the pattern is centred, as MCell
/// and, from RLE, Golly do. (bgolly 3.3 puts its corner in the middle of the board, where full-size
/// patterns do not fit.) Speed and colours are ignored. Throws ParseError, also for other games.
Pattern read_mcell(TextSource& text);

}  // namespace tessera
