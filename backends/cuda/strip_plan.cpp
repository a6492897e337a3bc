#include "backends/cuda/strip_plan.h"

#include "core/base/geometry.h"

namespace tessera::cuda {

std::int64_t rows_owned(const Tuning& t) { return 32 * t.rows - 2 * t.generations; }

int vector_rows(const Tuning& t) {
  const auto suits = [&](int rows) { return t.rows % rows == 0 && t.generations % rows == 0; };
  return suits(4) ? 4 : suits(2) ? 2 : 1;
}

int halo_bits(const Tuning& t) { return static_cast<int>(ceil_div(t.generations, t.words)); }
std::int64_t macro_width(const Tuning& t) { return std::int64_t{32 - 2 * halo_bits(t)} * t.words; }

StripPlan strip_plan(const Tuning& t, std::int64_t width, std::int64_t rows,
                     const DeviceFacts& facts, double least_saving) {
  const std::int64_t units = ceil_div(width, macro_width(t));
  const std::int64_t most = rows_owned(t), vector = vector_rows(t);
  // Tiles of equal height, so that none is short.
  StripPlan even;
  even.tile_rows = ceil_div(rows, most);
  even.tile_height = ceil_div(ceil_div(rows, even.tile_rows), vector) * vector;
  even.tile_rows = ceil_div(rows, even.tile_height);
  even.tiles = units * even.tile_rows;
  // Tiles of the full height, and the remainders of several macro-columns in one tile.
  StripPlan full;
  full.tile_rows = rows / most;
  full.tile_height = most;
  const std::int64_t left = rows - full.tile_rows * most;
  full.shared_lanes = ceil_div(left + 2 * t.generations, t.rows);
  full.shared_by = kWarpLanes / full.shared_lanes;
  if (left == 0 || full.shared_by < 2) return even;
  full.shared_tiles = ceil_div(units, full.shared_by);
  full.tiles = units * full.tile_rows + full.shared_tiles;
  // They gain nothing where each tile has its own scheduler.
  const auto least = static_cast<std::int64_t>(static_cast<double>(even.tiles) * least_saving);
  const bool pays = even.tiles - full.tiles >= least && full.tiles < even.tiles &&
                    even.tiles > std::int64_t{kSchedulers} * facts.multiprocessors;
  return pays ? full : even;
}

}  // namespace tessera::cuda
