#pragma once

#include <cstdint>
#include <vector>

#include "core/cells/bit_grid.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// How pasted cells meet those that are there.
enum class PasteMode { or_, xor_, replace };

/// "or", "xor", "replace".
const char* name_of(PasteMode mode);

/// A quarter turn clockwise.
BitGrid rotated(const BitGrid& cells);
/// Left and right exchanged.
BitGrid flipped_x(const BitGrid& cells);
/// Top and bottom exchanged.
BitGrid flipped_y(const BitGrid& cells);

/// Puts `cells` onto `under`, which has the same size.
void combine(BitGrid& under, const BitGrid& cells, PasteMode mode);

/// A part of a rectangle that meets a universe: the part, relative to the rectangle's top-left
/// cell, and where in the universe it lies.
struct Piece {
  Rect part;
  Cell at;
};

/// The parts of `rect` that lie in the universe of `spec`: on a torus, cells beyond an edge come in
/// at the opposite one, and a rectangle larger than it is cut to its size; a bounded plane cuts;
/// on the infinite plane it is the rectangle itself.
std::vector<Piece> pieces_of(const Rect& rect, const RuleSpec& spec);

}  // namespace tessera
