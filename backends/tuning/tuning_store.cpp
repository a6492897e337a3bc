#include "backends/tuning/tuning_store.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backends/drivers.h"
#include "backends/tuning/tuning_table.h"
#include "core/base/error.h"
#include "core/files/atomic_file.h"

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TuningKey& key) {
  return {{"version", TESSERA_VERSION},
          {"backend", key.backend},
          {"device", key.device},
          {"driver", key.driver},
          {"kernel", key.kernel},
          {"rule", key.rule},
          {"size", key.size}};
}

// A file that is missing or damaged holds nothing; the next store makes it anew.
Json read_store() {
  std::ifstream file(tuning_store_path());
  Json all = Json::parse(file, nullptr, false);
  return all.is_array() ? all : Json::array();
}

bool declares(const KernelInfo& kernel, const char* field, int value) {
  for (const TuningRange& range : kernel.ranges) {
    if (std::string_view(range.field) != field) continue;
    return std::find(range.values.begin(), range.values.end(), value) != range.values.end();
  }
  return false;
}

std::optional<Tuning> usable(const KernelInfo& kernel, const Tuning& tuning) {
  for (const char* field : tuning_fields()) {
    const int value = tuning_field(tuning, field);
    if (value != 0 && !declares(kernel, field, value)) return std::nullopt;
  }
  return tuning;
}

std::optional<Tuning> find_stored(const Json& all, const TuningKey& key, const KernelInfo& kernel) {
  const Json wanted = json_of(key);
  for (const Json& entry : all) {
    if (!entry.is_object() || entry.value("key", Json()) != wanted) continue;
    const Json values = entry.value("tuning", Json());
    if (!values.is_object()) continue;
    Tuning tuning;
    bool whole = true;
    for (const char* field : tuning_fields()) {
      const auto value = values.find(field);
      whole &= value != values.end() && value->is_number_integer();
      if (whole) tuning_field(tuning, field) = value->get<int>();
    }
    if (whole) return usable(kernel, tuning);
  }
  return std::nullopt;
}

std::optional<Tuning> find_known(const TuningKey& key, const KernelInfo& kernel) {
  for (const KnownTuning& known : known_tunings()) {
    if (key.backend == known.backend && key.device.starts_with(known.device) &&
        key.kernel == known.kernel && key.rule == known.rule && key.size >= known.smallest &&
        key.size <= known.largest) {
      return usable(kernel, known.tuning);
    }
  }
  return std::nullopt;
}

}  // namespace

TuningKey tuning_key(const Entrant& entrant, const BackendSpec& spec) {
  const double cells = static_cast<double>(spec.width) * static_cast<double>(spec.height);
  TuningKey key{entrant.driver->name(),
                entrant.device.name,
                "",
                entrant.kernel.name,
                to_string(spec.rule),
                static_cast<int>(std::lround(std::log2(cells)))};
  for (const auto& [label, value] : entrant.device.properties) {
    if (label == "driver") key.driver = value;
  }
  return key;
}

const char* to_string(TunedBy by) {
  return by == TunedBy::stored ? "stored" : by == TunedBy::built_in ? "built-in" : "own choice";
}

ChosenTuning choose_tuning(const Entrant& entrant, const BackendSpec& spec) {
  TuningKey key = tuning_key(entrant, spec);
  if (const Json all = read_store(); !all.empty()) {
    const int size = key.size;
    for (const int near : {size, size - 1, size + 1}) {
      key.size = near;
      if (const auto found = find_stored(all, key, entrant.kernel))
        return {*found, TunedBy::stored};
    }
    key.size = size;
  }
  if (const auto found = find_known(key, entrant.kernel)) return {*found, TunedBy::built_in};
  return {};
}

ChosenTuning complete_tuning(const Entrant& entrant, const BackendSpec& spec, const Tuning& fixed) {
  Tuning open = fixed;
  open.threads = 0;
  if (open != Tuning{}) return {fixed, TunedBy::own_choice};
  ChosenTuning chosen = choose_tuning(entrant, spec);
  if (fixed.threads != 0) chosen.tuning.threads = fixed.threads;
  return chosen;
}

void store_tuning(const TuningKey& key, const Tuning& tuning, double cells_per_second) {
  const std::string path = tuning_store_path();
  if (path.empty())
    throw FileError(
        "tunings are kept in the user's cache folder, and neither XDG_CACHE_HOME nor HOME names "
        "one");
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  const Json wanted = json_of(key);
  Json kept = Json::array();
  for (const Json& entry : read_store()) {
    if (entry.is_object() && entry.value("key", Json()) != wanted) kept.push_back(entry);
  }
  Json values;
  for (const char* field : tuning_fields()) values[field] = tuning_field(tuning, field);
  kept.push_back({{"key", wanted}, {"tuning", values}, {"cells_per_second", cells_per_second}});
  AtomicFile file(path);
  file.write(kept.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
  file.commit();
}

std::string tuning_store_path() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::string(cache) + "/tessera/tuning.json";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/tessera/tuning.json";
  return "";
}

BackendFactory make_tuned_factory(const std::string& backend, const std::string& kernel,
                                  const Tuning& fixed, TunedBy* by) {
  return [=](const BackendSpec& spec) {
    const DeviceChoice choice = choose_device(backend, spec, kernel);
    Entrant entrant{choice.driver, {}, {}, false};
    for (const DeviceInfo& device : choice.driver->devices().devices) {
      if (device.index == choice.device) entrant.device = device;
    }
    const std::string name =
        kernel == "auto" ? preferred_kernel(*choice.driver, choice.device, spec) : kernel;
    for (const KernelInfo& info : choice.driver->kernels()) {
      if (info.name == name) entrant.kernel = info;
    }
    const ChosenTuning chosen = complete_tuning(entrant, spec, fixed);
    if (by) *by = chosen.by;
    // `kernel` as it was asked for, so that what is refused is refused in the same words.
    return choice.driver->create(choice.device, spec, kernel, chosen.tuning);
  };
}

}  // namespace tessera
