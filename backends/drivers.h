#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/distributed/distributed_driver.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// Every driver that this build holds, fastest kind first: cuda, vulkan, cpu. A driver whose
/// library or device is missing is still in the table and gives the reason.
std::span<const Driver* const> drivers();

/// Names of backends that exist but were left out of this build, with the reason.
struct MissingDriver {
  const char* name;
  const char* reason;
};
std::span<const MissingDriver> missing_drivers();

/// Whether a name stands for one grid over several parts: "cpu*3", "cuda:0+cuda:1", "vulkan:0,cpu",
/// "cuda:all", "cpu*ranks". Commas mean the same as +, where the name is no part of a list.
bool names_several(const std::string& backend);

/// Runs a program of one process, or, where mpirun or srun started several, on rank 0 of them with
/// the others at its service; see backends/distributed/rank_team.h. The arguments are main's.
int run_on_ranks(int argc, char** argv, const std::function<int()>& program);

/// The name that stands for one device of every rank where several processes were started and
/// `backend` names no several parts: "cuda*ranks" for "cuda". Else `backend`.
std::string on_ranks(const std::string& backend);

/// Kernels by the names that --backend and --kernel take. Devices are listed and names resolved
/// when they are first needed, once; which kernel steps a grid is decided anew for each spec. Not
/// thread-safe.
class KernelChooser {
 public:
  /// `backend`: "auto", "cpu", "cuda", "cuda:1", "vulkan:0", or several parts as names_several has
  /// them, joined as `bands` says; `kernel`: "auto" for the default one of the device under the
  /// rule, or a name.
  KernelChooser(std::string backend, std::string kernel, const BandOptions& bands = {});

  /// The kernel for `spec`. "auto" takes the first driver in the table with a device that is no
  /// emulation and supports `spec`. Throws InputError, listing what there is, for an unknown name,
  /// and UnsupportedError with the reason when the named backend is missing or none can run this: a
  /// named backend is never replaced by another, and whether it supports `spec` is told by
  /// Kernel::create.
  Kernel choose(const BackendSpec& spec);

 private:
  const std::vector<DeviceInfo>& found_on(std::size_t driver);

  std::string backend_, kernel_;
  BandOptions bands_;
  std::optional<PartDevice> named_;
  std::vector<std::optional<std::vector<DeviceInfo>>>
      found_;  // by driver, once they were asked for
};

/// Kernels on devices by their names: "all" (single devices), or as in {"cpu", "cuda:1", "cpu*3"};
/// "all", "default" (for each device the one that "auto" means for `spec`), or as in {"strips",
/// "word"}. In the order of drivers, devices and kernels, and then of the names of several parts.
/// Throws InputError, listing what there is, for a name that nothing has, and UnsupportedError with
/// the reason for a named backend without a device.
std::vector<Kernel> find_kernels(const std::vector<std::string>& backends,
                                 const std::vector<std::string>& kernels,
                                 const BandOptions& bands = {}, const BackendSpec& spec = {});

/// A factory for Universe: chooses a kernel for each spec as KernelChooser does, and the best
/// tuning that is known for it (Tunings) where `tuning` leaves that open. `by`, where it is given,
/// must outlive the factory and hears where the last backend's tuning came from. Several threads
/// may call the factory and its copies at once.
BackendFactory make_factory(const std::string& backend, const std::string& kernel,
                            const Tuning& tuning, TunedBy* by = nullptr,
                            const BandOptions& bands = {});

}  // namespace tessera
