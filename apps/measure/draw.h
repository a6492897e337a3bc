#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cells/soup.h"

namespace tessera {

/// A stream of random numbers that depends on the seed alone, unlike the standard library's
/// distributions: SplitMix64.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(mix64(seed + kStep)) {}

  std::uint64_t word() { return mix64(state_ += kStep); }
  /// A number in 0 .. n-1; the bias of the remainder does not matter here.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(word() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(std::int64_t percent) { return below(100) < percent; }
  template <class T, std::size_t N>
  T one_of(const T (&values)[N]) {
    return values[below(N)];
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;

  std::uint64_t state_;
};

}  // namespace tessera
