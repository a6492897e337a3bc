#pragma once

#include <cstdint>

namespace tessera::gpu {

/// How tests look at allocations on devices and disturb them. Not thread-safe.
struct AllocationTrial {
  /// Bytes of canary on each side of what is allocated from now on; a multiple of 256.
  std::int64_t guard = 0;
  /// This allocation from now on (0 is the next) fails as if memory had run out; -1: none.
  std::int64_t fail_at = -1;

  /// To be called for each allocation: whether it fails.
  bool fails() { return fail_at >= 0 && fail_at-- == 0; }
};

inline AllocationTrial& allocation_trial() {
  static AllocationTrial trial;
  return trial;
}

}  // namespace tessera::gpu
