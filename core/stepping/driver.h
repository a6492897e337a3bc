#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stepping/kernel_info.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// One device of a driver.
struct DeviceInfo {
  int index = 0;
  std::string name;         ///< as the vendor names it
  std::int64_t memory = 0;  ///< bytes in all
  bool software = false;    ///< an emulation; never chosen by "auto"
  std::vector<std::pair<std::string, std::string>>
      properties;  ///< for `tessera devices`: label, value
};

/// The devices that a driver found. An empty list has a reason.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string missing;  ///< why there is none, or empty
};

/// The measured peak rates of a device, with which kernels are compared.
struct Ceiling {
  /// Three-input logic operations per second, each counted once for every bit of its operands.
  double gates = 0;
  /// Bytes per second that a copy within the device's memory reads and writes, both counted.
  double bytes = 0;
};

/// Makes the planned backend. Called at most once.
using BackendPlan = std::function<std::unique_ptr<StepBackend>()>;

/// One kind of backend: "cpu", "cuda", "vulkan". Stateless; lives as long as the program.
///
/// A kernel is named as in `kernels`, or "auto" for the default one of a device.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual const char* name() const = 0;
  /// A device as --backend names it: "cuda:0".
  virtual std::string device_name(int device) const;
  /// Never throws; `missing` names a missing library, driver or device.
  virtual DeviceList devices() const = 0;
  /// Every kernel, the default one first.
  virtual std::vector<KernelInfo> kernels() const = 0;
  /// Kernels that step batches alone (`tessera run --batch`); others than `kernels`.
  virtual std::vector<KernelInfo> batch_kernels() const { return {}; }
  /// The kernel that "auto" means on a device for a grid: the first that steps its rule and has its
  /// boundary.
  virtual std::string default_kernel(int device, const BackendSpec& spec) const;
  /// Why `kernel` on `device` cannot run `spec`: the exceeded limit, its value and what is needed;
  /// nothing when it can. Allocates nothing.
  std::optional<std::string> unsupported(int device, const BackendSpec& spec,
                                         const std::string& kernel) const;
  /// Makes a backend with all cells dead. Throws UnsupportedError with the text of `unsupported`,
  /// InputError for a Tuning that the kernel does not accept, DeviceError when the device fails.
  std::unique_ptr<StepBackend> create(int device, const BackendSpec& spec,
                                      const std::string& kernel, const Tuning& tuning) const;
  /// What `create` would make, without allocating anything on the device. Throws as `create` does.
  BackendPlan plan_named(int device, const BackendSpec& spec, const std::string& kernel,
                         const Tuning& tuning) const;
  /// Seconds that the backend which `create` would make takes for one call of `step`, by estimate;
  /// nothing where that is as good as proportional to cells and generations, not known, or where it
  /// cannot be made. Allocates nothing and never throws.
  virtual std::optional<double> step_seconds(int /*device*/, const BackendSpec& /*spec*/,
                                             const std::string& /*kernel*/,
                                             const Tuning& /*tuning*/,
                                             std::int64_t /*generations*/) const {
    return std::nullopt;
  }
  /// Whether kernels on one device can write to the memory of another. Never throws.
  virtual bool reaches(int /*device*/, int /*other*/) const { return false; }
  /// Measures for some tenths of a second; nothing where the driver cannot measure it. Throws
  /// DeviceError.
  virtual std::optional<Ceiling> measure_ceiling(int /*device*/) const { return std::nullopt; }
  /// Present clock rates where they can be read: label, value with its unit. Never throws.
  virtual std::vector<std::pair<std::string, std::string>> clocks(int /*device*/) const {
    return {};
  }

 private:
  /// Plans how `kernel`, one of `kernels`, would step `spec` on `device`, without allocating
  /// anything on the device. The kernel accepts `tuning`, value by value. Throws like `create`.
  virtual BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                           const Tuning& tuning) const = 0;
  void check_tuning(const KernelInfo& kernel, const Tuning& tuning) const;
};

/// Makes a backend for a spec; Universe needs it to grow.
using BackendFactory = std::function<std::unique_ptr<StepBackend>(const BackendSpec&)>;

}  // namespace tessera
