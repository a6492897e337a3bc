#include "backends/batches.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "backends/cpu/cpu_batch.h"
#include "backends/cpu/cpu_driver.h"
#ifdef TESSERA_HAVE_CUDA
#include "backends/cuda/cuda_batch.h"
#endif
#include "backends/drivers.h"
#ifdef TESSERA_HAVE_VULKAN
#include "backends/vulkan/vulkan_batch.h"
#endif
#include "core/base/error.h"
#include "core/stepping/grids_batch.h"

namespace tessera {
namespace {

// Who steps batches as one job, by the driver's name; both functions are as for the CPU.
struct BatchMaker {
  const char* driver;
  std::optional<std::string> (*unsupported)(int device, const BatchSpec&, const std::string&);
  std::unique_ptr<Batch> (*make)(int device, const BatchSpec&, const std::string&, const Tuning&);
};

constexpr BatchMaker kMakers[] = {
#ifdef TESSERA_HAVE_CUDA
    {"cuda", cuda_batch_unsupported, make_cuda_batch},
#endif
#ifdef TESSERA_HAVE_VULKAN
    {"vulkan", vulkan_batch_unsupported, make_vulkan_batch},
#endif
    {"cpu",
     [](int, const BatchSpec& spec, const std::string& kernel) {
       return cpu_batch_unsupported(spec, kernel);
     },
     [](int, const BatchSpec& spec, const std::string& kernel, const Tuning& tuning) {
       return make_cpu_batch(spec, kernel, tuning);
     }},
};

const BatchMaker* maker_of(const Driver& driver) {
  for (const BatchMaker& maker : kMakers)
    if (std::string_view(driver.name()) == maker.driver) return &maker;
  return nullptr;
}

bool steps_batches_alone(const Driver& driver, const std::string& kernel) {
  return std::ranges::any_of(driver.batch_kernels(),
                             [&](const KernelInfo& each) { return each.name == kernel; });
}

// Nothing where universes may step one after the other instead.
std::unique_ptr<Batch> one_job(const Driver& driver, int device, const std::string& kernel,
                               const BatchSpec& spec, const Tuning& tuning) {
  const BatchMaker* maker = maker_of(driver);
  if (!maker) return nullptr;
  if (const auto why = maker->unsupported(device, spec, kernel)) {
    if (steps_batches_alone(driver, kernel)) throw UnsupportedError(*why);
    return nullptr;
  }
  return maker->make(device, spec, kernel, tuning);
}

// On any kernel; universes stay in the host's memory.
std::unique_ptr<Batch> one_by_one(const Kernel& kernel, BatchSpec spec, Tuning tuning) {
  const std::int64_t machine = cpu_driver().devices().devices.front().memory;
  const std::int64_t limit = spec.each.max_memory;
  if (!kernel.info.parameter(&Tuning::threads)) tuning.threads = 0;
  std::unique_ptr<StepBackend> backend = kernel.create(spec.each, tuning);
  spec.each.max_memory = limit > 0 ? std::min(limit, machine) : machine;
  return std::make_unique<GridsBatch>(spec, std::move(backend));
}

}  // namespace

std::unique_ptr<Batch> make_batch(const std::string& backend, const std::string& kernel,
                                  const BatchSpec& spec, const Tuning& tuning) {
  batch_bytes(spec);
  if (names_several(backend)) {
    throw InputError("backend '" + backend +
                     "': a batch runs on one device, such as cpu, cuda:0 or vulkan:0");
  }
  std::string reasons;
  if (backend == "auto") {
    for (const Driver* driver : drivers()) {
      if (!maker_of(*driver)) continue;
      for (const DeviceInfo& device : driver->devices().devices) {
        if (device.software) continue;
        try {
          if (auto batch = one_job(*driver, device.index, kernel, spec, tuning)) return batch;
        } catch (const UnsupportedError& error) {  // too little memory: perhaps the next has more
          reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
        }
      }
    }
  }
  if (!reasons.empty()) throw UnsupportedError(reasons);
  const Kernel chosen = KernelChooser(backend, kernel).choose(spec.each);
  if (backend != "auto") {
    if (auto batch = one_job(*chosen.driver, chosen.device.index, kernel, spec, tuning))
      return batch;
  }
  return one_by_one(chosen, spec, tuning);
}

}  // namespace tessera
