#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/rule.h"
#include "core/tiles/state_store.h"
#include "core/tiles/tile_pool.h"
#include "core/tiles/tile_table.h"

namespace tessera {

/// The cells of a window that may live (TileFrame), in the order of the kernel's vectors: word
/// 8 j + i is row 8 i + j.
struct alignas(64) WindowMask {
  std::uint64_t rows[64];
};

/// What visits of tiles in one step share.
struct TileVisit {
  Tile* tiles = nullptr;
  const TileState* now = nullptr;  ///< by tile number
  TileState* after = nullptr;      ///< likewise
  int generations = 1;             ///< 1 .. kTileMargin
  bool odd = false;                ///< TileStep::odd
  Rule rule;
  const WindowMask* masks = nullptr;  ///< by Tile::frame; not read for frame 0
  StateStore* states = nullptr;
  std::uint64_t stamp = 0;  ///< of the next worklist, see TileWork
  bool alone = true;        ///< one thread makes all visits of the step
};

/// A thread's share of the results: its part of the next worklist.
struct TileLane {
  StateStore::Lane states;
  std::vector<TileId> list, copied;
  std::vector<MissingTiles> missing;
};

/// Steps each tile of a list: its window, the 48 x 48 cells and 8 around, is eight vectors of eight
/// words whose lane i of vector j is row 8 i + j, so that the rows above and below are the vectors
/// before and after, and all generations happen in registers. A window whose states are those of
/// the step before is not computed, nor an empty one. Several threads may visit different tiles of
/// the same step at a time, each with its own lane; nothing is allocated when there is room in it.
void tile_visit(const TileVisit& visit, TileLane& lane, const TileId* list, std::size_t count);

/// The cells of one tile after visit.generations, as a state held once; slots stay as they are.
TileState tile_peek(const TileVisit& visit, TileId tile);

/// Live cells among the words of a state.
int tile_population(const std::uint64_t* words);

}  // namespace tessera
