#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/rules/rule_spec.h"
#include "core/stepping/step_backend.h"
#include "core/stepping/survey.h"

namespace tessera {

/// Why a run ended.
enum class Stopped {
  done,    ///< all generations were stepped
  time,    ///< --max-time was over
  signal,  ///< SIGINT, SIGTERM or SIGHUP
  memory,  ///< the plane could not grow any further
};

/// "done", "time", "signal", "memory".
const char* name_of(Stopped stopped);

/// What a run came to.
struct RunReport {
  RuleSpec rule;
  std::int64_t generation = 0;
  std::int64_t generations = 0;  ///< stepped by this process
  Survey cells;
  std::string space;                ///< how the cells were held at the end (Universe::space)
  std::int64_t space_switches = 0;  ///< how often that changed by itself
  BackendInfo backend;
  TunedBy tuned_by = TunedBy::own_choice;  ///< where its tuning came from
  double seconds = 0;                      ///< of stepping alone
  double cells_stepped = 0;                ///< cell updates (Universe::cells_stepped)
  Stopped stopped = Stopped::done;
  std::optional<double> max_seconds;  ///< the limit of --max-time, if there was one
  std::string source;

  double generations_per_second() const {
    return seconds > 0 ? static_cast<double>(generations) / seconds : 0;
  }
  double cells_per_second() const { return seconds > 0 ? cells_stepped / seconds : 0; }
};

/// One JSON object and a line feed. Width and height are 0 on the infinite plane; bounds are null
/// without cells.
std::string report_json(const RunReport& report);
/// A few lines for people.
std::string report_text(const RunReport& report);

}  // namespace tessera
