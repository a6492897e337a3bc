#include "apps/tessera/measurement.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>

#include "core/rules/found_programs.h"
#include "core/rules/rule_circuit.h"
#include "core/rules/rule_tables.h"
#include "core/rules/state_program.h"

namespace tessera {

namespace {

constexpr double kGatesOfLife = 8;

Json object_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json out = Json::object();
  for (const auto& [label, value] : pairs) out[label] = value;
  return out;
}

const char* compiler_name() {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

int gates_of(const Rule& rule) {
  if (rule == kLife) return static_cast<int>(kGatesOfLife);
  if (!rule.outer_totalistic()) return state_program(rule, best_program(rule)).cost();
  return 6 + static_cast<int>(find_rule_circuit(rule).gates.size());
}

void find_programs(const RuleSpec& rules) {
  const auto find = [&](const Rule& rule) {
    if (rule.ranged() || rule.from_file()) return;
    if (rules.odd_rule || !rule.outer_totalistic()) found_program(neighbourhood_table(rule));
  };
  find(rules.rule);
  if (rules.odd_rule) find(*rules.odd_rule);
}

Json json_of(const Spread& spread) {
  return {{"median", spread.median},
          {"lowest", spread.lowest},
          {"highest", spread.highest},
          {"runs", spread.runs}};
}

Json json_of(const Tuning& tuning) {
  Json out;
  for (const TuningField& field : tuning_fields()) out[field.name] = tuning.*field.member;
  return out;
}

Json json_of(const Measurement& m) {
  Json out{{"backend", m.backend},
           {"device", m.info.device},
           {"kernel", m.info.kernel},
           {"tuning", json_of(m.info.tuning)},
           {"parts", m.info.parts},
           {"halo", m.info.halo},
           {"link", m.info.link},
           {"generations", m.generations},
           {"wall_seconds", json_of(m.timing.wall)},
           {"device_seconds", nullptr},
           {"seconds_per_generation", m.seconds_per_generation()},
           {"cells_per_second", nullptr},
           {"ceiling_cells_per_second", nullptr},
           {"share_of_ceiling", nullptr}};
  if (!m.space.empty()) out["space"] = m.space;
  if (m.timing.device) out["device_seconds"] = json_of(*m.timing.device);
  if (m.cells > 0) {
    const Spread rate = m.cells_per_second();
    out["cells_per_second"] = {
        {"median", rate.median}, {"lowest", rate.lowest}, {"highest", rate.highest}};
    if (m.ceiling > 0) {
      out["ceiling_cells_per_second"] = m.ceiling;
      out["share_of_ceiling"] = rate.median / m.ceiling;
    }
  }
  return out;
}

std::optional<Ceiling> DeviceFacts::ceiling(const Kernel& kernel) {
  const auto found = known_.find(kernel.backend());
  if (found != known_.end()) return found->second.ceiling;
  Known known{kernel, kernel.driver->measure_ceiling(kernel.device.index), {}};
  known.clocks = kernel.driver->clocks(kernel.device.index);  // while it is awake
  return known_.emplace(kernel.backend(), std::move(known)).first->second.ceiling;
}

double DeviceFacts::cells(const Kernel& kernel, const RuleSpec& rules) {
  const std::optional<Ceiling> most = ceiling(kernel);
  if (!most) return 0;
  if (rules.ranged()) return 0;
  if (rules.rule.from_file()) return 0;  // no gates
  const int even = gates_of(rules.rule);
  return 2 * most->gates / (even + (rules.odd_rule ? gates_of(*rules.odd_rule) : even));
}

Json DeviceFacts::json() const {
  Json out = Json::array();
  for (const auto& [name, known] : known_) {
    const DeviceInfo& device = known.kernel.device;
    out.push_back({{"backend", name},
                   {"name", device.name},
                   {"software", device.software},
                   {"memory", device.memory},
                   {"properties", object_of(device.properties)},
                   {"clocks", object_of(known.clocks)},
                   {"ceiling", json_of(known.ceiling)}});
  }
  return out;
}

Json json_of(const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return nullptr;
  return {{"gates_per_second", ceiling->gates},
          {"cells_per_second", ceiling->gates / kGatesOfLife},
          {"bytes_per_second", ceiling->bytes}};
}

Json environment_json() {
  struct utsname system {};
  ::uname(&system);
  return {{"version", TESSERA_VERSION},
          {"compiler", compiler_name()},
          {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

std::string time_text(double seconds) {
  if (seconds <= 0) return "0";
  const auto [factor, unit] = seconds < 0.9995e-6   ? std::pair(1e9, "ns")
                              : seconds < 0.9995e-3 ? std::pair(1e6, "us")
                              : seconds < 0.9995    ? std::pair(1e3, "ms")
                                                    : std::pair(1.0, "s");
  return fmt::format("{:.3g} {}", seconds * factor, unit);
}

std::string spread_text(const Spread& spread) {
  if (spread.median <= 0) return "";
  return fmt::format("{:.1f} %", 100 * (spread.highest - spread.lowest) / spread.median);
}

}  // namespace tessera
