#include "backends/drivers.h"

#include <charconv>
#include <vector>

#include "core/base/error.h"

namespace tessera {

namespace {

std::string known_names() {
  std::string names = "auto";
  for (const Driver* driver : drivers()) names += std::string(", ") + driver->name();
  return names + ", or one with a device number as in cpu:0";
}

}  // namespace

DeviceChoice choose_device(const std::string& name, const BackendSpec& spec,
                           const std::string& kernel) {
  if (name == "auto") {
    std::string reasons;
    for (const Driver* driver : drivers()) {
      for (const DeviceInfo& device : driver->devices().devices) {
        if (device.software) continue;
        const std::optional<std::string> why = driver->unsupported(device.index, spec, kernel);
        if (!why) return {driver, device.index};
        if (!reasons.empty()) reasons += "; ";
        reasons += std::string(driver->name()) + ": " + *why;
      }
    }
    throw UnsupportedError("no backend can run this: " + reasons);
  }
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  for (const Driver* driver : drivers()) {
    if (kind != driver->name()) continue;
    int index = 0;
    bool any = true;
    if (colon != std::string::npos) {
      const char* end = name.data() + name.size();
      const auto [stop, status] = std::from_chars(name.data() + colon + 1, end, index);
      if (status != std::errc{} || stop != end || index < 0) {
        throw InputError("backend '" + name + "': a device number is expected after the colon");
      }
      any = false;
    }
    const DeviceList list = driver->devices();
    if (list.devices.empty()) {
      throw UnsupportedError("backend " + kind + " has no device here: " + list.missing);
    }
    for (const DeviceInfo& device : list.devices) {
      if (any || device.index == index) return {driver, device.index};
    }
    throw InputError("backend '" + name + "': there is no such device; 'tessera devices' lists " +
                     std::to_string(list.devices.size()) + " of this kind");
  }
  for (const MissingDriver& missing : missing_drivers()) {
    if (kind == missing.name) throw UnsupportedError("backend " + kind + " is " + missing.reason);
  }
  throw InputError("backend '" + name + "' is not known; accepted are " + known_names());
}

BackendFactory make_factory(const std::string& backend, const std::string& kernel,
                            const Tuning& tuning) {
  return [=](const BackendSpec& spec) {
    const DeviceChoice choice = choose_device(backend, spec, kernel);
    return choice.driver->create(choice.device, spec, kernel, tuning);
  };
}

}  // namespace tessera
