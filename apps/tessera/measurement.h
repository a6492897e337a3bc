#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apps/measure/timing.h"
#include "apps/tessera/json.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// The result of a kernel on a device in a case.
struct Measurement {
  std::string backend;  ///< as --backend names it
  BackendInfo info;
  std::int64_t generations = 0;  ///< a run
  double cells = 0;              ///< cell updates per run; 0 where that has no meaning
  Timing timing;
  double ceiling = 0;   ///< cell updates per second that the device could make at most; 0: unknown
  std::string space{};  ///< how the cells are held (Universe::space); empty where no universe is

  double seconds_per_generation() const {
    return timing.seconds().median / static_cast<double>(generations);
  }
  Spread cells_per_second() const { return inverse(timing.seconds(), cells); }
};

/// Operations per cell of the best known circuit for a rule: 8 for Life, 6 and the rule's own tail
/// for others (core/rules/circuit.inl, core/rules/rule_circuit.h).
int gates_of(const Rule& rule);

/// Finds the programs of rules that have one, so that what is timed begins with the shortest and no
/// search runs beside it.
void find_programs(const RuleSpec& rules);

/// Median, lowest and highest, and all runs.
Json json_of(const Spread& spread);
Json json_of(const Tuning& tuning);
/// backend, device, kernel, tuning, generations, wall_seconds, device_seconds (null where the
/// device has no clock), seconds_per_generation, cells_per_second, ceiling_cells_per_second and
/// share_of_ceiling.
Json json_of(const Measurement& measurement);

/// The devices that take part: their ceilings, each measured once, and their description as JSON.
class DeviceFacts {
 public:
  /// Measures when first asked; nothing where the driver cannot measure it.
  std::optional<Ceiling> ceiling(const Kernel& kernel);
  /// The highest possible cell updates per second under a rule, or two in turns; 0 where
  /// that is not known.
  double cells(const Kernel& kernel, const RuleSpec& rules);
  /// backend, name, software, memory, properties (driver and compiler among them), clocks, ceiling.
  Json json() const;

 private:
  struct Known {
    Kernel kernel;
    std::optional<Ceiling> ceiling;
    std::vector<std::pair<std::string, std::string>> clocks;
  };
  std::map<std::string, Known> known_;
};

/// gates_per_second, cells_per_second at Life's eight gates, bytes_per_second; or null.
Json json_of(const std::optional<Ceiling>& ceiling);

/// version of the program, compiler it was built with, system, date: UTC, "2026-01-31T12:00:00Z".
Json environment_json();

/// "12.3 us": three significant digits of a time of any size.
std::string time_text(double seconds);
/// "3.1 %": the distance between the lowest and the highest run, relative to the median.
std::string spread_text(const Spread& spread);

}  // namespace tessera
