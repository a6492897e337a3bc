#pragma once

#include <cstdint>

#include "core/cells/cell_runs.h"
#include "core/patterns/quadtree.h"

namespace tessera {

/// The live cells of a square in reading order, with the cell (left, top) of the square, which
/// counts from its top-left cell, at (0, 0). No live cell lies left of or above it, or more than
/// kMaxCoordinate right of or below it. Takes time for each run and level, and memory for the runs
/// of eight rows beside the result.
CellRuns runs_of(const Quadtree& tree, Quadtree::Node square, std::uint64_t left,
                 std::uint64_t top);

/// Makes the square of 2^level cells per side, 3 <= level <= 64, that holds these cells with its
/// top-left cell at (left, top), modulo 2^64. All cells lie in it. Long runs cost no more than
/// short ones. Throws what Quadtree::join throws.
Quadtree::Node square_of(Quadtree& tree, const CellRuns& cells, std::int64_t left, std::int64_t top,
                         int level);

}  // namespace tessera
