#include "backends/tuning/tunings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backends/tuning/tuning_table.h"
#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "core/files/cache_folder.h"
#include "core/rules/rule_spec.h"

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

// A missing or damaged file counts as empty; the next store replaces it.
Json read_store() {
  std::ifstream file(tuning_store_path());
  Json all = Json::parse(file, nullptr, false);
  return all.is_array() ? all : Json::array();
}

std::optional<Tuning> find_known(const TuningKey& key, const KernelInfo& kernel) {
  for (const KnownTuning& known : known_tunings()) {
    if (key.backend == known.backend && key.device.starts_with(known.device) &&
        key.kernel == known.kernel && key.rule == known.rule && key.size >= known.smallest &&
        key.size <= known.largest) {
      if (kernel.objection(known.tuning)) return std::nullopt;
      return known.tuning;
    }
  }
  return std::nullopt;
}

}  // namespace

TuningKey tuning_key(const Kernel& kernel, const BackendSpec& spec) {
  const double cells = spec.cells();
  const std::string rule = rules_text({.rule = spec.rule, .odd_rule = spec.odd_rule});
  TuningKey key{kernel.driver->name(),
                kernel.device.name,
                "",
                kernel.info.name,
                rule,
                static_cast<int>(std::lround(std::log2(cells)))};
  for (const auto& [label, value] : kernel.device.properties) {
    if (label == "driver") key.driver = value;
  }
  return key;
}

// Entries of other versions of the program, and damaged ones, are passed over.
std::vector<Tunings::Stored> Tunings::read() {
  std::vector<Stored> out;
  for (const Json& entry : read_store()) {
    try {
      const Json& key = entry.at("key");
      if (key.at("version") != TESSERA_VERSION) continue;
      const auto text = [&](const char* name) { return key.at(name).get<std::string>(); };
      Stored stored{{text("backend"), text("device"), text("driver"), text("kernel"), text("rule"),
                     key.at("size").get<int>()},
                    {}};
      for (const TuningField& field : tuning_fields()) {
        const Json& value = entry.at("tuning").at(field.name);
        if (!value.is_number_integer()) throw InputError("a tuning's values are whole numbers");
        stored.tuning.*field.member = value.get<int>();
      }
      out.push_back(std::move(stored));
    } catch (const Json::exception&) {
    } catch (const InputError&) {
    }
  }
  return out;
}

ChosenTuning Tunings::choose(const Kernel& kernel, const BackendSpec& spec) {
  if (!stored_) stored_ = read();
  TuningKey key = tuning_key(kernel, spec);
  const int size = key.size;
  for (const int near : {size, size - 1, size + 1}) {
    key.size = near;
    for (const Stored& stored : *stored_) {
      if (stored.key != key) continue;
      if (!kernel.info.objection(stored.tuning)) return {stored.tuning, TunedBy::stored};
      break;
    }
  }
  key.size = size;
  if (const auto found = find_known(key, kernel.info)) return {*found, TunedBy::built_in};
  return {};
}

ChosenTuning Tunings::complete(const Kernel& kernel, const BackendSpec& spec, const Tuning& fixed) {
  Tuning open = fixed;
  open.threads = 0;
  const int threads = kernel.info.parameter(&Tuning::threads) ? fixed.threads : 0;
  ChosenTuning chosen =
      open != Tuning{} ? ChosenTuning{open, TunedBy::own_choice} : choose(kernel, spec);
  if (threads != 0) chosen.tuning.threads = threads;
  return chosen;
}

void store_tuning(const TuningKey& key, const Tuning& tuning, double cells_per_second) {
  const std::string path = tuning_store_path();
  if (path.empty())
    throw FileError(
        "tunings are kept in the user's cache folder, and none of TESSERA_CACHE, XDG_CACHE_HOME "
        "and HOME names one");
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  const Json wanted = json_of(key);
  Json kept = Json::array();
  for (const Json& entry : read_store()) {
    if (entry.is_object() && entry.value("key", Json()) != wanted) kept.push_back(entry);
  }
  Json values;
  for (const TuningField& field : tuning_fields()) values[field.name] = tuning.*field.member;
  kept.push_back({{"key", wanted}, {"tuning", values}, {"cells_per_second", cells_per_second}});
  AtomicFile file(path);
  file.write(kept.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
  file.commit();
}

std::string tuning_store_path() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : folder + "/tuning.json";
}

}  // namespace tessera
