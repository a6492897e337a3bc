// A warp of 32 lanes on a CPU, or a block of several: coroutines that run in turn until each has
// come to the next exchange, or barrier, or to its end. Defines what ptx.cuh declares, for the one
// source of a program that includes it. x86-64; one warp or block at a time in each thread of the
// program.
#ifndef TESSERA_WARP_CUH
#define TESSERA_WARP_CUH

#include "ptx.cuh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

// Saves what a function must keep, goes on on another stack, and gives back where this one stands.
// swapcontext would do it with two system calls.
extern "C" void tessera_switch(void** from, void* to);
asm(R"(
.text
.globl tessera_switch
.type tessera_switch, @function
tessera_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tessera_switch, .-tessera_switch
)");

namespace emulated {

struct Warp {
  static constexpr std::size_t kStack = 128 << 10;
  static constexpr std::size_t kMost = 32 * 16;

  std::array<void*, kMost> lanes{};
  std::array<bool, kMost> done{};
  std::array<unsigned int, kMost> given{}, taken{};
  std::unique_ptr<char[]> stacks;  // whose pages are memory only where they are used
  unsigned int room = 0;           // lanes that have one
  void* home = nullptr;
  unsigned int count = 0, lane = 0;
  bool waits = false;  // for other warps
  std::function<void()> kernel;
};
inline thread_local Warp warp;
// Where the warps of a block run by turns: how often lanes of each block have come to a barrier.
inline thread_local std::vector<std::uint64_t> at_barrier;

inline void run_lane() {
  warp.kernel();
  warp.done[warp.lane] = true;
  void* never = nullptr;
  tessera_switch(&never, warp.home);
}

/// Gets warp.kernel ready for `count` lanes.
inline void start_lanes(unsigned int count) {
  if (warp.room < count) {
    warp.stacks = std::make_unique_for_overwrite<char[]>(count * Warp::kStack);
    warp.room = count;
  }
  warp.count = count;
  for (unsigned int lane = 0; lane < count; lane++) {
    // The stack is as if run_lane had been called, and had called tessera_switch.
    char* const top = warp.stacks.get() + (lane + 1) * Warp::kStack;
    auto* frame =
        reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
    *--frame = nullptr;
    *--frame = reinterpret_cast<void*>(run_lane);
    for (int saved = 0; saved < 6; saved++) *--frame = nullptr;
    warp.lanes[lane] = frame;
    warp.done[lane] = false;
  }
}

/// Runs them, of which the first is thread `first` of its block, until they wait for other warps,
/// or have ended: then true.
inline bool go_on(unsigned int first, unsigned int count) {
  Warp& own = warp;
  for (bool running = true; running;) {
    running = own.waits = false;
    own.taken = own.given;
    for (unsigned int lane = 0; lane < count; lane++) {
      if (own.done[lane]) continue;
      running = true;
      own.lane = lane;
      threadIdx.x = first + lane;
      tessera_switch(&own.home, own.lanes[lane]);
    }
    if (own.waits) return false;
  }
  return true;
}

/// What a lane does that waits for other warps, where go_on() runs them by turns.
inline void rest() {
  warp.waits = true;
  tessera_switch(&warp.lanes[warp.lane], warp.home);
}

/// Runs warp.kernel for `count` lanes, of which the first is thread `first` of its block.
inline void run_lanes(unsigned int first, unsigned int count) {
  start_lanes(count);
  go_on(first, count);
}

/// Runs warp.kernel for the lanes of warp `number` of a block.
inline void run_warp(unsigned int number) { run_lanes(32 * number, 32); }
/// The same for all warps of a block, which go through their exchanges and barriers alike.
inline void run_block(unsigned int warps) { run_lanes(0, 32 * warps); }

/// Returns the warp, which takes time to find.
inline Warp& meet(unsigned int value) {
  Warp& own = warp;
  const unsigned int lane = own.lane;
  own.given[lane] = value;
  tessera_switch(&own.lanes[lane], own.home);
  return own;
}

}  // namespace emulated

unsigned int exchange(unsigned int value, unsigned int from) {
  const emulated::Warp& warp = emulated::meet(value);
  return warp.taken[warp.lane / 32 * 32 + from];
}

unsigned int ballot(bool value) {
  emulated::meet(value);
  unsigned int bits = 0;
  const unsigned int first = emulated::warp.lane / 32 * 32;
  for (unsigned int lane = 0; lane < 32; lane++) bits |= emulated::warp.taken[first + lane] << lane;
  return bits;
}

bool Patience::over(bool come) {
  emulated::meet(come);
  bool all = true;
  for (unsigned int lane = 0; lane < emulated::warp.count; lane++)
    all = all && emulated::warp.taken[lane] != 0;
  if (all) return true;
  if (while_awaiting) {
    while_awaiting();
  } else {
    std::this_thread::yield();
  }
  return false;
}

void __syncthreads() {
  if (emulated::at_barrier.empty()) {
    emulated::meet(0);
    return;
  }
  std::uint64_t& come = emulated::at_barrier.at(first_block + blockIdx.x);
  const std::uint64_t all = (come / blockDim.x + 1) * blockDim.x;
  come++;
  // At least once: the lanes of a warp stay together.
  do {
    emulated::rest();
  } while (come < all);
}

#endif
