#pragma once

#include <cstdint>

namespace tessera {

/// Generations per step: a power of 2, 8 or 10, as in Golly.
struct StepSize {
  static constexpr int kBases[] = {2, 8, 10};
  static constexpr std::int64_t kMost = 1'000'000'000'000;  ///< generations

  int base = 10;  ///< one of kBases
  int exponent = 0;

  bool operator==(const StepSize&) const = default;

  /// The largest exponent of the base.
  static constexpr int most(int base) {
    int exponent = 0;
    for (std::int64_t size = base; size <= kMost; size *= base) exponent++;
    return exponent;
  }
  constexpr std::int64_t generations() const {
    std::int64_t size = 1;
    for (int i = 0; i < exponent; i++) size *= base;
    return size;
  }
  /// With another exponent, limited to what the base has.
  constexpr StepSize with_exponent(int next) const {
    return {base, next < 0 ? 0 : next > most(base) ? most(base) : next};
  }
  constexpr StepSize larger() const { return with_exponent(exponent + 1); }
  constexpr StepSize smaller() const { return with_exponent(exponent - 1); }
  /// With another base.
  constexpr StepSize with_base(int next) const { return StepSize{next}.with_exponent(exponent); }
};

}  // namespace tessera
