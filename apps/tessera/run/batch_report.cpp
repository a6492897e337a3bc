#include "apps/tessera/run/batch_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/units.h"
#include "apps/tessera/measurement.h"
#include "apps/tessera/text_table.h"
#include "core/cells/state_hash.h"

namespace tessera {
namespace {

constexpr std::size_t kShown = 20;  // universes in the table for people

// A path as a field of a CSV file (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::int64_t repeating(const BatchState& state) {
  return std::ranges::count_if(state.repeats,
                               [](const PeriodFinder& each) { return each.period().has_value(); });
}

std::int64_t living(const BatchState& state) {
  std::int64_t population = 0;
  for (const Survey& cells : state.cells) population += cells.population;
  return population;
}

std::string json_row(const BatchSource& source, const BatchState& state, std::size_t i) {
  const Survey& cells = state.cells[i];
  const PeriodFinder& repeat = state.repeats[i];
  const auto universe = static_cast<std::int64_t>(i);
  Json row{{"universe", universe}};
  if (source.first_seed) {
    row["seed"] = *source.first_seed + static_cast<std::uint64_t>(universe);
  } else {
    row["pattern"] = source.of(universe);
  }
  row["population"] = cells.population;
  row["hash"] = hash_text(cells.hash);
  row["bounds"] = json_of(cells.bounds);
  row["period"] = repeat.period() ? Json(*repeat.period()) : Json();
  row["since"] = repeat.period() ? Json(repeat.since()) : Json();
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TextTable table_of(const BatchReport& report) {
  const BatchState& state = report.state;
  TextTable table({"universe", report.source.first_seed ? "seed" : "pattern", "population", "x",
                   "y", "hash", "period", "since"},
                  0);
  for (std::size_t i = 0; i < std::min(state.cells.size(), kShown); i++) {
    const std::optional<Bounds>& box = state.cells[i].bounds;
    const PeriodFinder& repeat = state.repeats[i];
    const auto universe = static_cast<std::int64_t>(i);
    table.add({std::to_string(universe), report.source.of(universe),
               grouped(state.cells[i].population),
               box ? fmt::format("{} .. {}", box->xmin, box->xmax) : "",
               box ? fmt::format("{} .. {}", box->ymin, box->ymax) : "",
               hash_text(state.cells[i].hash), repeat.period() ? grouped(*repeat.period()) : "",
               repeat.period() ? grouped(repeat.since()) : ""});
  }
  return table;
}

}  // namespace

std::string BatchSource::of(std::int64_t universe) const {
  if (first_seed) return std::to_string(*first_seed + static_cast<std::uint64_t>(universe));
  return patterns[static_cast<std::size_t>(universe % std::ssize(patterns))];
}

double BatchReport::cells_per_second() const {
  const double cells = static_cast<double>(rule.width) * static_cast<double>(rule.height) *
                       static_cast<double>(state.cells.size());
  return seconds > 0 ? cells * static_cast<double>(generations) / seconds : 0;
}

std::string batch_heading(const BatchSource& source) {
  return fmt::format("universe,{},generation,population,xmin,ymin,xmax,ymax,hash,period,since\n",
                     source.first_seed ? "seed" : "pattern");
}

std::string batch_rows(const BatchSource& source, const BatchState& state) {
  std::string out;
  for (std::size_t i = 0; i < state.cells.size(); i++) {
    const Survey& cells = state.cells[i];
    const auto universe = static_cast<std::int64_t>(i);
    out += fmt::format("{},{},{},{},", universe, csv_field(source.of(universe)), state.generation,
                       cells.population);
    if (const std::optional<Bounds>& b = cells.bounds) {
      out += fmt::format("{},{},{},{},", b->xmin, b->ymin, b->xmax, b->ymax);
    } else {
      out += ",,,,";
    }
    out += hash_text(cells.hash);
    const PeriodFinder& repeat = state.repeats[i];
    out += repeat.period() ? fmt::format(",{},{}\n", *repeat.period(), repeat.since()) : ",,\n";
  }
  return out;
}

std::string batch_json(const BatchReport& report) {
  Json out;
  out["rule"] = to_string(report.rule);
  out["width"] = report.rule.width;
  out["height"] = report.rule.height;
  out["universes"] = report.state.cells.size();
  out["generation"] = report.state.generation;
  out["population"] = living(report.state);
  out["repeating"] = repeating(report.state);
  out["backend"] = report.info.by.backend;
  out["device"] = report.info.by.device;
  out["kernel"] = report.info.by.kernel;
  out["packing"] = report.info.packing;
  out["tuning"] = json_of(report.info.by.tuning);
  out["generations"] = report.generations;
  out["seconds"] = report.seconds;
  out["cells_per_second"] = report.cells_per_second();
  out["stopped"] = name_of(report.stopped);
  out["max_time"] = report.max_seconds ? Json(*report.max_seconds) : Json();
  out["source"] = report.source.text;
  // Rows are written one by one: a document of a million of them would take gigabytes.
  std::string text = text_of(out);
  text.resize(text.rfind('}') - 1);  // with the line end before it
  text += ",\n  \"rows\": [";
  for (std::size_t i = 0; i < report.state.cells.size(); i++)
    text += (i == 0 ? "\n    " : ",\n    ") + json_row(report.source, report.state, i);
  return text + "\n  ]\n}\n";
}

std::string batch_text(const BatchReport& report) {
  const auto universes = static_cast<std::int64_t>(report.state.cells.size());
  std::string text = fmt::format("{}, {}\n", report.source.text, to_string(report.rule));
  text += fmt::format("generation {}, population {} in all, {} of {} universes repeat\n",
                      grouped(report.state.generation), grouped(living(report.state)),
                      grouped(repeating(report.state)), grouped(universes));
  text += fmt::format("{} generations in {}", grouped(report.generations),
                      duration_text(report.seconds));
  if (report.generations > 0 && report.seconds > 0)
    text += fmt::format(", {} cells/s", rate_text(report.cells_per_second()));
  const BackendInfo& by = report.info.by;
  text += fmt::format(" on {} ({}), kernel {}, {}\n", by.backend, by.device, by.kernel,
                      report.info.packing);
  text += table_of(report).text();
  if (universes > static_cast<std::int64_t>(kShown)) {
    text += fmt::format("  and {} more, which --stats FILE.csv and --json list\n",
                        grouped(universes - static_cast<std::int64_t>(kShown)));
  }
  return text;
}

}  // namespace tessera
