#pragma once

#include <algorithm>
#include <thread>

#include "core/stepping/tuning.h"

namespace tessera {

inline constexpr int kMostThreads = 4096;

inline int all_threads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// The threads that can run at once, at most those that the tuning asks for.
inline int usable_threads(const Tuning& tuning) {
  return tuning.threads == 0 ? all_threads() : std::min(tuning.threads, all_threads());
}

}  // namespace tessera
