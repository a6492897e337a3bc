#include "backends/distributed/tile_sharing.h"

#include <algorithm>
#include <string_view>

#include "core/base/error.h"

namespace tessera {

namespace {

// Seconds that a tile's visit takes a device: an H100 under CUDA, lavapipe, and a thread of a
// processor.
constexpr double kVisit = 1.2e-9, kSoftwareVisit = 16e-6, kThreadVisit = 2.5e-7;

// Seconds that a tile takes on its way to another part, through the host: two H100s of one process
// took 2.5 us, and two of two ranks 4 us.
constexpr double kDividing = 4e-6;

}  // namespace

void check_link_of_tiles(LinkChoice link) {
  if (link == LinkChoice::automatic || link == LinkChoice::host) return;
  throw UnsupportedError(
      "tiles of several parts travel through the host: link auto and host "
      "are accepted for them, and --space grid takes all");
}

double visits_per_second(const Kernel& kernel, const Tuning& tuning) {
  if (kernel.device.software) return 1 / kSoftwareVisit;
  const bool processor = std::string_view(kernel.driver->name()) == "cpu";
  return processor ? std::max(1, tuning.threads) / kThreadVisit : 1 / kVisit;
}

SharePolicy share_policy(const std::vector<TileShare>& shares, const BandOptions& options,
                         double exchange_seconds, bool measured) {
  SharePolicy policy{.measured = measured};
  const double fastest = std::ranges::max(shares, {}, &TileShare::speed).speed;
  policy.worth = 2 * exchange_seconds * fastest;
  policy.dividing = kDividing * fastest;
  if (options.share_tiles >= 0) {
    policy.worth = options.share_tiles;
    policy.dividing = 0;
  }
  return policy;
}

}  // namespace tessera
