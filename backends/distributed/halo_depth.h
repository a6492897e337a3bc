#pragma once

#include <cstdint>

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
  std::int64_t deepest = 960;  ///< what is never exceeded
};

/// The generations between two exchanges that cost the least: k of them step 2k rows of `width`
/// cells more per band in every generation (or k, see rows_again), and share one exchange, so that
/// the best k is the square root of exchange * rate / (2 * width). Rounded to a multiple of 32 or
/// 8, which the generations per pass of most kernels divide; from 1 to `most`.
std::int64_t choose_halo(std::int64_t width, std::int64_t most, const HaloCosts& costs);

}  // namespace tessera
