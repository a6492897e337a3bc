#pragma once

#include <cstdint>
#include <vector>

#include "backends/distributed/band_plan.h"
#include "backends/distributed/halo_depth.h"
#include "backends/distributed/halo_link.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// How the bands of a grid are joined.
struct BandOptions {
  std::int64_t halo = 0;  ///< generations between two exchanges; 0: chosen for each grid
  LinkChoice link = LinkChoice::automatic;
  /// Tiles visited per step from which several parts share them; negative: by what that costs.
  double share_tiles = -1;

  /// Whether devices may write to each other's memory.
  bool allows_peers() const { return link == LinkChoice::automatic || link == LinkChoice::peer; }
};

/// How a grid is cut: the bands, and the generations that their halos last.
struct DistributedPlan {
  std::vector<BandRows> bands;  ///< as plan_bands makes them
  /// Generations between two exchanges; halos have this many rows times the reach of the rule, at
  /// most the rows of any band where there are several. 0 for one band of a plain torus or plane,
  /// which has no halo.
  std::int64_t halo = 0;
  LinkChoice link = LinkChoice::automatic;
  bool peers = false;  ///< as in HaloCosts
  /// The parts step the whole grid together (HostCrew) and there are no halos: the bands tell whose
  /// rows are whose for all else.
  bool crew = false;

  /// Rows above and below the own ones of band `i`, which repeat its neighbours': none outside a
  /// plane.
  std::int64_t above(std::size_t i, const BackendSpec& spec) const;
  std::int64_t below(std::size_t i, const BackendSpec& spec) const;
  /// Columns on either side of the own ones that repeat others: none where the left edge and the
  /// right one are joined as they are, or end.
  std::int64_t beside(const BackendSpec& spec) const;
  /// Columns in front of the own ones, whole words of them: `beside` and what fills the first word.
  std::int64_t left(const BackendSpec& spec) const { return ceil_div(beside(spec), 64) * 64; }
  /// What band `i` asks of its backend: its rows and halos, as a torus or plane, which every kernel
  /// steps. What the edges of other surfaces show is in the halos.
  BackendSpec band_spec(std::size_t i, const BackendSpec& spec) const;
};

/// A band's share of the whole grid's limit of memory, or 0 where there is none.
std::int64_t memory_share(const BackendSpec& band, const BackendSpec& whole);

/// Cuts the grid into bands for parts of these weights, with halos as deep as `options` says or
/// `costs` advise. Throws UnsupportedError for a grid of a size that nothing holds, and where the
/// halos would be higher than a band.
DistributedPlan plan_grid(const BackendSpec& spec, const std::vector<double>& weights,
                          const BandOptions& options, const HaloCosts& costs);

}  // namespace tessera
