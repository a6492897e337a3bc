#pragma once

#include <cuda.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_device.h"

namespace tessera::cuda {

/// The device time of what is queued on a stream, step by step. The context is current in all
/// calls. Throws DeviceError.
class StepClock {
 public:
  /// The stream outlives the clock.
  explicit StepClock(const Stream& stream) : stream_(stream) {}
  ~StepClock();
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  /// Counts what `queue()` puts on the stream. Waits only where hundreds of steps are pending.
  template <class Queue>
  void time(const Queue& queue) {
    begin();
    queue();
    end();
  }

  /// Waits for all steps; seconds of all of them so far.
  double seconds();

 private:
  void begin();
  void end();
  void collect(std::size_t keep);

  const Stream& stream_;
  std::vector<std::pair<CUevent, CUevent>> steps_;  // not yet added up
  double seconds_ = 0;
};

}  // namespace tessera::cuda
