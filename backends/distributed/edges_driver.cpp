#include "backends/distributed/edges_driver.h"

#include <string>
#include <utility>
#include <vector>

#include "backends/distributed/distributed_backend.h"
#include "backends/distributed/halo_depth.h"
#include "backends/distributed/part_speed.h"
#include "core/stepping/kernel.h"
#include "core/stepping/surroundings.h"

namespace tessera {

namespace {

class EdgesDriver final : public Driver {
 public:
  explicit EdgesDriver(const Driver& driver) : driver_(driver) {}

  const char* name() const override { return driver_.name(); }
  std::string device_name(int device) const override { return driver_.device_name(device); }
  DeviceList devices() const override { return driver_.devices(); }
  std::vector<KernelInfo> batch_kernels() const override { return driver_.batch_kernels(); }
  std::optional<Ceiling> measure_ceiling(int device) const override {
    return driver_.measure_ceiling(device);
  }
  std::vector<std::pair<std::string, std::string>> clocks(int device) const override {
    return driver_.clocks(device);
  }

  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> all = driver_.kernels();
    for (KernelInfo& info : all) info.any_edges = true;  // which are in the halos
    return all;
  }

  bool reaches(int device, int other) const override { return driver_.reaches(device, other); }

  std::optional<double> step_seconds(int device, const BackendSpec& spec, const std::string& kernel,
                                     const Tuning& tuning,
                                     std::int64_t generations) const override {
    if (!spec.plain_edges()) return std::nullopt;
    return driver_.step_seconds(device, spec, kernel, tuning, generations);
  }

  std::string default_kernel(int device, const BackendSpec& spec) const override {
    return driver_.default_kernel(device, spec.plain_edges() ? spec : as_band(spec, 1));
  }

 private:
  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    if (spec.plain_edges()) return driver_.plan_named(device, spec, kernel, tuning);
    const DeviceList list = driver_.devices();
    DeviceInfo info;
    for (const DeviceInfo& each : list.devices) {
      if (each.index == device) info = each;
    }
    const HaloCosts costs{nominal_speed({this, info, {}, false}, 0), kHostExchange};
    const DistributedPlan bands = plan_grid(spec, {1.0}, {}, costs);
    BackendSpec band = bands.band_spec(0, spec);
    band.max_memory = spec.max_memory;
    const BackendPlan make = driver_.plan_named(device, band, kernel, tuning);
    return [=, this, name = info.name] {
      const BackendInfo stepped{driver_.name(), name, kernel, {}};
      return DistributedBackend::create(spec, stepped, bands,
                                        {[make](const BackendSpec&) { return make(); }});
    };
  }

  const Driver& driver_;
};

}  // namespace

const Driver& with_any_edges(const Driver& driver) { return *new EdgesDriver(driver); }

bool pays_for_edges(const BackendSpec& spec) {
  // An exchange takes as long as a processor's sixteen threads for so many cells.
  constexpr std::int64_t kCells = std::int64_t{1} << 24, kCellsOfOne = std::int64_t{1} << 28;
  return spec.cells() >= static_cast<double>(unrolls(spec) ? kCells : kCellsOfOne);
}

}  // namespace tessera
