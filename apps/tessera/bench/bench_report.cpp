#include "apps/tessera/bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <vector>

#include "apps/common/units.h"
#include "apps/tessera/json.h"
#include "apps/tessera/measurement.h"
#include "apps/tessera/text_table.h"
#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

bool measured(const Json& result) { return result.contains("value"); }

std::string value_text(const Json& result, double value) {
  return text_at(result, "unit") == "cells/s" ? rate_text(value) : fmt::format("{:.4g}", value);
}

// Runs of results that share suite and table.
std::vector<std::vector<const Json*>> tables_of(const Json& results) {
  std::vector<std::vector<const Json*>> out;
  std::map<std::string, std::size_t> index;
  for (const Json& result : results) {
    const auto [at, added] =
        index.try_emplace(text_at(result, "suite") + '\n' + text_at(result, "table"), out.size());
    if (added) out.emplace_back();
    out[at->second].push_back(&result);
  }
  return out;
}

std::vector<std::string> line_of(const Json& r) {
  std::vector<std::string> line = {text_at(r, "row"), text_at(r, "column"), text_at(r, "kernel")};
  if (!measured(r)) return line;
  line.push_back(value_text(r, number_at(r, "value")));
  const double spread = (number_at(r, "highest") - number_at(r, "lowest")) / number_at(r, "value");
  line.push_back(fmt::format("{:.1f} %", 100 * spread));
  const auto cells = r.find("cells_per_second");
  const bool apart = text_at(r, "unit") != "cells/s" && cells != r.end() && cells->is_object();
  line.push_back(apart ? rate_text(number_at(*cells, "median")) : "");
  const auto share = r.find("share_of_ceiling");
  line.push_back(share != r.end() && share->is_number()
                     ? fmt::format("{:.1f} %", 100 * share->get<double>())
                     : "");
  if (r.at("published").is_object()) {
    const Json& published = r.at("published");
    line.push_back(value_text(r, number_at(published, "value")));
    line.push_back(fmt::format("{:.3g}x", number_at(published, "ratio")));
    line.push_back(text_at(published, "on"));
  }
  return line;
}

// Results of frames have parts, and those of ceilings a second number.
std::string details(const Json& r) {
  if (r.contains("lowest_step_seconds")) {
    return fmt::format(
        "  {} {}: lowest step {:.4g} ms, lowest copy {:.4g} ms, a hundred generations {:.4g} ms\n",
        text_at(r, "row"), text_at(r, "column"), 1e3 * number_at(r, "lowest_step_seconds"),
        1e3 * number_at(r, "lowest_copy_seconds"),
        1e3 * number_at(r, "hundred_generations_seconds"));
  }
  if (r.contains("peer")) {
    const Json &ours = r.at("process"), &peer = r.at("peer");
    const bool met =
        r.at("floor").is_null() || number_at(r.at("published"), "ratio") >= number_at(r, "floor");
    return fmt::format("  {}: {} generations; whole processes {} and {}, {:.0f} and {:.0f} MB{}\n",
                       text_at(r, "row"), r.at("generations").get<std::int64_t>(),
                       time_text(number_at(ours.at("seconds"), "median")),
                       time_text(number_at(peer.at("whole_seconds"), "median")),
                       number_at(ours, "memory") / 1e6, number_at(peer, "memory") / 1e6,
                       met ? "" : fmt::format("; below {:.3g}x", number_at(r, "floor")));
  }
  if (r.contains("ceiling")) {
    return fmt::format("  {} ({}): {} gates/s, {} cells/s at eight gates, {} bytes/s\n",
                       text_at(r, "row"), text_at(r, "device"),
                       rate_text(number_at(r.at("ceiling"), "gates_per_second")),
                       rate_text(number_at(r, "value")),
                       rate_text(number_at(r.at("ceiling"), "bytes_per_second")));
  }
  return "";
}

// Of cases beside another program: the geometric mean of the ratios, and the least.
std::string mean_text(const std::vector<const Json*>& rows) {
  double logarithms = 0;
  int count = 0;
  const Json* least = nullptr;
  const auto ratio = [](const Json& r) { return number_at(r.at("published"), "ratio"); };
  for (const Json* r : rows) {
    if (!r->contains("peer")) continue;
    logarithms += std::log(ratio(*r));
    count++;
    if (!least || ratio(*r) < ratio(*least)) least = r;
  }
  if (count == 0) return "";
  return fmt::format("  geometric mean of {}: {:.3g}x; least: {:.3g}x, {}\n", count,
                     std::exp(logarithms / count), ratio(*least), text_at(*least, "row"));
}

std::string key_of(const Json& r) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}x{}\n{}", text_at(r, "suite"), text_at(r, "row"),
                     text_at(r, "column"), text_at(r, "backend"), text_at(r, "kernel"),
                     r.at("width").get<std::int64_t>(), r.at("height").get<std::int64_t>(),
                     text_at(r, "unit"));
}

// The side at which the line through two points of (log side, log ratio) is zero.
double crossing(double side_a, double ratio_a, double side_b, double ratio_b) {
  const double a = std::log2(side_a), b = std::log2(side_b), u = std::log(ratio_a),
               v = std::log(ratio_b);
  return std::exp2(a + (b - a) * u / (u - v));
}

}  // namespace

Json read_bench(const std::string& option, const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw InputError(fmt::format("{} {}: the file cannot be opened", option, printable(path)));
  Json document;
  try {
    document = Json::parse(file);
  } catch (const Json::parse_error& error) {
    throw ParseError(fmt::format("{}:byte {}", printable(path), error.byte), "this is not JSON");
  }
  try {
    for (const Json& result : document.at("results")) {
      key_of(result);
      text_at(result, "table");
      result.at("rate").get<bool>();
      if (measured(result))
        number_at(result, "value"), number_at(result, "lowest"), number_at(result, "highest");
      if (measured(result)) result.at("published");
    }
  } catch (const Json::exception&) {
    throw ParseError(printable(path), "this is not a result of 'tessera bench --json'");
  }
  return document;
}

void merge_bench(Json& document, const Json& other, const std::string& path) {
  const Json none = Json::array();
  const auto list = [&](const Json& from, const char* key) -> const Json& {
    const auto found = from.find(key);
    return found != from.end() && found->is_array() ? *found : none;
  };
  Json devices = list(document, "devices"), suites = list(document, "suites");
  for (const Json& device : list(other, "devices")) {
    const auto same = std::find_if(devices.begin(), devices.end(), [&](const Json& d) {
      return d.value("backend", "") == device.value("backend", "");
    });
    if (same == devices.end()) {
      devices.push_back(device);
    } else if (same->value("name", "") != device.value("name", "")) {
      throw InputError(fmt::format(
          "--from {}: its {} is '{}', and '{}' in the files before; results of one machine are "
          "accepted",
          printable(path), text_at(device, "backend"), device.value("name", ""),
          same->value("name", "")));
    }
  }
  for (const Json& suite : list(other, "suites")) {
    if (std::find(suites.begin(), suites.end(), suite) == suites.end()) suites.push_back(suite);
  }
  Json& results = document["results"];
  for (const Json& result : other.at("results")) results.push_back(result);
  document["devices"] = devices;
  document["suites"] = suites;
  document["complete"] = document.value("complete", false) && other.value("complete", false);
  document["crossover"] = crossovers(results);
}

Json crossovers(const Json& results) {
  std::map<std::string, std::map<std::int64_t, double>> speeds;
  for (const Json& r : results) {
    if (text_at(r, "suite") == "sizes" && measured(r)) {
      speeds[text_at(r, "backend")][r.at("width").get<std::int64_t>()] = number_at(r, "value");
    }
  }
  Json out = Json::array();
  const auto cpu = speeds.find("cpu:0");
  if (cpu == speeds.end()) return out;
  for (const auto& [backend, line] : speeds) {
    if (backend == cpu->first) continue;
    std::vector<std::pair<std::int64_t, double>> ratios;
    for (const auto& [side, speed] : line) {
      if (const auto at = cpu->second.find(side); at != cpu->second.end())
        ratios.emplace_back(side, speed / at->second);
    }
    if (ratios.empty()) continue;
    Json one{{"backend", backend}, {"against", cpu->first}, {"cells_a_side", nullptr}};
    // The last size at which the CPU is ahead decides.
    const auto behind =
        std::find_if(ratios.rbegin(), ratios.rend(), [](const auto& r) { return r.second < 1; });
    if (behind == ratios.rend()) {
      one["text"] = fmt::format("{} is ahead of {} at every size from {} on", backend, cpu->first,
                                ratios.front().first);
    } else if (behind == ratios.rbegin()) {
      one["text"] = fmt::format("{} is behind {} up to {} cells per side", backend, cpu->first,
                                behind->first);
    } else {
      const auto after = behind.base();  // the size that follows
      const double side = crossing(static_cast<double>(behind->first), behind->second,
                                   static_cast<double>(after->first), after->second);
      one["cells_a_side"] = side;
      one["text"] =
          fmt::format("{} overtakes {} at about {:.0f} cells per side", backend, cpu->first, side);
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string bench_text(const Json& document) {
  std::string out;
  const Json& results = document.at("results");
  for (const auto& rows : tables_of(results)) {
    const Json& first = *rows.front();
    out += fmt::format("{}: {}\n", text_at(first, "suite"), text_at(first, "table"));
    TextTable table({"", "", "kernel", text_at(first, "unit"), "spread", "cells/s", "of ceiling",
                     "published", "ratio", "on"},
                    3);
    std::string notes, more;
    for (const Json* r : rows) {
      if (measured(*r) && !r->contains("ceiling")) table.add(line_of(*r));
      more += details(*r);
      for (const char* why : {"skipped", "refused", "failed"}) {
        if (r->contains(why)) {
          notes += fmt::format("  {} {} {}: {}: {}\n", text_at(*r, "row"), text_at(*r, "column"),
                               text_at(*r, "kernel"), why, text_at(*r, why));
        }
      }
    }
    if (!table.empty()) out += table.text();
    out += more + notes + mean_text(rows);
    out += '\n';
  }
  for (const Json& crossover : crossovers(results)) out += text_at(crossover, "text") + '\n';
  return out;
}

Json bench_changes(const Json& document, const Json& old) {
  std::map<std::string, const Json*> before;
  for (const Json& r : old.at("results")) {
    if (measured(r)) before[key_of(r)] = &r;
  }
  Json out = Json::array();
  for (const Json& r : document.at("results")) {
    const auto found = before.find(key_of(r));
    if (!measured(r) || found == before.end()) continue;
    const Json& was = *found->second;
    const bool rate = r.at("rate").get<bool>();
    const double now_value = number_at(r, "value"), old_value = number_at(was, "value");
    const bool apart = number_at(r, "lowest") > number_at(was, "highest") ||
                       number_at(r, "highest") < number_at(was, "lowest");
    const double ratio = rate ? now_value / old_value : old_value / now_value;
    out.push_back({{"suite", text_at(r, "suite")},
                   {"row", text_at(r, "row")},
                   {"column", text_at(r, "column")},
                   {"backend", text_at(r, "backend")},
                   {"kernel", text_at(r, "kernel")},
                   {"unit", text_at(r, "unit")},
                   {"old", old_value},
                   {"new", now_value},
                   {"ratio", ratio},
                   {"change", !apart      ? "same"
                              : ratio > 1 ? "faster"
                                          : "slower"}});
  }
  return out;
}

std::string changes_text(const Json& changes) {
  if (changes.empty()) return "no case is in both\n";
  TextTable table({"suite", "", "", "kernel", "old", "new", "ratio", ""}, 4);
  for (const Json& c : changes) {
    const std::string change = text_at(c, "change");
    table.add({text_at(c, "suite"), text_at(c, "row"), text_at(c, "column"), text_at(c, "kernel"),
               value_text(c, number_at(c, "old")), value_text(c, number_at(c, "new")),
               fmt::format("{:.3f}", number_at(c, "ratio")),
               change == "same" ? "" : change + ", outside the spread"});
  }
  return table.text();
}

}  // namespace tessera
