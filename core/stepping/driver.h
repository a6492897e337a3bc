#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stepping/step_backend.h"

namespace tessera {

/// A closed range of values that a tuner may try for one Tuning field.
struct TuningRange {
  const char* field;        ///< name of the Tuning member
  std::vector<int> values;  ///< candidates, ascending
};

/// A way to step: its name, where it comes from, what it can be tuned in.
struct KernelInfo {
  std::string name;
  std::string summary;  ///< one line: idea and source
  std::vector<TuningRange> ranges;
};

/// One device of a driver.
struct DeviceInfo {
  int index = 0;
  std::string name;         ///< as the vendor names it
  std::int64_t memory = 0;  ///< bytes in all
  bool software = false;    ///< an emulation; never chosen by "auto"
  std::vector<std::pair<std::string, std::string>>
      properties;  ///< for `tessera devices`: label, value
};

/// What a driver found. An empty list comes with the reason.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string missing;  ///< why there is none, or empty
};

/// What a device can do at most, measured on it: what kernels are held against.
struct Ceiling {
  /// Three-input logic operations a second, each counted once for every bit of its operands.
  double gates = 0;
  /// Bytes a second that a copy within the device's memory reads and writes, both counted.
  double bytes = 0;
};

/// Makes the backend that was planned. Called once at most.
using BackendPlan = std::function<std::unique_ptr<StepBackend>()>;

/// One kind of backend: "cpu", "cuda", "vulkan". Stateless; lives as long as the program.
///
/// A kernel is named as in `kernels`, or "auto" for the default one of a device.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual const char* name() const = 0;
  /// Never throws; a missing library, driver or device is told in `missing`.
  virtual DeviceList devices() const = 0;
  /// Every kernel, the default one first.
  virtual std::vector<KernelInfo> kernels() const = 0;
  /// The kernel that "auto" means on a device: the first that it can run.
  virtual std::string default_kernel(int device) const;
  /// Why `kernel` on `device` cannot run `spec`: the limit that is exceeded, what it is and what is
  /// needed; nothing when it can. Allocates nothing.
  std::optional<std::string> unsupported(int device, const BackendSpec& spec,
                                         const std::string& kernel) const;
  /// Makes a backend with all cells dead. Throws UnsupportedError with the text of `unsupported`,
  /// InputError for a Tuning outside the kernel's ranges, DeviceError when the device fails.
  std::unique_ptr<StepBackend> create(int device, const BackendSpec& spec,
                                      const std::string& kernel, const Tuning& tuning) const;
  /// Keeps the device busy for some tenths of a second to find out; nothing where that is not known
  /// how. Throws DeviceError.
  virtual std::optional<Ceiling> measure_ceiling(int /*device*/) const { return std::nullopt; }
  /// Clock rates at this moment where they can be read: label, value with its unit. Never throws.
  virtual std::vector<std::pair<std::string, std::string>> clocks(int /*device*/) const {
    return {};
  }

 private:
  /// Works out how `kernel`, one of `kernels`, would step `spec` on `device`, without taking
  /// anything from the device. Throws as `create` does.
  virtual BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                           const Tuning& tuning) const = 0;
  BackendPlan plan_named(int device, const BackendSpec& spec, const std::string& kernel,
                         const Tuning& tuning) const;
};

/// Makes a backend for a spec; what Universe needs to grow.
using BackendFactory = std::function<std::unique_ptr<StepBackend>(const BackendSpec&)>;

}  // namespace tessera
