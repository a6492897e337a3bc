#include "backends/drivers.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "backends/distributed/edges_driver.h"
#include "backends/distributed/rank_team.h"
#include "backends/distributed/ranks_driver.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/base/nearest_word.h"

namespace tessera {

namespace {

// Cells of a grid under a rule of a file: an H100 steps 2^20 of Langton's loops 32 times as fast as
// 16 threads, 2^24 80 times, but opening it takes as long as 1,000 generations of the former.
constexpr double kManyCells = 0x1p20;

std::vector<std::string> driver_names() {
  std::vector<std::string> names;
  for (const Driver* driver : drivers()) names.emplace_back(driver->name());
  return names;
}

std::string known_names() {
  std::string names = "auto";
  for (const std::string& name : driver_names()) names += ", " + name;
  return names + ", one with a device number as in cpu:0, or several as in cpu:0+cpu:0 and cpu*2";
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The kernel of that name, which need not exist: creating it tells what does.
Kernel kernel_on(const Driver& driver, const DeviceInfo& device, const std::string& name,
                 const BackendSpec& spec) {
  const std::string preferred = driver.default_kernel(device.index, spec);
  const std::string wanted = name == "auto" ? preferred : name;
  for (KernelInfo& info : driver.kernels()) {
    if (info.name == wanted) return {&driver, device, std::move(info), wanted == preferred};
  }
  return {&driver, device, {wanted, "", {}}, false};
}

bool offers_tiles(const Driver& driver) {
  const std::vector<KernelInfo> kernels = driver.kernels();
  return std::any_of(kernels.begin(), kernels.end(), [](const KernelInfo& k) { return k.tiles; });
}

// The driver that a name with or without a device number is about.
const Driver& driver_of(const std::string& backend) {
  const std::string kind = backend.substr(0, backend.find(':'));
  for (const Driver* driver : drivers()) {
    if (kind == driver->name()) return *driver;
  }
  for (const MissingDriver& missing : missing_drivers()) {
    if (kind == missing.name) throw UnsupportedError("backend " + kind + " is " + missing.reason);
  }
  throw InputError("backend '" + backend + "' is not known" +
                   meant_or_accepted(kind, driver_names()) + known_names());
}

// The device number behind the colon, or nothing without one.
std::optional<int> device_number(const std::string& backend) {
  const std::size_t colon = backend.find(':');
  if (colon == std::string::npos) return std::nullopt;
  int index = 0;
  const char* end = backend.data() + backend.size();
  const auto [stop, status] = std::from_chars(backend.data() + colon + 1, end, index);
  if (status != std::errc{} || stop != end || index < 0)
    throw InputError("backend '" + backend + "': a device number is expected after the colon");
  return index;
}

// The device that a name other than "auto" means: the first of its kind without a number.
PartDevice single_device(const std::string& backend) {
  const Driver& driver = driver_of(backend);
  const std::optional<int> index = device_number(backend);
  const DeviceList list = driver.devices();
  if (list.devices.empty()) {
    throw UnsupportedError(std::string("backend ") + driver.name() +
                           " has no device here: " + list.missing);
  }
  for (const DeviceInfo& device : list.devices) {
    if (!index || device.index == *index) return {&driver, device};
  }
  throw InputError("backend '" + backend + "': there is no such device; 'tessera devices' lists " +
                   std::to_string(list.devices.size()) + " of this kind");
}

// The devices of "cuda:all": emulated ones only where there are no others.
std::vector<PartDevice> all_devices(const std::string& kind) {
  const Driver& driver = *single_device(kind).driver;
  const std::vector<DeviceInfo> devices = driver.devices().devices;
  const bool real = !std::all_of(devices.begin(), devices.end(),
                                 [](const DeviceInfo& device) { return device.software; });
  std::vector<PartDevice> out;
  for (const DeviceInfo& device : devices) {
    if (!(real && device.software)) out.push_back({&driver, device});
  }
  return out;
}

constexpr std::string_view kAll = ":all";
constexpr std::size_t kMostParts = 256;

// Adds the parts of "cpu", "cuda:1", "cpu*3" or "cuda:all".
void add_parts(const std::string& name, std::vector<PartDevice>& parts) {
  if (name.empty() || name == "auto") {
    throw InputError("backend '" + name + "' is no part of several; accepted are " + known_names());
  }
  if (name.ends_with(kAll)) {
    for (PartDevice& part : all_devices(name.substr(0, name.size() - kAll.size())))
      parts.push_back(std::move(part));
    return;
  }
  const std::size_t star = name.find('*');
  std::size_t count = 1;
  if (star != std::string::npos) {
    const char* end = name.data() + name.size();
    const auto [stop, status] = std::from_chars(name.data() + star + 1, end, count);
    if (status != std::errc{} || stop != end || count < 1 || count > kMostParts) {
      throw InputError("backend '" + name + "': a number of parts from 1 to " +
                       std::to_string(kMostParts) + " is expected after the asterisk");
    }
  }
  parts.insert(parts.end(), count, single_device(name.substr(0, star)));
}

constexpr std::string_view kRanks = "*ranks";

// The device of a rank: without a number the one of its own number on its host.
PartDevice device_of_rank(const std::string& name, const RankPlace& place) {
  const Driver& driver = driver_of(name);
  if (device_number(name) || std::string_view(driver.name()) == "cpu") return single_device(name);
  const std::vector<PartDevice> all = all_devices(name);
  if (static_cast<std::size_t>(place.local) < all.size())
    return all[static_cast<std::size_t>(place.local)];
  throw UnsupportedError("backend " + name + " has no device for it: it is rank " +
                         std::to_string(place.local + 1) + " of " + std::to_string(place.locals) +
                         " on " + place.host + ", which has " + std::to_string(all.size()) +
                         " of this kind");
}

// One device of every rank as one; "auto" takes the first kind that all of them have.
PartDevice device_of_ranks(const std::string& name, const BandOptions& bands) {
  RankTeam* const team = rank_team();
  if (!team) {
    throw UnsupportedError("backend '" + name +
                           "' needs several processes: start the program by mpirun or srun");
  }
  std::string device = name.substr(0, name.size() - kRanks.size());
  for (std::size_t i = 0; device == "auto" && i < drivers().size(); i++) {
    const std::vector<RankDevice> found = team->worker.devices(drivers()[i]->name());
    const bool all = std::all_of(found.begin(), found.end(), [](const RankDevice& each) {
      return each.missing.empty() && !each.software;
    });
    if (all) device = drivers()[i]->name();
  }
  using Key = std::tuple<std::string, std::int64_t, LinkChoice, double>;
  static auto* const known = new std::map<Key, std::unique_ptr<RanksDriver>>;
  auto& driver = (*known)[{device, bands.halo, bands.link, bands.share_tiles}];
  if (!driver) {
    driver_of(device);  // refuses what is not known
    driver = std::make_unique<RanksDriver>(team->worker, device, bands);
  }
  return {driver.get(), driver->devices().devices.front()};
}

// The device that a name other than "auto" means; several parts are one device.
PartDevice named_device(const std::string& backend, const BandOptions& bands) {
  if (!names_several(backend)) return single_device(backend);
  if (backend.ends_with(kRanks)) return device_of_ranks(backend, bands);
  std::vector<PartDevice> parts;
  for (std::size_t begin = 0; begin <= backend.size();) {
    const std::size_t end = std::min(backend.find_first_of("+,", begin), backend.size());
    add_parts(backend.substr(begin, end - begin), parts);
    begin = end + 1;
  }
  if (parts.size() > kMostParts) {
    throw InputError("backend '" + backend + "': " + std::to_string(parts.size()) +
                     " parts; 1 to " + std::to_string(kMostParts) + " are accepted");
  }
  if (parts.size() == 1) return parts.front();
  const Driver& all = distributed_driver(parts, bands);
  return {&all, all.devices().devices.front()};
}

}  // namespace

bool names_several(const std::string& backend) {
  return backend.find_first_of("+*,") != std::string::npos || backend.ends_with(kAll);
}

std::string on_ranks(const std::string& backend) {
  return rank_team() && !names_several(backend) ? backend + std::string(kRanks) : backend;
}

int run_on_ranks(int argc, char** argv, const std::function<int()>& program) {
  return run_on_ranks(std::vector<std::string>(argv + 1, argv + argc), device_of_rank, program);
}

KernelChooser::KernelChooser(std::string backend, std::string kernel, const BandOptions& bands)
    : backend_(std::move(backend)),
      kernel_(std::move(kernel)),
      bands_(bands),
      found_(drivers().size()) {}

Kernel KernelChooser::choose(const BackendSpec& spec) {
  if (backend_ != "auto") {
    if (!named_) named_ = named_device(backend_, bands_);
    return kernel_on(*named_->driver, named_->device, kernel_, spec);
  }
  std::string reasons;
  const auto add_reason = [&](const Driver& driver, const std::string& why) {
    reasons += (reasons.empty() ? "" : "; ") + std::string(driver.name()) + ": " + why;
  };
  // A driver is asked for its devices when no earlier one has a device that can. A few tiles are
  // done before a GPU is open, and small grids with twisted edges before it has exchanged these;
  // small grids under rules of files are, too: the CPU, which stands last, comes first.
  const bool backwards =
      (spec.rule.from_file() && spec.cells() < kManyCells) ||
      (spec.tiles ? !spec.many_tiles : !spec.plain_edges() && !pays_for_edges(spec));
  for (std::size_t n = 0; n < drivers().size(); n++) {
    const std::size_t i = backwards ? drivers().size() - 1 - n : n;
    const Driver& driver = *drivers()[i];
    if (spec.tiles && !offers_tiles(driver)) {
      add_reason(driver, "none of its kernels has tiles");
      continue;
    }
    for (const DeviceInfo& device : found_on(i)) {
      Kernel kernel = kernel_on(driver, device, kernel_, spec);
      const std::optional<std::string> why = kernel.unsupported(spec);
      if (!why) return kernel;
      add_reason(driver, *why);
    }
  }
  throw UnsupportedError("no backend can run this: " + reasons);
}

const std::vector<DeviceInfo>& KernelChooser::found_on(std::size_t driver) {
  std::optional<std::vector<DeviceInfo>>& found = found_[driver];
  if (!found) {
    found = drivers()[driver]->devices().devices;
    std::erase_if(*found, [](const DeviceInfo& device) { return device.software; });
  }
  return *found;
}

std::vector<Kernel> find_kernels(const std::vector<std::string>& backends,
                                 const std::vector<std::string>& kernels, const BandOptions& bands,
                                 const BackendSpec& spec) {
  const bool any_backend = has(backends, "all"), any_kernel = has(kernels, "all");
  // Refuses names that are unknown or have no device, with the reason.
  std::vector<PartDevice> several;
  for (const std::string& name : backends) {
    if (name == "all") continue;
    if (name == "auto")
      throw InputError("backend 'auto' is not accepted here; name devices, or 'all'");
    const PartDevice named = named_device(name, bands);
    if (names_several(name)) several.push_back(named);
  }
  std::vector<Kernel> out;
  std::vector<std::string> known;
  const auto add = [&](const Driver& driver, const DeviceInfo& device) {
    Kernel kernel{&driver, device, {}, false};
    const std::string preferred = driver.default_kernel(device.index, spec);
    for (const KernelInfo& info : driver.kernels()) {
      if (!has(known, info.name)) known.push_back(info.name);
      kernel.info = info;
      kernel.preferred = info.name == preferred;
      if (any_kernel || has(kernels, info.name) || (kernel.preferred && has(kernels, "default")))
        out.push_back(kernel);
    }
  };
  for (const Driver* driver : drivers()) {
    for (const DeviceInfo& device : driver->devices().devices) {
      if (any_backend || has(backends, driver->name()) ||
          has(backends, driver->device_name(device.index)))
        add(*driver, device);
    }
  }
  for (const PartDevice& each : several) add(*each.driver, each.device);
  if (any_kernel) return out;
  for (const std::string& name : kernels) {
    if (name == "default" || has(known, name)) continue;
    std::string accepted = "all, default";
    for (const std::string& each : known) accepted += ", " + each;
    throw InputError("there is no kernel '" + name + "' here" + meant_or_accepted(name, known) +
                     accepted);
  }
  return out;
}

BackendFactory make_factory(const std::string& backend, const std::string& kernel,
                            const Tuning& tuning, TunedBy* by, const BandOptions& bands) {
  struct Choices {
    std::mutex mutex;  // bands make their parts side by side
    KernelChooser kernels;
    Tunings tunings;
  };
  const std::shared_ptr<Choices> choices(new Choices{{}, {backend, kernel, bands}, {}});
  return [choices, tuning, by](const BackendSpec& spec) {
    std::unique_lock lock(choices->mutex);
    const Kernel chosen = choices->kernels.choose(spec);
    const ChosenTuning tuned = choices->tunings.complete(chosen, spec, tuning);
    if (by) *by = tuned.by;
    lock.unlock();
    return chosen.create(spec, tuned.tuning);
  };
}

}  // namespace tessera
