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
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/stepping/kernel.h"

namespace tessera {

namespace {

// Seconds that an exchange costs a device. Through the host, threads meet and a device is waited
// for; between two H200s kernels pack and unpack and wait for each other, 22 us measured.
constexpr double kHostExchange = 2e-4, kPeerExchange = 2.2e-5;

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
        info.tiles = false;
        if (!alike()) info.parameters.clear();
        out.push_back(std::move(info));
      }
    }
    const std::string best = default_kernel(0);
    const auto found = std::ranges::find(out, best, &KernelInfo::name);
    if (found == out.end()) {
      out.insert(out.begin(), KernelInfo{best, "the best kernel of each part", {}});
    } else {
      std::rotate(out.begin(), found, found + 1);
    }
    return out;
  }

  std::string default_kernel(int) const override {
    std::vector<std::string> names;
    for (const PartDevice& part : parts_) {
      const std::string name = part.driver->default_kernel(part.device.index);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, "+"));
  }

 private:
  static bool has(const PartDevice& part, const std::string& kernel) {
    const std::vector<KernelInfo> all = part.driver->kernels();
    return std::ranges::find(all, kernel, &KernelInfo::name) != all.end();
  }

  // Whether all parts are one kind of backend, so that a tuning means the same to all.
  bool alike() const {
    return std::ranges::all_of(
        parts_, [&](const PartDevice& part) { return part.driver == parts_.front().driver; });
  }

  // Whether all parts are equally fast as far as names tell.
  bool equal() const {
    return alike() && std::ranges::all_of(parts_, [&](const PartDevice& part) {
             return part.device.name == parts_.front().device.name;
           });
  }

  // The kernel of one part that `name` means.
  Kernel kernel_of(const PartDevice& part, const std::string& name) const {
    const std::string best = part.driver->default_kernel(part.device.index);
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
    if (spec.max_memory > 0) {
      const double share = static_cast<double>(band.height) / static_cast<double>(spec.height);
      return std::max<std::int64_t>(
          1,
          static_cast<std::int64_t>(static_cast<double>(spec.max_memory) * std::min(1.0, share)));
    }
    const auto sharing = std::count_if(
        parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(bands),
        [&](const PartDevice& part) { return device_of(part) == device_of(parts_[i]); });
    return sharing > 1 ? parts_[i].device.memory / sharing : 0;
  }

  // Peer copies are what parts on CUDA devices get unless somebody forbids them.
  HaloCosts costs(const std::vector<Kernel>& kernels, const Tuning& tuning) const {
    HaloCosts costs{std::numeric_limits<double>::infinity(), kPeerExchange};
    for (std::size_t i = 0; i < parts_.size(); i++) {
      const int threads = tuning_of(parts_[i], kernels[i].info, tuning).threads;
      costs.cells_per_second = std::min(costs.cells_per_second, nominal_speed(kernels[i], threads));
      const bool peers =
          std::string_view(parts_[i].driver->name()) == "cuda" && options_.link != LinkChoice::host;
      if (!peers) costs.exchange_seconds = kHostExchange;
    }
    return costs;
  }

  DistributedPlan plan_of(const BackendSpec& spec, const std::vector<Kernel>& kernels,
                          const Tuning& tuning) const {
    DistributedPlan plan;
    plan.link = options_.link;
    std::vector<double> weights(parts_.size(), 1.0);
    if (!equal()) {
      for (std::size_t i = 0; i < parts_.size(); i++)
        weights[i] = measured_speed(kernels[i], tuning_of(parts_[i], kernels[i].info, tuning));
    }
    const std::int64_t reach = spec.rule.reach();
    const HaloCosts how = costs(kernels, tuning);
    // A slow part still gets the rows that its neighbours' halos need.
    const auto count = static_cast<std::int64_t>(std::min<std::size_t>(
        parts_.size(), static_cast<std::size_t>(std::min<std::int64_t>(spec.height, 1 << 20))));
    const std::int64_t wanted =
        options_.halo > 0
            ? options_.halo
            : choose_halo(spec.width, std::max<std::int64_t>(1, spec.height / count / reach), how);
    plan.bands = plan_bands(spec.height, weights, wanted * reach);
    if (plan.bands.size() < 2) return plan;
    const std::int64_t rows = std::ranges::min(plan.bands, {}, &BandRows::rows).rows;
    if (options_.halo * reach > rows || rows < reach) {
      throw UnsupportedError(fmt::format(
          "a halo of {} generations needs {} rows and {} rows in {} bands have {} each: a halo of "
          "at most {} generations is accepted, or fewer parts",
          std::max<std::int64_t>(1, options_.halo),
          std::max<std::int64_t>(1, options_.halo) * reach, spec.height, plan.bands.size(), rows,
          rows / reach));
    }
    plan.halo = options_.halo > 0 ? options_.halo : std::min(wanted, rows / reach);
    return plan;
  }

  static void check_size(const BackendSpec& spec) {
    constexpr std::int64_t kMostRows = std::int64_t{1} << 50;
    if (BitGrid::bytes(spec.width, spec.height) && spec.height <= kMostRows) return;
    throw UnsupportedError(
        fmt::format("a grid of {}x{} cells: sides from 1 and up to 2^46 bytes are supported",
                    spec.width, spec.height));
  }

  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    if (device != 0) throw UnsupportedError(fmt::format("{} is one device", name_));
    check_size(spec);
    std::vector<Kernel> kernels;
    for (const PartDevice& part : parts_) kernels.push_back(kernel_of(part, kernel));
    const DistributedPlan plan = plan_of(spec, kernels, tuning);
    Tunings tunings;
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
      const Tuning tuned =
          tunings.complete(kernels[i], band, tuning_of(parts_[i], kernels[i].info, tuning)).tuning;
      make.push_back([each = kernels[i], memory, tuned](BackendSpec wanted) {
        wanted.max_memory = memory;
        return each.create(wanted, tuned);
      });
    }
    const BackendInfo info{name_, devices().devices.front().name, kernel, {}};
    return [=] { return DistributedBackend::create(spec, info, plan, make); };
  }

  std::vector<PartDevice> parts_;
  BandOptions options_;
  std::string name_;
};

}  // namespace

const Driver& distributed_driver(const std::vector<PartDevice>& parts, const BandOptions& options) {
  using Key = std::tuple<std::string, std::int64_t, LinkChoice>;
  static std::mutex mutex;
  static auto* const all = new std::map<Key, std::unique_ptr<DistributedDriver>>;
  const std::lock_guard lock(mutex);
  auto& driver = (*all)[{joined_names(parts, device_of), options.halo, options.link}];
  if (!driver) driver = std::make_unique<DistributedDriver>(parts, options);
  return *driver;
}

}  // namespace tessera
