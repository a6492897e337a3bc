#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/stepping/driver.h"

namespace tessera {

/// A kernel on a device of a driver: a way to step on this machine.
struct Kernel {
  const Driver* driver = nullptr;
  DeviceInfo device;
  KernelInfo info;
  bool preferred = false;  ///< the one that "auto" takes on this device

  /// The device as --backend names it: "cuda:0".
  std::string backend() const;
  /// "cuda:0 kernel strips".
  std::string name() const { return backend() + " kernel " + info.name; }
  /// Whom to believe when kernels disagree, the highest first: 3 for the reference, 2 for other
  /// kernels of the CPU, 1 for real devices, 0 for emulated ones.
  int trust() const;
  /// Why it cannot step `spec`, or nothing.
  std::optional<std::string> unsupported(const BackendSpec& spec) const;
  /// Seconds of one call of step, by estimate, or nothing: Driver::step_seconds.
  std::optional<double> step_seconds(const BackendSpec& spec, const Tuning& tuning,
                                     std::int64_t generations) const;
  /// A backend with all cells dead; throws as Driver::create does.
  std::unique_ptr<StepBackend> create(const BackendSpec& spec, const Tuning& tuning = {}) const;
  /// For Universe: always this kernel with this tuning.
  BackendFactory factory(const Tuning& tuning = {}) const;
};

}  // namespace tessera
