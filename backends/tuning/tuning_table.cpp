#include "backends/tuning/tuning_table.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tuning_files.inl"  // kTuningFiles, written by CMake

namespace tessera {

namespace {

// A gain below this may be noise.
constexpr double kGain = 1.02;

}  // namespace

std::vector<KnownTuning> read_known_tunings(const std::string& file, const std::string& text) {
  std::vector<KnownTuning> out;
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    for (const nlohmann::json& result : document.at("results")) {
      if (result.contains("skipped") || result.at("gain").get<double>() < kGain) continue;
      const auto name = [&](const char* key) { return result.at(key).get<std::string>(); };
      const double cells = result.at("width").get<double>() * result.at("height").get<double>();
      const int size = static_cast<int>(std::lround(std::log2(cells)));
      const std::string backend = name("backend");
      KnownTuning known{backend.substr(0, backend.find(':')),
                        name("device"),
                        name("kernel"),
                        document.at("rule").get<std::string>(),
                        size - 1,
                        size + 1,
                        {}};
      for (const auto& [field, value] : result.at("best").items())
        known.tuning.*tuning_field(field).member = value.get<int>();
      out.push_back(std::move(known));
    }
  } catch (const nlohmann::json::exception&) {
    throw ParseError(file, "this is not what 'tessera tune --json' writes");
  }
  return out;
}

const std::vector<KnownTuning>& known_tunings() {
  static const std::vector<KnownTuning> kAll = [] {
    std::vector<KnownTuning> all;
    for (const TuningFile& file : kTuningFiles) {
      const std::vector<KnownTuning> some = read_known_tunings(file.name, file.text);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace tessera
