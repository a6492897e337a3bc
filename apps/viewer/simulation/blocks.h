#pragma once

#include <cstdint>
#include <vector>

#include "core/cells/cell_grid.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// How pasted cells meet those that are there.
enum class PasteMode { or_, xor_, replace };

/// "or", "xor", "replace".
const char* name_of(PasteMode mode);

/// A quarter turn clockwise.
CellGrid rotated(const CellGrid& cells);
/// Left and right exchanged.
CellGrid flipped_x(const CellGrid& cells);
/// Top and bottom exchanged.
CellGrid flipped_y(const CellGrid& cells);

/// Puts `cells` onto `under`, which has the same size and planes: all of them, those that are not
/// in state 0 (or), or the exclusive or of the states.
void combine(CellGrid& under, const CellGrid& cells, PasteMode mode);

/// A part of a rectangle that meets a universe: the part, relative to the rectangle's top-left
/// cell, and where in the universe it lies.
struct Overlap {
  Rect part;
  Cell at;
};

/// The same cells with as many planes as a rule needs. A state that the rule has not becomes 1.
CellGrid fitted(CellGrid cells, const Rule& rule);

/// The parts of `rect` that lie in the universe of `spec`: on a torus, cells beyond an edge come in
/// at the opposite one, and a rectangle larger than it is cut to its size; a bounded plane cuts;
/// on the infinite plane it is the rectangle itself.
std::vector<Overlap> overlaps(const Rect& rect, const RuleSpec& spec);

}  // namespace tessera
