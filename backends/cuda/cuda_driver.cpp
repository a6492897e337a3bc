#include "backends/cuda/cuda_driver.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "backends/cuda/cascade_stepper.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_ceiling.h"
#include "backends/cuda/kernel_list.h"
#include "backends/cuda/march_stepper.h"
#include "backends/cuda/resident_stepper.h"
#include "backends/gpu/batch_fit.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

using namespace cuda;

// "CUDA 13.0, 580.65.06": the CUDA version that the driver supports, and the driver's own version
// where the system reports it.
std::string driver_text() {
  const int cuda = cuda_library().version;
  std::string text = "CUDA " + std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10),
              own;
  if (std::ifstream("/sys/module/nvidia/version") >> own) text += ", " + own;
  return text;
}

std::vector<DeviceFacts> all_devices() {
  int count = 0;
  TESSERA_CUDA("counting devices", cuDeviceGetCount, &count);
  std::vector<DeviceFacts> all;
  for (int i = 0; i < count; i++) all.push_back(device_facts(i));
  return all;
}

class CudaDriver final : public Driver {
 public:
  const char* name() const override { return "cuda"; }

  DeviceList devices() const override {
    DeviceList list;
    list.missing = why_no_cuda();
    if (!list.missing.empty()) return list;
    try {
      for (const DeviceFacts& facts : all_devices()) {
        DeviceInfo device;
        device.index = facts.index;
        device.name = facts.name;
        device.memory = facts.memory;
        device.properties = {
            {"compute capability", std::to_string(facts.major) + "." + std::to_string(facts.minor)},
            {"multiprocessors", std::to_string(facts.multiprocessors)},
            {"driver", driver_text()},
            {"compiler", compiler_version()}};
        list.devices.push_back(device);
      }
      if (list.devices.empty()) list.missing = "the NVIDIA driver finds no GPU";
    } catch (const Error& error) {
      list.devices.clear();
      list.missing = error.what();
    }
    return list;
  }

  std::vector<KernelInfo> kernels() const override { return kernel_list(); }
  std::vector<KernelInfo> batch_kernels() const override { return gpu::batch_kernels(); }

  std::string default_kernel(int device, const BackendSpec& spec) const override {
    const std::string usual = Driver::default_kernel(device, spec);
    if (!why_no_cuda().empty()) return usual;
    try {
      const DeviceFacts facts = device_facts(device);
      // What keeps cells in registers would have to give them back for every exchange.
      if (spec.halo_rows == 0 && ResidentStepper::suits(spec, facts)) return "resident";
      if (CascadeStepper::suits(spec, facts)) return "cascade";
      return MarchStepper::suits(spec, facts) ? "march" : usual;
    } catch (const DeviceError&) {
      return usual;
    }
  }

  std::optional<double> step_seconds(int device, const BackendSpec& spec, const std::string& kernel,
                                     const Tuning& tuning,
                                     std::int64_t generations) const override {
    if (kernel != "march" || !has_one_circuit(spec) || !why_no_cuda().empty()) return std::nullopt;
    try {
      return MarchStepper(spec, tuning, device_facts(device)).relay_seconds(generations);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  bool reaches(int device, int other) const override {
    int can = 0;
    return why_no_cuda().empty() &&
           cuda_library().cuDeviceCanAccessPeer(&can, device, other) == CUDA_SUCCESS && can != 0;
  }

  std::optional<Ceiling> measure_ceiling(int device) const override {
    if (!why_no_cuda().empty()) return std::nullopt;
    return cuda::measure_ceiling(open_device(device));
  }

  std::vector<std::pair<std::string, std::string>> clocks(int device) const override {
    try {
      return clock_rates(*open_device(device));
    } catch (const DeviceError&) {
      return {};
    }
  }

 private:
  // Kernels count rows in 32 bits; a column of that many cells exceeds any device's memory in their
  // layouts anyway.
  static constexpr std::int64_t kMostRows = (std::int64_t{1} << 31) - 65536;
  static constexpr std::int64_t kMostColumns = std::int64_t{1} << 40;

  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    if (const std::string why = why_no_cuda(); !why.empty()) throw UnsupportedError(why);
    int count = 0;
    TESSERA_CUDA("counting devices", cuDeviceGetCount, &count);
    if (device < 0 || device >= count) {
      throw UnsupportedError("there is no device cuda:" + std::to_string(device) + "; there are " +
                             std::to_string(count));
    }
    const DeviceFacts facts = device_facts(device);
    const std::string size = std::to_string(spec.width) + "x" + std::to_string(spec.height);
    if (spec.width < 1 || spec.height < 1 || spec.width > kMostColumns || spec.height > kMostRows ||
        !BitGrid::bytes(spec.width, spec.height)) {
      throw UnsupportedError("a grid of " + size + " cells: the cuda backend takes 1 to " +
                             std::to_string(kMostColumns) + " columns and 1 to " +
                             std::to_string(kMostRows) + " rows, up to 2^46 bytes");
    }
    constexpr std::array kOfStates = {"strips", "cascade", "sums", "table"};
    if (spec.rule.states() > 2 && std::ranges::find(kOfStates, kernel) == kOfStates.end()) {
      throw UnsupportedError("the kernel " + kernel +
                             " of cuda steps rules of two states, not of " +
                             std::to_string(spec.rule.states()));
    }
    const std::shared_ptr<Stepper> stepper = make_stepper(kernel, spec, tuning, facts);
    const std::int64_t needed = CudaBackend::bytes_needed(*stepper);
    const std::int64_t limit =
        spec.max_memory > 0 ? std::min(spec.max_memory, facts.memory) : facts.memory;
    if (needed > limit) {
      throw UnsupportedError(
          "a grid of " + size + " cells needs " + memory_text(needed) + " with kernel " + kernel +
          "; " + memory_text(limit) +
          (limit == facts.memory ? " is what " + facts.name + " has" : " is the limit"));
    }
    return [=] {
      return std::make_unique<CudaBackend>(
          spec, BackendInfo{"cuda", facts.name, kernel, stepper->tuning()}, open_device(device),
          stepper);
    };
  }
};

}  // namespace

const Driver& cuda_driver() {
  static const CudaDriver kDriver;
  return kDriver;
}

}  // namespace tessera
