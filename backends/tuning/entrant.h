#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/stepping/driver.h"

namespace tessera {

/// A kernel on a device that is here.
struct Entrant {
  const Driver* driver = nullptr;
  DeviceInfo device;
  KernelInfo kernel;
  bool preferred = false;  ///< the one that "auto" takes on this device

  /// The device as --backend names it: "cuda:0".
  std::string backend() const;
  /// "cuda:0 kernel strips".
  std::string name() const { return backend() + " kernel " + kernel.name; }
  /// Whom to believe when entrants do not agree: the reference, other kernels of the CPU, real
  /// devices, emulated ones.
  int trust() const;
  /// Why it cannot step `spec`, or nothing.
  std::optional<std::string> unsupported(const BackendSpec& spec) const;
  std::unique_ptr<StepBackend> create(const BackendSpec& spec, const Tuning& tuning = {}) const;
  BackendFactory factory(const Tuning& tuning = {}) const;
};

/// The kernel that "auto" means on a device for `spec`: the first that supports it, or the first of
/// all when none does.
std::string preferred_kernel(const Driver& driver, int device, const BackendSpec& spec);

/// Kernels on devices by their names, separated by commas: "all", or "cpu,cuda:1"; "all", "default"
/// (for each device the one that "auto" means), or "strips,word". In the order of drivers, devices
/// and kernels. Throws InputError, listing what there is, for a name that nothing has, and
/// UnsupportedError with the reason for a named backend without a device.
std::vector<Entrant> find_entrants(const std::string& backends, const std::string& kernels);

}  // namespace tessera
