// Warps of a launch that go on together, by chunks of their work.
#ifndef TESSERA_MEETING_CUH
#define TESSERA_MEETING_CUH

#include "kernel_params.h"
#include "ptx.cuh"

namespace tessera::cuda {

// A warp counts itself in within its block when it has ended a chunk, and the last of a block
// counts the block in; who waits for a chunk looks whether its block has seen that all blocks ended
// it, and only one warp of a block looks at the device's counters. A thousand warps that add to one
// word and ask for it took 4 % of the time of relay at 16384^2.
//
// Where bands of several devices go on together, all also wait until the neighbours have counted
// what ended there; see relay.cu.
//
// In the shared memory of a block: kRelayRing counters of a ring, how many warps there are, how
// many chunks all are known to have ended, and whether a warp is looking. `arrivals`: the device's
// ring.
class Meeting {
 public:
  // By all warps of a block, of which only those before `warps` in number take part later.
  __device__ __forceinline__ Meeting(Shared at, u32 warps, u32* arrivals)
      : at_(at), arrivals_(arrivals) {
    if (threadIdx.x < 32) {
      for (u32 i = threadIdx.x; i < kRelayMeeting / 4; i += 32) tell_block(at_ + 4 * i, 0);
      __syncwarp();
      if (threadIdx.x == 0) {
        tell_block(at_ + 4 * kPresent, (warps - blockIdx.x + gridDim.x - 1) / gridDim.x);
      }
    }
    __syncthreads();
  }

  // The warp has ended `chunk`, and all before it.
  __device__ __forceinline__ void arrive(u32 chunk) const {
    __syncwarp();
    if (threadIdx.x % 32 != 0) return;
    const u32 others = count_in_block(at_ + 4 * (chunk % kRelayRing));
    const u32 present = ask_block(at_ + 4 * kPresent);
    if (others + 1 == present * (chunk / kRelayRing + 1))
      add_release(arrivals_ + chunk % kRelayRing, 1);
  }

  // Waits until all warps of the launch have ended `chunk`; with kRing the neighbours also counted
  // to `counted`.
  template <bool kRing>
  __device__ __forceinline__ void await_all(u32 chunk, const u32* told, u32 counted) const {
    const Shared seen = at_ + 4 * kSeen, looking = at_ + 4 * kLooking;
    Patience patience;
    while (!patience.over((int)(ask_block(seen) - chunk) > 0)) {
      const bool first = threadIdx.x % 32 == 0;
      if (!__any_sync(~0u, first && take_in_block(looking))) continue;
      // Each lane looks at one counter.
      const bool here = !kRing || first;
      await(here ? arrivals_ + chunk % kRelayRing : told + threadIdx.x % 2,
            here ? gridDim.x * (chunk / kRelayRing + 1) : counted, true);
      if (first) {
        if ((int)(ask_block(seen) - chunk) <= 0) tell_block(seen, chunk + 1);
        tell_block(looking, 0);
      }
      break;
    }
  }

 private:
  static constexpr u32 kPresent = kRelayRing, kSeen = kRelayRing + 1, kLooking = kRelayRing + 2;

  Shared at_;
  u32* arrivals_;
};

}  // namespace tessera::cuda

#endif
