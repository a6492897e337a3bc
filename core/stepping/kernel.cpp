#include "core/stepping/kernel.h"

namespace tessera {

std::string Kernel::backend() const { return driver->device_name(device.index); }

int Kernel::trust() const {
  if (info.name == "reference") return 3;
  if (std::string(driver->name()) == "cpu") return 2;
  return device.software ? 0 : 1;
}

std::optional<std::string> Kernel::unsupported(const BackendSpec& spec) const {
  return driver->unsupported(device.index, spec, info.name);
}

std::optional<double> Kernel::step_seconds(const BackendSpec& spec, const Tuning& tuning,
                                           std::int64_t generations) const {
  return driver->step_seconds(device.index, spec, info.name, tuning, generations);
}

std::unique_ptr<StepBackend> Kernel::create(const BackendSpec& spec, const Tuning& tuning) const {
  return driver->create(device.index, spec, info.name, tuning);
}

BackendFactory Kernel::factory(const Tuning& tuning) const {
  return [driver = driver, index = device.index, name = info.name,
          tuning](const BackendSpec& spec) { return driver->create(index, spec, name, tuning); };
}

}  // namespace tessera
