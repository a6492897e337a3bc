#include "backends/cuda/cuda_ceiling.h"

#include <dlfcn.h>

#include <algorithm>
#include <functional>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/module.h"

namespace tessera::cuda {

namespace {

constexpr int kRepeats = 5;
constexpr unsigned kCeilingThreads = 128;
constexpr int kRounds = 2000;
constexpr double kGatesARound = 128;  // as kernels/ceiling.cu has them
constexpr double kBits = 32;
// Copies larger than any cache, on devices with enough memory.
constexpr std::int64_t kCopied = std::int64_t{1} << 30;

class Events {
 public:
  Events() {
    TESSERA_CUDA("making an event", cuEventCreate, &begin_, 0u);
    TESSERA_CUDA("making an event", cuEventCreate, &end_, 0u);
  }
  ~Events() {
    if (begin_) cuda_library().cuEventDestroy(begin_);
    if (end_) cuda_library().cuEventDestroy(end_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // The shortest time in seconds that the device takes for what `queue` puts into the stream; the
  // first run does not count.
  double best_of(const Stream& stream, const std::function<void()>& queue) const {
    float best = 1e30f;
    for (int i = 0; i <= kRepeats; i++) {
      TESSERA_CUDA("timing", cuEventRecord, begin_, stream.get());
      queue();
      TESSERA_CUDA("timing", cuEventRecord, end_, stream.get());
      TESSERA_CUDA("timing", cuEventSynchronize, end_);
      float milliseconds = 0;
      TESSERA_CUDA("timing", cuEventElapsedTime, &milliseconds, begin_, end_);
      if (i > 0) best = std::min(best, milliseconds);
    }
    return best * 1e-3;
  }

 private:
  CUevent begin_ = nullptr, end_ = nullptr;
};

// The few calls of NVIDIA's management library in use; its types are numbers and pointers.
struct ManagementLibrary {
  using Handle = void*;
  int (*init)() = nullptr;
  int (*handle_by_bus)(const char*, Handle*) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;

  ManagementLibrary() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    init = reinterpret_cast<decltype(init)>(dlsym(library, "nvmlInit_v2"));
    handle_by_bus = reinterpret_cast<decltype(handle_by_bus)>(
        dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    clock = reinterpret_cast<decltype(clock)>(dlsym(library, "nvmlDeviceGetClockInfo"));
  }
  bool usable() const { return init && handle_by_bus && clock && init() == 0; }
};

}  // namespace

Ceiling measure_ceiling(std::shared_ptr<const CudaDevice> device) {
  const Current current(*device);
  const Stream stream(device);
  const Events events;
  Ceiling out;
  {
    const Module module(device, {"ceiling.cu", {}, {}});
    const CUfunction kernel = module.function("ceiling");
    const std::int64_t blocks = std::int64_t{16} * device->facts().multiprocessors;
    const DeviceMemory results(device, stream, blocks * kCeilingThreads * 4, "results");
    const double seconds = events.best_of(stream, [&] {
      launch(kernel, {blocks, kCeilingThreads}, stream, "ceiling", results.at(), kRounds);
    });
    out.gates =
        static_cast<double>(blocks) * kCeilingThreads * kRounds * kGatesARound * kBits / seconds;
  }
  const std::int64_t bytes = std::min(kCopied, device->memory().free / 4 / 4096 * 4096);
  if (bytes > 0) {
    const DeviceMemory from(device, stream, bytes, "a copy's source"),
        to(device, stream, bytes, "a copy");
    const double seconds = events.best_of(stream, [&] {
      TESSERA_CUDA("copying", cuMemcpyDtoDAsync, to.at(), from.at(),
                   static_cast<std::size_t>(bytes), stream.get());
    });
    out.bytes = 2 * static_cast<double>(bytes) / seconds;
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> clock_rates(const CudaDevice& device) {
  static const ManagementLibrary kLibrary;
  if (!kLibrary.usable()) return {};
  CUdevice handle = 0;
  char bus[32] = {};
  ManagementLibrary::Handle managed = nullptr;
  const CudaLibrary& cuda = cuda_library();
  if (cuda.cuDeviceGet(&handle, device.facts().index) != CUDA_SUCCESS ||
      cuda.cuDeviceGetPCIBusId(bus, sizeof bus, handle) != CUDA_SUCCESS ||
      kLibrary.handle_by_bus(bus, &managed) != 0) {
    return {};
  }
  constexpr std::pair<const char*, int> kClocks[] = {{"multiprocessors", 1}, {"memory", 2}};
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [label, which] : kClocks) {
    unsigned megahertz = 0;
    if (kLibrary.clock(managed, which, &megahertz) == 0)
      out.emplace_back(label, std::to_string(megahertz) + " MHz");
  }
  return out;
}

}  // namespace tessera::cuda
