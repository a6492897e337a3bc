#include "backends/distributed/ranks_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/distributed/part_speed.h"
#include "backends/distributed/ranks_backend.h"
#include "core/base/error.h"

namespace tessera {

namespace {

// Seconds that an exchange costs a rank, whose rows go through the host's memory.
constexpr double kExchange = 3e-4;

}  // namespace

RanksDriver::RanksDriver(RankWorker& worker, const std::string& device, const BandOptions& options)
    : worker_(worker), device_(device), options_(options), ranks_(worker.devices(device)) {
  if (options.link == LinkChoice::peer || options.link == LinkChoice::nccl) {
    throw UnsupportedError(std::string("link ") +
                           (options.link == LinkChoice::peer ? "peer" : "nccl") +
                           ": ranks exchange through MPI; auto and host are accepted here");
  }
  for (std::size_t rank = 0; rank < ranks_.size(); rank++) {
    if (!ranks_[rank].missing.empty())
      throw UnsupportedError(fmt::format("rank {}: {}", rank, ranks_[rank].missing));
  }
  own_ = worker.own_device(device);
  name_ = fmt::format("{}*{}", device, ranks_.size());
}

DeviceList RanksDriver::devices() const {
  DeviceInfo all;
  all.name = fmt::format("{} on {} ranks", ranks_.front().name, ranks_.size());
  all.memory = std::numeric_limits<std::int64_t>::max();
  for (const RankDevice& each : ranks_) {
    all.memory = std::min(all.memory, each.memory);
    all.software = all.software || each.software;
  }
  all.properties = {{"ranks", std::to_string(ranks_.size())}, {"device clock", "none"}};
  return {{all}, ""};
}

std::vector<KernelInfo> RanksDriver::kernels() const {
  std::vector<KernelInfo> all = own_.driver->kernels();
  for (KernelInfo& info : all) info.tiles = info.any_edges = false;
  return all;
}

std::string RanksDriver::default_kernel(int, const BackendSpec& spec) const {
  return own_.driver->default_kernel(own_.device.index, as_band(spec));
}

BackendPlan RanksDriver::plan(int, const BackendSpec& spec, const std::string& kernel,
                              const Tuning& tuning) const {
  const auto found = kernels();
  const Kernel own{own_.driver, own_.device, *std::ranges::find(found, kernel, &KernelInfo::name),
                   false};
  HaloCosts costs{std::numeric_limits<double>::infinity(), kExchange};
  for (const RankDevice& each : ranks_)
    costs.cells_per_second = std::min(costs.cells_per_second, nominal_speed(own, each.threads));
  RankOrder order{device_, kernel, tuning, spec,
                  plan_grid(spec, std::vector<double>(ranks_.size(), 1.0), options_, costs)};
  // Of the other ranks' own limits creating tells.
  BackendSpec band = order.plan.band_spec(0, spec);
  band.max_memory = memory_share(band, spec);
  if (const auto why = own.unsupported(band)) {
    throw UnsupportedError(
        fmt::format("a grid of {}x{} cells, of which a rank is to step {} rows: {}", spec.width,
                    spec.height, band.height, *why));
  }
  const BackendInfo info{name_, devices().devices.front().name, kernel, {}};
  return [this, order, info] { return std::make_unique<RanksBackend>(worker_, order, info); };
}

}  // namespace tessera
