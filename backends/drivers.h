#pragma once

#include <span>
#include <string>

#include "core/stepping/driver.h"

namespace tessera {

/// Every driver that this build holds, fastest kind first: cuda, vulkan, cpu. A driver whose
/// library or device is missing is still in the table and says why.
std::span<const Driver* const> drivers();

/// Names of backends that exist but were left out of this build, with the reason.
struct MissingDriver {
  const char* name;
  const char* reason;
};
std::span<const MissingDriver> missing_drivers();

/// A device of a driver, as `--backend` names it.
struct DeviceChoice {
  const Driver* driver = nullptr;
  int device = 0;
};

/// Parses "auto", "cpu", "cuda", "cuda:1", "vulkan:0". "auto" takes the first driver in the table
/// with a device that is no emulation and supports `spec` with `kernel`. Throws InputError, listing
/// what there is, for an unknown name, and UnsupportedError with the reason when the named one is
/// missing: a named backend is never replaced by another.
DeviceChoice choose_device(const std::string& name, const BackendSpec& spec,
                           const std::string& kernel);

/// A factory for Universe: choose_device for each spec, then create with `kernel` ("auto" for the
/// default) and `tuning`.
BackendFactory make_factory(const std::string& backend, const std::string& kernel,
                            const Tuning& tuning);

}  // namespace tessera
