#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/stepping/step_backend.h"

namespace tessera {

/// Seconds that an exchange costs from CUDA device to CUDA device, between peers and by NCCL; and
/// from where on deeper halos gain nothing that can be measured. Fitted to what was best on two
/// H100s from 16384x16384 to 65536x131072, where all between 96 and 160 are within a percent.
constexpr double kDeviceExchange = 2.5e-5, kGroupExchange = 3.3e-5;
constexpr std::int64_t kDeviceDeepest = 128, kGroupDeepest = 160;
/// Likewise through the host: threads meet and a device is waited for.
constexpr double kHostExchange = 2e-4;

/// What a choice of the halos' depth depends on.
struct HaloCosts {
  double cells_per_second = 0;  ///< of the slowest part, roughly
  double exchange_seconds = 0;  ///< of one exchange, apart from its length
  /// Rows that a band steps besides its own in a generation, on the average and per generation that
  /// its halos last: 2 where it steps all of them all the time, 1 where ever fewer.
  double rows_again = 2;
  std::int64_t deepest = 960;  ///< what choose_halo never exceeds
  /// Each part is a device of its own, and all reach each other's memory: BackendSpec::peer_bands.
  bool peers = false;
  /// Seconds that a part takes for so many generations of a band, halos included
  /// (Kernel::step_seconds); none where no part can tell.
  std::function<std::optional<double>(std::size_t part, const BackendSpec& band,
                                      std::int64_t generations)>
      band_seconds{};
};

/// The generations between two exchanges that cost the least: k of them step 2k rows of `width`
/// cells more per band in every generation (or k, see rows_again), and share one exchange, so that
/// the best k is the square root of exchange * rate / (2 * width). Rounded to a multiple of 32 or
/// 8, which the generations per pass of most kernels divide; from 1 to `most`.
std::int64_t choose_halo(std::int64_t width, std::int64_t most, const HaloCosts& costs);

/// The same where `seconds` tells what so many generations take between two exchanges, which need
/// not grow evenly: a kernel may deal rows out by fours to all of a device, and need time of its
/// own for every start. Of the multiples of 32 up to `most` one that takes as little time
/// per generation as any, within what can be measured, and rather less deep; nothing where
/// `seconds` tells nothing.
std::optional<std::int64_t> quickest_halo(
    std::int64_t most, double exchange_seconds,
    const std::function<std::optional<double>(std::int64_t generations)>& seconds);

}  // namespace tessera
