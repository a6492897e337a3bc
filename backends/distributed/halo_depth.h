#pragma once

#include <cstdint>

namespace tessera {

/// What a choice of the halos' depth depends on.
struct HaloCosts {
  double cells_per_second = 0;  ///< of the slowest part, roughly
  double exchange_seconds = 0;  ///< of one exchange, apart from its length
  /// Rows that a band steps besides its own in a generation, on the average and per generation that
  /// its halos last: 2 where it steps all of them all the time, 1 where ever fewer.
  double rows_again = 2;
};

/// The generations between two exchanges that cost the least: k of them step 2k rows of `width`
/// cells more per band in every generation (or k, see rows_again), and share one exchange, so that
/// the best k is the square root of exchange * rate / (2 * width). Rounded to a multiple of 32 or
/// 8, which the generations per pass of most kernels divide; from 1 to `most`.
std::int64_t choose_halo(std::int64_t width, std::int64_t most, const HaloCosts& costs);

}  // namespace tessera
