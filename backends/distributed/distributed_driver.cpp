#include "backends/distributed/distributed_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "backends/distributed/distributed_backend.h"
#include "backends/distributed/halo_depth.h"
#include "backends/distributed/part_speed.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "backends/distributed/tile_sharing.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/stepping/kernel.h"

namespace tessera {

namespace {

std::string device_of(const PartDevice& part) {
  return part.driver->device_name(part.device.index);
}

bool is_cpu(const PartDevice& part) { return std::string_view(part.driver->name()) == "cpu"; }

// Equal neighbours joined: "cpu:0*3", "cuda:0+cuda:1".
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t end = i;
    while (end < names.size() && names[end] == names[i]) end++;
    text += (text.empty() ? "" : "+") + names[i];
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
  }
  return text;
}

template <class Name>
std::string joined_names(const std::vector<PartDevice>& parts, const Name& name) {
  std::vector<std::string> names;
  for (const PartDevice& part : parts) names.push_back(name(part));
  return joined(names);
}

class DistributedDriver final : public Driver {
 public:
  DistributedDriver(std::vector<PartDevice> parts, const BandOptions& options)
      : parts_(std::move(parts)), options_(options), name_(joined_names(parts_, device_of)) {}

  const char* name() const override { return name_.c_str(); }
  std::string device_name(int) const override { return name_; }

  DeviceList devices() const override {
    DeviceInfo all;
    all.name = joined_names(parts_, [](const PartDevice& part) { return part.device.name; });
    std::set<std::string> seen;
    for (const PartDevice& part : parts_) {
      if (seen.insert(device_of(part)).second) all.memory += part.device.memory;
      all.software = all.software || part.device.software;
    }
    all.properties = {{"parts", std::to_string(parts_.size())}, {"device clock", "none"}};
    return {{all}, ""};
  }

  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> out;
    for (KernelInfo& info : parts_.front().driver->kernels()) {
      if (std::ranges::all_of(parts_,
                              [&](const PartDevice& part) { return has(part, info.name); })) {
        info.tiles = everyone_has_tiles(info.name);
        info.any_edges = true;  // which are in the halos
        if (!alike()) info.parameters.clear();
        out.push_back(std::move(info));
      }
    }
    const std::string best = default_kernel(0, {});
    const auto found = std::ranges::find(out, best, &KernelInfo::name);
    if (found == out.end()) {
      out.insert(out.begin(), KernelInfo{best, "the best kernel of each part", {}});
      // Each part has its own for a rule.
      const auto everywhere = [this](bool KernelInfo::*can) {
        return std::ranges::all_of(parts_, [&](const PartDevice& part) {
          return std::ranges::any_of(part.driver->kernels(), can);
        });
      };
      out.front().any_edges = true;
      out.front().any_rule = everywhere(&KernelInfo::any_rule);
      out.front().files = everywhere(&KernelInfo::files);
      out.front().two_rules = everywhere(&KernelInfo::two_rules);
      out.front().ranges = everywhere(&KernelInfo::ranges);
      out.front().tiles = everywhere(&KernelInfo::tiles);
    } else {
      std::rotate(out.begin(), found, found + 1);
    }
    return out;
  }

  std::string default_kernel(int, const BackendSpec& spec) const override {
    const std::string name = best_kernels(spec);
    const bool known =
        std::ranges::all_of(parts_, [&](const PartDevice& part) { return has(part, name); });
    return known ? name : best_kernels({});  // which stands for the best kernel of each part
  }

 private:
  std::string best_of(const PartDevice& part, const BackendSpec& spec) const {
    return part.driver->default_kernel(part.device.index, as_band(spec, parts_.size(), peers()));
  }

  std::string best_kernels(const BackendSpec& spec) const {
    std::vector<std::string> names;
    for (const PartDevice& part : parts_) {
      const std::string name = best_of(part, spec);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, "+"));
  }

  static bool has(const PartDevice& part, const std::string& kernel) {
    const std::vector<KernelInfo> all = part.driver->kernels();
    return std::ranges::find(all, kernel, &KernelInfo::name) != all.end();
  }

  bool everyone_has_tiles(const std::string& kernel) const {
    return std::ranges::all_of(parts_, [&](const PartDevice& part) {
      const std::vector<KernelInfo> all = part.driver->kernels();
      const auto found = std::ranges::find(all, kernel, &KernelInfo::name);
      return found != all.end() && found->tiles;
    });
  }

  // Whether all parts are one kind of backend, so that a tuning means the same to all.
  bool alike() const {
    return std::ranges::all_of(
        parts_, [&](const PartDevice& part) { return part.driver == parts_.front().driver; });
  }

  // Whether each part is a device of its own that reaches the memory of those beside it.
  bool peers() const {
    if (!options_.allows_peers() || !alike()) return false;
    std::set<int> seen;
    for (std::size_t i = 0; i < parts_.size(); i++) {
      const int own = parts_[i].device.index, next = parts_[(i + 1) % parts_.size()].device.index;
      const Driver& driver = *parts_[i].driver;
      if (!seen.insert(own).second || !driver.reaches(own, next) || !driver.reaches(next, own))
        return false;
    }
    return true;
  }

  // Whether all parts are equally fast as far as names tell.
  bool equal() const {
    return alike() && std::ranges::all_of(parts_, [&](const PartDevice& part) {
             return part.device.name == parts_.front().device.name;
           });
  }

  // What steps, for reports: `name`, or the names of the parts' kernels where it stands for these.
  std::string names_of(const std::vector<Kernel>& kernels, const std::string& name) const {
    std::vector<std::string> names;
    for (const Kernel& kernel : kernels) {
      if (kernel.info.name == name) return name;
      if (std::ranges::find(names, kernel.info.name) == names.end())
        names.push_back(kernel.info.name);
    }
    return fmt::format("{}", fmt::join(names, "+"));
  }

  // The kernel of one part that `name` means.
  Kernel kernel_of(const PartDevice& part, const std::string& name, const BackendSpec& spec) const {
    const std::string best = best_of(part, spec);
    const std::string wanted = has(part, name) ? name : best;
    for (KernelInfo& info : part.driver->kernels()) {
      if (info.name == wanted) return {part.driver, part.device, std::move(info), wanted == best};
    }
    throw UnsupportedError(fmt::format("{} has no kernel {}", device_of(part), wanted));
  }

  // What the person's tuning means to one part: parts on the processor share its threads.
  Tuning tuning_of(const PartDevice& part, const KernelInfo& kernel, Tuning tuning) const {
    if (!is_cpu(part)) {
      if (!alike()) tuning.threads = 0;
      return tuning;
    }
    const auto sharing = static_cast<int>(std::ranges::count_if(parts_, is_cpu));
    if (!kernel.parameter(&Tuning::threads)) return tuning;
    const int all =
        tuning.threads > 0 ? tuning.threads : static_cast<int>(std::thread::hardware_concurrency());
    tuning.threads = std::max(1, all / sharing);
    return tuning;
  }

  // Memory that a band may take: its share of the limit, or of a device that steps several.
  std::int64_t memory_of(std::size_t i, const BackendSpec& band, const BackendSpec& spec,
                         std::size_t bands) const {
    if (spec.max_memory > 0) return memory_share(band, spec);
    const auto sharing = std::count_if(
        parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(bands),
        [&](const PartDevice& part) { return device_of(part) == device_of(parts_[i]); });
    return sharing > 1 ? parts_[i].device.memory / sharing : 0;
  }

  // All values of the tuning of one part for its band.
  Tuning complete_tuning(Tunings& tunings, std::size_t i, const Kernel& kernel,
                         const BackendSpec& band, const Tuning& tuning) const {
    return tunings.complete(kernel, band, tuning_of(parts_[i], kernel.info, tuning)).tuning;
  }

  // Peer copies are what parts on CUDA devices get unless somebody forbids them. What is returned
  // refers to the arguments.
  HaloCosts costs(const std::vector<Kernel>& kernels, const Tuning& tuning,
                  Tunings& tunings) const {
    const bool group = options_.link == LinkChoice::nccl;
    HaloCosts costs{std::numeric_limits<double>::infinity(),
                    group ? kGroupExchange : kDeviceExchange, 1,
                    group ? kGroupDeepest : kDeviceDeepest, peers()};
    costs.band_seconds = [&, this](std::size_t i, const BackendSpec& band, std::int64_t count) {
      const Tuning tuned = complete_tuning(tunings, i, kernels[i], band, tuning);
      return kernels[i].step_seconds(band, tuned, count);
    };
    for (std::size_t i = 0; i < parts_.size(); i++) {
      const int threads = tuning_of(parts_[i], kernels[i].info, tuning).threads;
      costs.cells_per_second = std::min(costs.cells_per_second, nominal_speed(kernels[i], threads));
      const bool cuda = std::string_view(parts_[i].driver->name()) == "cuda";
      if (!cuda || options_.link == LinkChoice::host)
        costs.exchange_seconds = kHostExchange, costs.deepest = HaloCosts{}.deepest;
      // What halos of a GPU cost by way of the host grows with them: no estimate of steps decides.
      if (!is_cpu(parts_[i]) && options_.link == LinkChoice::host) costs.band_seconds = {};
      if (!cuda) costs.rows_again = 2;
    }
    return costs;
  }

  DistributedPlan plan_of(const BackendSpec& spec, const std::vector<Kernel>& kernels,
                          const Tuning& tuning, Tunings& tunings) const {
    std::vector<double> weights(parts_.size(), 1.0);
    if (!equal()) {
      for (std::size_t i = 0; i < parts_.size(); i++)
        weights[i] = measured_speed(kernels[i], tuning_of(parts_[i], kernels[i].info, tuning));
    }
    return plan_grid(spec, weights, options_, costs(kernels, tuning, tunings));
  }

  // What NCCL can join: CUDA devices, each of them once.
  void check_group(const BackendSpec& spec) const {
    if (!spec.plain_edges()) {
      throw UnsupportedError(
          "link nccl: whole rows pass from device to device, and these edges are shifted or "
          "twisted; auto and host are accepted here");
    }
    std::set<std::string> seen;
    for (const PartDevice& part : parts_) {
      const std::string name = device_of(part);
      if (std::string_view(part.driver->name()) != "cuda") {
        throw UnsupportedError("link nccl: " + name +
                               " is no CUDA device; auto and host are accepted here");
      }
      if (!seen.insert(name).second) {
        throw UnsupportedError("link nccl: " + name +
                               " has several parts, and NCCL takes one per device; auto, peer and "
                               "host are accepted here");
      }
    }
  }

  BackendPlan plan_tiles(const BackendSpec& spec, const std::string& kernel,
                         const Tuning& tuning) const {
    check_link_of_tiles(options_.link);
    Tunings tunings;
    std::vector<Kernel> kernels;
    std::vector<TileShare> shares;
    for (std::size_t i = 0; i < parts_.size(); i++) {
      kernels.push_back(kernel_of(parts_[i], kernel, spec));
      BackendSpec asked = spec;
      asked.max_memory = spec.max_memory > 0
                             ? std::max<std::int64_t>(1, spec.max_memory / std::ssize(parts_))
                             : memory_of(i, asked, spec, parts_.size());
      if (const auto why = kernels[i].unsupported(asked)) throw UnsupportedError(*why);
      const Tuning tuned = complete_tuning(tunings, i, kernels[i], asked, tuning);
      const auto make = [each = kernels[i], asked, tuned] {
        return tiles_of(*each.create(asked, tuned));
      };
      shares.push_back({make, visits_per_second(kernels[i], tuned)});
    }
    const BackendInfo info =
        shared_tiles_info({name_, devices().devices.front().name, names_of(kernels, kernel), {}},
                          parts_.size(), "host");
    const SharePolicy policy = share_policy(shares, options_, kHostExchange, !equal());
    return [=] {
      return std::make_unique<SharedTilesBackend>(
          spec, info, [=] { return std::make_unique<SharedTiles>(shares, policy); });
    };
  }

  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    if (device != 0) throw UnsupportedError(fmt::format("{} is one device", name_));
    if (spec.tiles) return plan_tiles(spec, kernel, tuning);
    if (options_.link == LinkChoice::nccl) check_group(spec);
    std::vector<Kernel> kernels;
    for (const PartDevice& part : parts_) kernels.push_back(kernel_of(part, kernel, spec));
    Tunings tunings;
    const DistributedPlan plan = plan_of(spec, kernels, tuning, tunings);
    std::vector<BackendFactory> make;
    for (std::size_t i = 0; i < plan.bands.size(); i++) {
      BackendSpec band = plan.band_spec(i, spec);
      const std::int64_t memory = memory_of(i, band, spec, plan.bands.size());
      band.max_memory = memory;
      if (const auto why = kernels[i].unsupported(band)) {
        throw UnsupportedError(
            fmt::format("a grid of {}x{} cells, of which {} is to step {} rows: {}", spec.width,
                        spec.height, device_of(parts_[i]), band.height, *why));
      }
      const Tuning tuned = complete_tuning(tunings, i, kernels[i], band, tuning);
      make.push_back([each = kernels[i], memory, tuned](BackendSpec wanted) {
        wanted.max_memory = memory;
        return each.create(wanted, tuned);
      });
    }
    const BackendInfo info{name_, devices().devices.front().name, names_of(kernels, kernel), {}};
    return [=] { return DistributedBackend::create(spec, info, plan, make); };
  }

  std::vector<PartDevice> parts_;
  BandOptions options_;
  std::string name_;
};

}  // namespace

const Driver& distributed_driver(const std::vector<PartDevice>& parts, const BandOptions& options) {
  using Key = std::tuple<std::string, std::int64_t, LinkChoice, double>;
  static std::mutex mutex;
  static auto* const all = new std::map<Key, std::unique_ptr<DistributedDriver>>;
  const std::lock_guard lock(mutex);
  auto& driver =
      (*all)[{joined_names(parts, device_of), options.halo, options.link, options.share_tiles}];
  if (!driver) driver = std::make_unique<DistributedDriver>(parts, options);
  return *driver;
}

}  // namespace tessera
