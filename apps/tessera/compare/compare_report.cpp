#include "apps/tessera/compare/compare_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/common/units.h"
#include "apps/measure/state_text.h"
#include "apps/measure/winner.h"
#include "apps/tessera/plot.h"
#include "apps/tessera/text_table.h"
#include "core/cells/state_hash.h"

namespace tessera {

namespace {

double fastest_of(const CompareReport& report, const std::vector<std::size_t>& order) {
  return order.empty() ? 0 : report.rows[order.front()]->seconds_per_generation();
}

// The number of kernels that reached the end; the others are reported separately.
std::size_t finished(const CompareReport& report) {
  return static_cast<std::size_t>(
      std::count_if(report.lockstep.standings.begin(), report.lockstep.standings.end(),
                    [&](const Standing& s) { return s.began && s.left_out.empty(); }));
}

std::string verdict(const CompareReport& report) {
  const LockstepResult& lockstep = report.lockstep;
  if (lockstep.difference) return difference_text(report) + "\n";
  const std::string state = fmt::format("generation {}, population {}, hash {}",
                                        grouped(report.start_generation + lockstep.generation),
                                        grouped(lockstep.population), hash_text(lockstep.hash));
  const std::size_t count = finished(report);
  if (count == 0) return "no kernel could step this\n";
  if (count == 1) return fmt::format("only one kernel, so nothing was checked: {}\n", state);
  return fmt::format("{} kernels are the same at each of {} checks: {}\n", count,
                     grouped(lockstep.checks), state);
}

std::vector<std::string> row_of(const CompareReport& report, std::size_t i, double fastest) {
  const Measurement& m = *report.rows[i];
  const Spread rate = m.cells_per_second();
  return {
      m.backend,
      m.space == "tiles" ? m.info.kernel + ", tiles" : m.info.kernel,
      time_text(m.seconds_per_generation()),
      m.cells > 0 ? rate_text(rate.median) : "",
      spread_text(m.timing.seconds()),
      m.timing.device ? time_text(m.timing.device->median / static_cast<double>(m.generations))
                      : "-",
      time_text(m.timing.wall.median / static_cast<double>(m.generations)),
      fmt::format("{:.2f}", m.seconds_per_generation() / fastest),
      m.ceiling > 0 && m.cells > 0 ? fmt::format("{:.1f} %", 100 * rate.median / m.ceiling) : "-"};
}

double peer_seconds(const CompareReport& report) {
  return report.peer->seconds.median / static_cast<double>(report.generations);
}

double cells_of(const RuleSpec& rule) {
  return static_cast<double>(rule.width) * static_cast<double>(rule.height);
}

std::vector<std::string> peer_row(const CompareReport& report, double fastest) {
  const double seconds = peer_seconds(report);
  return {"bgolly",
          "QuickLife",
          time_text(seconds),
          report.rule.bounded() ? rate_text(cells_of(report.rule) / seconds) : "",
          spread_text(report.peer->seconds),
          "-",
          time_text(seconds),
          fmt::format("{:.2f}", seconds / fastest),
          "-"};
}

std::string name_of(const Measurement& m) {
  return fmt::format("{} {}{}", m.backend, m.info.kernel, m.space == "tiles" ? " (tiles)" : "");
}

std::string winner_text(const CompareReport& report) {
  constexpr const char* kPeer = "bgolly (QuickLife)";
  std::vector<Finisher> all;
  for (const std::optional<Measurement>& row : report.rows) {
    if (row) all.push_back({name_of(*row), row->seconds_per_generation()});
  }
  if (report.peer_timed()) all.push_back({kPeer, peer_seconds(report)});
  const std::string text = winner_sentence(std::move(all), kPeer);
  return text.empty() ? "" : fmt::format("  {}\n", text);
}

// Who was timed, fastest first, the peer in its place among the kernels; then how it fared.
std::string ranking(const CompareReport& report) {
  const std::vector<std::size_t> order = by_speed(report);
  const double kernel = fastest_of(report, order);
  const double peer = report.peer_timed() ? peer_seconds(report) : 0;
  const double fastest = kernel > 0 && (peer <= 0 || kernel < peer) ? kernel : peer;
  TextTable table({"backend", "kernel", "a generation", "cells/s", "spread", "device time",
                   "wall time", "times fastest", "of ceiling"},
                  2);
  bool placed = !report.peer_timed();
  for (const std::size_t i : order) {
    if (!placed && peer < report.rows[i]->seconds_per_generation()) {
      table.add(peer_row(report, fastest));
      placed = true;
    }
    table.add(row_of(report, i, fastest));
  }
  if (!placed) table.add(peer_row(report, fastest));
  return (table.empty() ? "" : table.text()) + winner_text(report);
}

}  // namespace

std::vector<std::size_t> by_speed(const CompareReport& report) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < report.rows.size(); i++) {
    if (report.rows[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return report.rows[a]->seconds_per_generation() < report.rows[b]->seconds_per_generation();
  });
  return order;
}

std::string difference_text(const CompareReport& report) {
  if (!report.lockstep.difference) return "";
  const Difference& d = *report.lockstep.difference;
  std::string text =
      fmt::format("{} differs from {}: ", report.names[d.wrong], report.names[d.judge]);
  const std::int64_t generation = report.start_generation + d.generation;
  const std::string state = state_text(d.state, d.states), other = state_text(d.other, d.states);
  if (!d.cell) {
    text +=
        fmt::format("at generation {} its hash differs, though the cells are the same", generation);
  } else if (d.repeatable) {
    text += fmt::format("first at generation {}, cell ({}, {}) is {} where the other says {}",
                        generation, d.cell->x, d.cell->y, state, other);
  } else {
    text += fmt::format(
        "seen once at generation {}, cell ({}, {}) was {} where the other said {}; repeating the "
        "same steps did not show it",
        generation, d.cell->x, d.cell->y, state, other);
  }
  for (std::size_t i = 0; i < d.also.size(); i++) {
    text += fmt::format("{}{}", i == 0 ? "; at the end of that block, so did " : ", ",
                        report.names[d.also[i]]);
  }
  return text;
}

std::string compare_text(const CompareReport& report) {
  std::string text = fmt::format("{}, {}, {} generations\n", report.source, to_string(report.rule),
                                 grouped(report.generations));
  text += verdict(report);
  text += ranking(report);
  if (report.peer && report.lockstep.generation == report.generations &&
      report.peer->population == report.lockstep.population) {
    text += "  bgolly ends with the same population\n";
  }
  if (report.peer && !report.peer_timed()) {
    text += fmt::format(
        "  bgolly's speed is not known: {} generations take it less time than loading varies by; "
        "use more --gens\n",
        grouped(report.generations));
  }
  for (std::size_t i = 0; i < report.names.size(); i++) {
    const std::string& why = report.lockstep.standings[i].left_out;
    if (!why.empty()) text += fmt::format("  {}: {}\n", report.names[i], why);
  }
  return text;
}

Json compare_json(const CompareReport& report) {
  const LockstepResult& lockstep = report.lockstep;
  Json out = environment_json();
  out["command"] = "compare";
  out["source"] = report.source;
  out["rule"] = to_string(report.rule);
  out["width"] = report.rule.width;
  out["height"] = report.rule.height;
  out["generations"] = report.generations;
  out["block"] = report.block;
  out["repeat"] = report.repeats;
  out["equal"] = !lockstep.difference.has_value();
  out["verified"] = {{"generation", report.start_generation + lockstep.generation},
                     {"checks", lockstep.checks},
                     {"kernels", finished(report)},
                     {"population", lockstep.population},
                     {"hash", hash_text(lockstep.hash)}};
  out["difference"] = nullptr;
  if (const std::optional<Difference>& d = lockstep.difference) {
    Json also = Json::array();
    for (const std::size_t i : d->also) also.push_back(report.names[i]);
    out["difference"] = {{"wrong", report.names[d->wrong]},
                         {"judge", report.names[d->judge]},
                         {"generation", report.start_generation + d->generation},
                         {"cell", d->cell ? Json{d->cell->x, d->cell->y} : Json()},
                         {"alive", d->state != 0},
                         {"state", d->state},
                         {"expected", d->other},
                         {"repeatable", d->repeatable},
                         {"also", also},
                         {"message", difference_text(report)}};
  }
  out["devices"] = report.devices;
  out["rows"] = Json::array();
  const std::vector<std::size_t> order = by_speed(report);
  for (const std::size_t i : order) {
    Json row = json_of(*report.rows[i]);
    row["times_fastest"] = report.rows[i]->seconds_per_generation() / fastest_of(report, order);
    row["tuned_by"] = to_string(report.tuned_by[i]);
    row["agreed_until"] = report.start_generation + lockstep.standings[i].agreed;
    out["rows"].push_back(std::move(row));
  }
  out["left_out"] = Json::array();
  for (std::size_t i = 0; i < report.names.size(); i++) {
    const Standing& standing = lockstep.standings[i];
    if (standing.left_out.empty()) continue;
    out["left_out"].push_back({{"name", report.names[i]}, {"reason", standing.left_out}});
  }
  out["peer"] = nullptr;
  if (report.peer) {
    out["peer"] = {
        {"name", "bgolly QuickLife"},
        {"generations", report.generations},
        {"wall_seconds", json_of(report.peer->seconds)},
        {"seconds_per_generation", report.peer_timed() ? Json(peer_seconds(report)) : Json()},
        {"population", report.peer->population}};
  }
  return out;
}

void compare_plot(const std::string& path, const CompareReport& report) {
  std::vector<PlotBar> bars;
  for (const std::size_t i : by_speed(report)) {
    const Measurement& m = *report.rows[i];
    if (m.cells <= 0) continue;
    const Spread rate = m.cells_per_second();
    bars.push_back({fmt::format("{} {}", m.backend, m.info.kernel), rate.median, rate.lowest,
                    rate.highest, m.ceiling});
  }
  if (report.peer_timed() && report.rule.bounded()) {
    const Spread rate = inverse(report.peer->seconds,
                                cells_of(report.rule) * static_cast<double>(report.generations));
    bars.push_back({"bgolly QuickLife", rate.median, rate.lowest, rate.highest, 0});
  }
  plot_bars(path, fmt::format("{}, {}", report.source, to_string(report.rule)),
            "cell updates per second", bars);
}

}  // namespace tessera
