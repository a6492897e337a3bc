#include "apps/tessera/run/run_report.h"

#include <fmt/format.h>

#include "apps/common/units.h"
#include "apps/tessera/measurement.h"
#include "backends/distributed/rank_team.h"
#include "core/cells/state_hash.h"

namespace tessera {
const char* name_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::time:
      return "time";
    case Stopped::signal:
      return "signal";
    case Stopped::memory:
      return "memory";
    default:
      return "done";
  }
}

std::string report_json(const RunReport& report) {
  Json out;
  out["rule"] = to_string(report.rule);
  out["width"] = report.rule.width;
  out["height"] = report.rule.height;
  out["generation"] = report.generation;
  out["population"] = report.cells.population;
  out["hash"] = hash_text(report.cells.hash);
  out["bounds"] = json_of(report.cells.bounds);
  out["backend"] = report.backend.backend;
  out["device"] = report.backend.device;
  out["kernel"] = report.backend.kernel;
  out["tuning"] = json_of(report.backend.tuning);
  out["tuned_by"] = to_string(report.tuned_by);
  out["parts"] = report.backend.parts;
  out["halo"] = report.backend.halo;
  out["link"] = report.backend.link;
  const RankTeam* const team = rank_team();
  out["ranks"] = team ? team->ranks : 1;
  out["hosts"] = team ? team->hosts : 1;
  out["space"] = report.space;
  out["space_switches"] = report.space_switches;
  out["generations"] = report.generations;
  out["seconds"] = report.seconds;
  out["generations_per_second"] = report.generations_per_second();
  out["cells_per_second"] = report.cells_per_second();
  out["stopped"] = name_of(report.stopped);
  out["max_time"] = report.max_seconds ? Json(*report.max_seconds) : Json();
  out["source"] = report.source;
  return text_of(out);
}

std::string report_text(const RunReport& report) {
  std::string text = fmt::format("{}, {}\n", report.source, to_string(report.rule));
  text += fmt::format("generation {}, population {}", grouped(report.generation),
                      grouped(report.cells.population));
  if (const std::optional<Bounds>& box = report.cells.bounds) {
    text += fmt::format(", x {} .. {}, y {} .. {}", box->xmin, box->xmax, box->ymin, box->ymax);
  }
  text += fmt::format(", hash {}\n", hash_text(report.cells.hash));
  text += fmt::format("{} generations in {}", grouped(report.generations),
                      duration_text(report.seconds));
  if (report.cells_stepped > 0 && report.seconds > 0) {
    text +=
        fmt::format(", {} generations/s, {} cells/s", rate_text(report.generations_per_second()),
                    rate_text(report.cells_per_second()));
  }
  const BackendInfo& by = report.backend;
  text += fmt::format(" on {} ({}), kernel {}{}", by.backend, by.device, by.kernel,
                      report.space == "grid" ? "" : ", " + report.space);
  if (by.link == "memory") {
    text += fmt::format(", {} ranks that share its memory", by.parts);
  } else if (by.parts > 1) {
    text += fmt::format(", {} {}, halos of {} generations, link {}", by.parts,
                        report.space == "tiles" ? "parts" : "bands", by.halo, by.link);
  }
  return text + "\n";
}

}  // namespace tessera
