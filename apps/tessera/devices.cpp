#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/console.h"
#include "apps/tessera/command.h"
#include "apps/tessera/json.h"
#include "backends/distributed/launch.h"
#include "backends/drivers.h"
#include "core/base/memory_text.h"

namespace tessera {
namespace {

Json json_of(const KernelInfo& kernel, bool is_default) {
  Json tuning = Json::object();
  for (const TuningParameter& parameter : kernel.parameters) {
    if (parameter.searched()) tuning[tuning_field(parameter.member).name] = parameter.candidates;
  }
  return {{"name", kernel.name},
          {"default", is_default},
          {"summary", kernel.summary},
          {"tuning", tuning}};
}

Json json_of(const DeviceInfo& device) {
  Json properties = Json::object();
  for (const auto& [label, value] : device.properties) properties[label] = value;
  return {{"index", device.index},
          {"name", device.name},
          {"memory", device.memory},
          {"software", device.software},
          {"properties", properties}};
}

// Lists the kernels of the backend, whether or not there is a device.
Json json_of(const Driver& driver) {
  const DeviceList list = driver.devices();
  Json out{{"backend", driver.name()},
           {"devices", Json::array()},
           {"kernels", Json::array()},
           {"batch_kernels", Json::array()},
           {"missing", nullptr}};
  for (const DeviceInfo& device : list.devices) out["devices"].push_back(json_of(device));
  bool first = true;
  for (const KernelInfo& kernel : driver.kernels()) {
    out["kernels"].push_back(json_of(kernel, first));
    first = false;
  }
  for (const KernelInfo& kernel : driver.batch_kernels())
    out["batch_kernels"].push_back(json_of(kernel, false));
  if (list.devices.empty()) out["missing"] = list.missing;
  return out;
}

std::string text_of_driver(const Driver& driver) {
  const DeviceList list = driver.devices();
  if (list.devices.empty()) return fmt::format("{}: no device: {}\n", driver.name(), list.missing);
  std::string text;
  for (const DeviceInfo& device : list.devices) {
    text += fmt::format("{}:{}  {}, {}{}\n", driver.name(), device.index, device.name,
                        memory_text(device.memory),
                        device.software ? ", a software emulation that auto never chooses" : "");
    for (const auto& [label, value] : device.properties)
      text += fmt::format("    {}: {}\n", label, value);
  }
  text += fmt::format("  kernels of {}\n", driver.name());
  bool first = true;
  for (const KernelInfo& kernel : driver.kernels()) {
    text +=
        fmt::format("    {:<14} {}{}\n", kernel.name, first ? "(default) " : "", kernel.summary);
    first = false;
  }
  const std::vector<KernelInfo> batches = driver.batch_kernels();
  if (!batches.empty()) text += fmt::format("  kernels of {} for --batch alone\n", driver.name());
  for (const KernelInfo& kernel : batches)
    text += fmt::format("    {:<14} {}\n", kernel.name, kernel.summary);
  return text;
}

int devices(bool json) {
  if (json) {
    Json all = Json::array();
    for (const Driver* driver : drivers()) all.push_back(json_of(*driver));
    for (const MissingDriver& missing : missing_drivers()) {
      all.push_back({{"backend", missing.name},
                     {"devices", Json::array()},
                     {"kernels", Json::array()},
                     {"batch_kernels", Json::array()},
                     {"missing", missing.reason}});
    }
    const std::optional<std::string> missing = mpi_missing();
    print(text_of(
        Json{{"backends", all}, {"mpi", {{"missing", missing ? Json(*missing) : Json()}}}}));
    return 0;
  }
  for (const Driver* driver : drivers()) print(text_of_driver(*driver));
  for (const MissingDriver& missing : missing_drivers()) {
    print(fmt::format("{}: {}\n", missing.name, missing.reason));
  }
  const std::optional<std::string> why = mpi_missing();
  print(
      fmt::format("mpi: {}\n", why ? "missing: " + *why
                                   : "several processes may step one grid, as mpirun starts them"));
  return 0;
}

}  // namespace

Command add_devices(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "devices", "List every backend, device and kernel, and why one is missing");
  const auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json,
                "Print one JSON object: backends, each with devices, kernels, and missing (the "
                "reason); and mpi");
  return {sub, [json] { return devices(*json); }};
}

}  // namespace tessera
