#include "backends/cuda/step_clock.h"

#include "backends/cuda/cuda_library.h"

namespace tessera::cuda {

namespace {

constexpr std::size_t kPendingTimes = 256;

}  // namespace

StepClock::~StepClock() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(stream_.device().context());
  for (const auto& [begin, end] : steps_) {
    cuda_library().cuEventDestroy(begin);
    cuda_library().cuEventDestroy(end);
  }
  cuda_library().cuCtxPopCurrent(&context);
}

void StepClock::begin() {
  CUevent begin = nullptr, end = nullptr;
  TESSERA_CUDA("making an event", cuEventCreate, &begin, 0u);
  const CUresult made = cuda_library().cuEventCreate(&end, 0u);
  if (made != CUDA_SUCCESS) cuda_library().cuEventDestroy(begin);
  check_cuda(made, "cuEventCreate", "making an event");
  steps_.emplace_back(begin, end);
  TESSERA_CUDA("starting a step", cuEventRecord, begin, stream_.get());
}

void StepClock::end() {
  TESSERA_CUDA("ending a step", cuEventRecord, steps_.back().second, stream_.get());
  if (steps_.size() >= kPendingTimes) collect(kPendingTimes / 2);
}

void StepClock::collect(std::size_t keep) {
  const std::size_t count = steps_.size() > keep ? steps_.size() - keep : 0;
  for (std::size_t i = 0; i < count; i++) {
    const auto [begin, end] = steps_[i];
    float ms = 0;
    TESSERA_CUDA("timing a step", cuEventSynchronize, end);
    TESSERA_CUDA("timing a step", cuEventElapsedTime, &ms, begin, end);
    seconds_ += ms * 1e-3;
    cuda_library().cuEventDestroy(begin);
    cuda_library().cuEventDestroy(end);
    steps_[i] = {nullptr, nullptr};
  }
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
}

double StepClock::seconds() {
  collect(0);
  return seconds_;
}

}  // namespace tessera::cuda
