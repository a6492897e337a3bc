#pragma once

#include <thread>

namespace tessera {

/// Turns of a wait, some tens of nanoseconds each, before a thread gives its processor away.
inline constexpr int kWaitingTurns = 2000;

inline void pause_turn() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits without sleeping until `done` returns true, and yields the processor when others want it.
template <class Done>
void wait_until(const Done& done) {
  for (int turns = 0; !done(); turns++) {
    if (turns < kWaitingTurns) {
      pause_turn();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace tessera
