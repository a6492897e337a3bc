#include "backends/distributed/ranks_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "backends/distributed/part_speed.h"
#include "backends/distributed/ranks_backend.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "backends/distributed/tile_sharing.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"

namespace tessera {

namespace {

// Seconds that an exchange costs a rank whose rows go through the host's memory.
constexpr double kRankExchange = 3e-4;

// Seconds that a step of tiles takes longer where borders travel by way of rank 0: 0.9 ms with two
// ranks that share 5,600 tiles on two cores.
constexpr double kTilesExchange = 1e-3;

// Tiles that one rank may hold alone: some hundreds of megabytes.
constexpr std::int64_t kMostAlone = std::int64_t{1} << 19;

// Whether each rank has a CUDA device of its own, as far as their names tell: then rows go from
// device to device.
bool own_devices(const std::vector<RankDevice>& ranks, const PartDevice& own) {
  std::set<std::string> seen;
  return std::string_view(own.driver->name()) == "cuda" &&
         std::ranges::all_of(
             ranks, [&](const RankDevice& each) { return seen.insert(each.place).second; });
}

}  // namespace

RanksDriver::RanksDriver(RankWorker& worker, const std::string& device, const BandOptions& options)
    : worker_(worker), device_(device), options_(options), ranks_(worker.devices(device)) {
  for (std::size_t rank = 0; rank < ranks_.size(); rank++) {
    if (!ranks_[rank].missing.empty())
      throw UnsupportedError(fmt::format("rank {}: {}", rank, ranks_[rank].missing));
  }
  own_ = worker.own_device(device);
  const bool by_devices = options.link == LinkChoice::peer || options.link == LinkChoice::nccl;
  if (by_devices && std::string_view(own_.driver->name()) != "cuda") {
    throw UnsupportedError(
        fmt::format("link {}: {} passes no rows to other devices; auto and host are accepted here",
                    options.link == LinkChoice::peer ? "peer" : "nccl", own_.driver->name()));
  }
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
  for (KernelInfo& info : all) info.any_edges = true;  // which are in the halos
  return all;
}

std::string RanksDriver::default_kernel(int, const BackendSpec& spec) const {
  return own_.driver->default_kernel(own_.device.index, as_band(spec, ranks_.size(), peers()));
}

// Whether all ranks are equally fast as far as names and numbers of threads tell.
bool RanksDriver::equal(const Kernel& kernel) const {
  const bool threads = kernel.info.parameter(&Tuning::threads) != nullptr;
  const RankDevice& first = ranks_.front();
  return std::ranges::all_of(ranks_, [&](const RankDevice& each) {
    return each.name == first.name && (!threads || each.threads == first.threads);
  });
}

// Whether they are processes of one host that reach the memory of each other's devices, as far as
// the names of these tell.
bool RanksDriver::peers() const {
  return options_.allows_peers() && std::ssize(ranks_) == worker_.site().place().locals &&
         own_devices(ranks_, own_);
}

// Whether the ranks step the whole grid in memory that they share. Programs for several states may
// be others in other processes.
bool RanksDriver::steps_together(const BackendSpec& spec, const KernelInfo& kernel) const {
  return kernel.crews && spec.rule.states() == 2 && spec.plain_edges() && ranks_.size() > 1 &&
         spec.height >= std::ssize(ranks_) && options_.halo == 0 &&
         options_.link == LinkChoice::automatic && worker_.shares_memory();
}

// Bytes that each rank's tiles may take: its share of the limit, or of a device that several have.
std::vector<std::int64_t> RanksDriver::memory_of_tiles(std::int64_t limit) const {
  std::vector<std::int64_t> out;
  for (const RankDevice& each : ranks_) {
    const auto sharing = std::ranges::count(ranks_, each.place, &RankDevice::place);
    const std::int64_t own = sharing > 1 ? each.memory / sharing : 0;
    out.push_back(limit > 0 ? std::max<std::int64_t>(1, limit / std::ssize(ranks_)) : own);
  }
  return out;
}

BackendPlan RanksDriver::plan_tiles(const BackendSpec& spec, const Kernel& own,
                                    const Tuning& tuning) const {
  check_link_of_tiles(options_.link);
  const TileOrder order{device_, own.info.name, tuning, spec, memory_of_tiles(spec.max_memory)};
  // Of the other ranks' own limits opening tells.
  BackendSpec asked = spec;
  asked.max_memory = order.memory.front();
  if (const auto why = own.unsupported(asked)) throw UnsupportedError(*why);
  BackendInfo info = shared_tiles_info({name_, devices().devices.front().name, own.info.name, {}},
                                       ranks_.size(), "mpi");
  info.processes = info.parts;
  return [=, this, measured = !equal(own)] {
    return std::make_unique<SharedTilesBackend>(spec, info, [=, this] {
      const std::vector<TileShare> shares = worker_.open_tiles(order);
      SharePolicy policy = share_policy(shares, options_, kTilesExchange, measured);
      policy.most_alone = kMostAlone;
      return std::make_unique<SharedTiles>(shares, policy);
    });
  };
}

BackendPlan RanksDriver::plan(int, const BackendSpec& spec, const std::string& kernel,
                              const Tuning& tuning) const {
  const auto found = kernels();
  const Kernel own{own_.driver, own_.device, *std::ranges::find(found, kernel, &KernelInfo::name),
                   false};
  if (spec.tiles) return plan_tiles(spec, own, tuning);
  HaloCosts costs{std::numeric_limits<double>::infinity(), kRankExchange};
  Tunings tunings;
  const bool by_devices = options_.link != LinkChoice::host && own_devices(ranks_, own_);
  if (by_devices) costs = {costs.cells_per_second, kDeviceExchange, 1, kDeviceDeepest, peers()};
  const bool cpu = std::string_view(own_.driver->name()) == "cpu";
  // What this rank's device would take, others like it do.
  const Tuning mine = worker_.site().tuning(own, tuning);
  const auto seconds = [&](std::size_t, const BackendSpec& band, std::int64_t generations) {
    return own.step_seconds(band, tunings.complete(own, band, mine).tuning, generations);
  };
  if ((by_devices || cpu) && equal(own)) costs.band_seconds = seconds;
  for (const RankDevice& each : ranks_)
    costs.cells_per_second = std::min(costs.cells_per_second, nominal_speed(own, each.threads));
  const std::vector<double> weights = equal(own) ? std::vector<double>(ranks_.size(), 1.0)
                                                 : worker_.speeds(device_, kernel, tuning);
  RankOrder order{device_, kernel, tuning, spec, {}};
  if (steps_together(spec, own.info)) {
    order.plan.bands = plan_bands(spec.height, weights, 1);
    order.plan.crew = true;
  } else {
    order.plan = plan_grid(spec, weights, options_, costs);
  }
  // Of the other ranks' own limits creating tells.
  BackendSpec band = order.plan.band_spec(0, spec);
  band.max_memory = memory_share(band, spec);
  if (const auto why = own.unsupported(band)) {
    throw UnsupportedError(
        fmt::format("a grid of {}x{} cells, of which a rank is to step {} rows: {}", spec.width,
                    spec.height, band.height, *why));
  }
  const BackendInfo info{name_, devices().devices.front().name, kernel, {}};
  return
      [this, order, info] { return std::make_unique<RanksBackend>(worker_.grids(), order, info); };
}

}  // namespace tessera
