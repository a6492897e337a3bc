#pragma once

#include <atomic>

#include "backends/cpu/waiting.h"

namespace tessera {

/// A lock for a few instructions, which threads of several processes may share where it lies in
/// memory of all of them. For std::lock_guard.
class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire))
      wait_until([&] { return !taken_.load(std::memory_order_relaxed); });
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> taken_{false};
};

}  // namespace tessera
