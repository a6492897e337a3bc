#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/tessera/bench/bench_report.h"
#include "apps/tessera/json.h"
#include "apps/tessera/plot.h"
#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

// A result's figure: in the unit of its suite, or in cell updates per second, which ceilings are
// given in.
PlotPoint point_of(const Json& r, bool as_rate) {
  const double side = number_at(r, "width");
  if (!as_rate || text_at(r, "unit") == "cells/s") {
    return {side, number_at(r, "value"), number_at(r, "lowest"), number_at(r, "highest")};
  }
  const Json& rate = r.at("cells_per_second");
  return {side, number_at(rate, "median"), number_at(rate, "lowest"), number_at(rate, "highest")};
}

bool has_rate(const Json& r) {
  const auto rate = r.find("cells_per_second");
  return text_at(r, "unit") == "cells/s" || (rate != r.end() && rate->is_object());
}

// "Life on a torus", and below it "NVIDIA H100, Intel Xeon; 2026-01-31".
std::string title_of(const std::string& what, const Json& document,
                     const std::vector<const Json*>& results) {
  std::vector<std::string> names;
  for (const Json* r : results) {
    const std::string name = text_at(*r, "device");
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string out = what;
  for (std::size_t i = 0; i < names.size(); i++) out += (i == 0 ? "\n" : ", ") + names[i];
  if (const auto date = document.find("date"); date != document.end() && date->is_string()) {
    out += "; " + date->get<std::string>().substr(0, 10);
  }
  return out;
}

// One line per kernel of a device, and the devices' ceilings in their colours.
void draw_lines(const std::string& path, const Json& document,
                const std::vector<const Json*>& results, bool as_rate) {
  std::vector<PlotLine> lines;
  std::vector<std::string> backends;
  for (const Json* r : results) {
    const std::string backend = text_at(*r, "backend"),
                      label = backend + " " + text_at(*r, "kernel");
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const PlotLine& l) { return l.label == label; });
    if (line == lines.end()) {
      line = lines.insert(lines.end(), PlotLine{label, {}, 0, lines.size()});
      backends.push_back(backend);
    }
    line->points.push_back(point_of(*r, as_rate));
  }
  const Json none = Json::array();
  for (const Json& device :
       as_rate&& document.contains("devices") ? document.at("devices") : none) {
    const auto at = std::find(backends.begin(), backends.end(), text_at(device, "backend"));
    if (at == backends.end() || !device.at("ceiling").is_object()) continue;
    lines.push_back({*at + " ceiling",
                     {},
                     number_at(device.at("ceiling"), "cells_per_second"),
                     static_cast<std::size_t>(at - backends.begin())});
  }
  const std::string unit = as_rate ? "cell updates per second" : text_at(*results.front(), "unit");
  plot_lines(path, title_of(text_at(*results.front(), "table"), document, results), unit, lines);
}

// One bar per kernel of a device with its fastest result; where a suite has several rules, one for
// each.
void draw_bars(const std::string& path, const std::string& suite, const Json& document,
               const std::vector<const Json*>& results) {
  const bool several = std::any_of(results.begin(), results.end(), [&](const Json* r) {
    return text_at(*r, "rule") != text_at(*results.front(), "rule");
  });
  std::vector<PlotBar> bars;
  for (const Json* r : results) {
    const PlotPoint point = point_of(*r, true);
    std::string label = text_at(*r, "backend") + " " + text_at(*r, "kernel");
    if (several) label = text_at(*r, "row") + ", " + label;
    const auto ceiling = r->find("ceiling_cells_per_second");
    const bool known = ceiling != r->end() && ceiling->is_number();
    const PlotBar bar{label, point.value, point.lowest, point.highest,
                      known ? ceiling->get<double>() : 0};
    const auto same =
        std::find_if(bars.begin(), bars.end(), [&](const PlotBar& b) { return b.label == label; });
    if (same == bars.end()) {
      bars.push_back(bar);
    } else if (same->value < bar.value) {
      *same = bar;
    }
  }
  if (!several)
    std::stable_sort(bars.begin(), bars.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
  const Json& first = *results.front();
  std::string title = fmt::format("{}, {:.0f}x{:.0f} cells", suite, number_at(first, "width"),
                                  number_at(first, "height"));
  if (!several) title += ": the fastest of each kernel";
  plot_bars(path, title_of(title, document, results), "cell updates per second", bars);
}

// How many times QuickLife's speed each pattern makes.
void draw_ratios(const std::string& path, const Json& document,
                 const std::vector<const Json*>& results) {
  std::vector<PlotBar> bars;
  for (const Json* r : results) {
    const double peer = number_at(r->at("published"), "value");
    bars.push_back({text_at(*r, "row") + ", " + text_at(*r, "backend"),
                    number_at(*r, "value") / peer, number_at(*r, "lowest") / peer,
                    number_at(*r, "highest") / peer, 0});
  }
  plot_bars(path, title_of(text_at(*results.front(), "table"), document, results),
            "times QuickLife's generations per second", bars);
}

}  // namespace

void bench_plot(const std::string& path, const Json& document, const std::string& suite) {
  std::vector<const Json*> results;
  for (const Json& r : document.at("results")) {
    if (text_at(r, "suite") == suite && r.contains("value")) results.push_back(&r);
  }
  if (results.empty()) {
    throw InputError(fmt::format("--plot {}: there is no result of the suite {} to draw",
                                 printable(path), suite));
  }
  if (results.front()->contains("peer")) return draw_ratios(path, document, results);
  const bool rates =
      std::all_of(results.begin(), results.end(), [](const Json* r) { return has_rate(*r); });
  if (suite == "sizes" || !rates) return draw_lines(path, document, results, rates);
  draw_bars(path, suite, document, results);
}

}  // namespace tessera
