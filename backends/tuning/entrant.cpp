#include "backends/tuning/entrant.h"

#include <algorithm>

#include "backends/drivers.h"
#include "core/base/error.h"

namespace tessera {

namespace {

constexpr BackendSpec kTiny{1, 1, Boundary::torus, kLife, 0};

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    out.push_back(names.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string Entrant::backend() const {
  return std::string(driver->name()) + ":" + std::to_string(device.index);
}

int Entrant::trust() const {
  if (kernel.name == "reference") return 3;
  if (std::string(driver->name()) == "cpu") return 2;
  return device.software ? 0 : 1;
}

std::optional<std::string> Entrant::unsupported(const BackendSpec& spec) const {
  return driver->unsupported(device.index, spec, kernel.name);
}

std::unique_ptr<StepBackend> Entrant::create(const BackendSpec& spec, const Tuning& tuning) const {
  return driver->create(device.index, spec, kernel.name, tuning);
}

BackendFactory Entrant::factory(const Tuning& tuning) const {
  return [driver = driver, index = device.index, name = kernel.name,
          tuning](const BackendSpec& spec) { return driver->create(index, spec, name, tuning); };
}

std::string preferred_kernel(const Driver& driver, int device, const BackendSpec& spec) {
  const std::vector<KernelInfo> kernels = driver.kernels();
  for (const KernelInfo& kernel : kernels) {
    if (!driver.unsupported(device, spec, kernel.name)) return kernel.name;
  }
  return kernels.front().name;
}

std::vector<Entrant> find_entrants(const std::string& backends, const std::string& kernels) {
  const std::vector<std::string> wanted = split(backends), named = split(kernels);
  const bool any_backend = has(wanted, "all"), any_kernel = has(named, "all");
  if (!any_backend) {
    // Refuses names that are unknown or have no device, with the reason.
    for (const std::string& name : wanted) {
      if (name == "auto")
        throw InputError(
            "backend 'auto' is a choice; here devices are named, or all of them by 'all'");
      choose_device(name, kTiny, "auto");
    }
  }
  std::vector<Entrant> out;
  std::vector<std::string> known;
  for (const Driver* driver : drivers()) {
    for (const DeviceInfo& device : driver->devices().devices) {
      Entrant entrant{driver, device, {}, false};
      if (!any_backend && !has(wanted, driver->name()) && !has(wanted, entrant.backend())) continue;
      const std::string preferred = preferred_kernel(*driver, device.index, kTiny);
      for (const KernelInfo& kernel : driver->kernels()) {
        if (!has(known, kernel.name)) known.push_back(kernel.name);
        entrant.kernel = kernel;
        entrant.preferred = kernel.name == preferred;
        if (any_kernel || has(named, kernel.name) || (entrant.preferred && has(named, "default"))) {
          out.push_back(entrant);
        }
      }
    }
  }
  if (any_kernel) return out;
  for (const std::string& name : named) {
    if (name == "default" || has(known, name)) continue;
    std::string accepted = "all, default";
    for (const std::string& each : known) accepted += ", " + each;
    throw InputError("there is no kernel '" + name + "' here; accepted are " + accepted);
  }
  return out;
}

}  // namespace tessera
