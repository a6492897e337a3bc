#pragma once

#include <vector>

#include "backends/distributed/distributed_plan.h"
#include "backends/distributed/turn.h"
#include "core/stepping/row_port.h"

namespace tessera {

/// Own cells of a band that another one, or the same, repeats in its halos.
struct HaloPiece {
  int from = 0, to = 0;           ///< bands
  RowSide side = RowSide::below;  ///< of the giving band, where the other one's halo is
  Rect cells;                     ///< of the grid
  Cell at;    ///< top-left one of the copy, in the grid's coordinates, which go on beyond its edges
  Turn turn;  ///< of the copy
};

/// What fills the halos of all bands of a grid, from the first band's to the last one's. The same
/// arguments give the same pieces everywhere.
std::vector<HaloPiece> halo_pieces(const BackendSpec& spec, const DistributedPlan& plan);

/// What the bands of `plan` lack when their rows were those of `owners` before, whose numbers are
/// the same: all halos, and own rows that others had.
std::vector<HaloPiece> moved_pieces(const BackendSpec& spec, const DistributedPlan& plan,
                                    const std::vector<BandRows>& owners);

}  // namespace tessera
