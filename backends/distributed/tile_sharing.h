#pragma once

#include <vector>

#include "backends/distributed/distributed_plan.h"
#include "backends/distributed/shared_tiles.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// Throws UnsupportedError for links by which tiles do not travel.
void check_link_of_tiles(LinkChoice link);

/// Tiles that a kernel with this tuning visits per second, to a factor of a few: by the kind of its
/// device, and for a processor by threads.
double visits_per_second(const Kernel& kernel, const Tuning& tuning);

/// Tiles are worth sharing where a step takes one part longer than two exchanges, of so many
/// seconds; or from where `options` say. `measured` is that of SharePolicy.
SharePolicy share_policy(const std::vector<TileShare>& shares, const BandOptions& options,
                         double exchange_seconds, bool measured);

}  // namespace tessera
