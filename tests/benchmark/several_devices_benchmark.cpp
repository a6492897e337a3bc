// Speeds of one grid over several devices beside those of one, a case per line of standard input:
//
//   DEVICES WxH[:P] [HALO [LINK [KERNEL [GENERATIONS ROWS WORDS]]]]
//   cuda:0+cuda:1 65536x65536 96 peer strips
//
// "-", "auto" or 0 leaves a choice to the program; #: a comment. Writes JSON, a line per case:
// cells per second (the median of REPEAT runs of about RUN_MS), and the hash of the soup after the
// first CHECK generations, by which cases of one size are compared; ends with 1 when two differ.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/stepping/step_backend.h"

using namespace tessera;

namespace {

using Clock = std::chrono::steady_clock;

double number_from(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtod(text, nullptr) : otherwise;
}

struct Case {
  std::string devices, size, link, kernel = "auto";
  BackendSpec spec;
  BandOptions bands;
  Tuning tuning;
};

Case read_case(const std::string& line) {
  Case out;
  std::istringstream words(line);
  std::int64_t halo = 0;
  words >> out.devices >> out.size >> halo >> out.link;
  if (std::string kernel; words >> kernel && kernel != "-") out.kernel = kernel;
  words >> out.tuning.generations >> out.tuning.rows >> out.tuning.words;
  char by = 0;
  std::istringstream size(out.size);
  if (!(size >> out.spec.width >> by >> out.spec.height) || by != 'x')
    throw InputError("size " + out.size + ": WxH is expected");
  if (out.size.ends_with(":P")) out.spec.boundary = Boundary::plane;
  out.bands.halo = halo;
  if (!out.link.empty() && out.link != "-") out.bands.link = parse_link("link", out.link);
  return out;
}

// Seconds of `generations`.
double timed(StepBackend& backend, std::int64_t generations) {
  const Clock::time_point start = Clock::now();
  backend.step(generations);
  backend.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

nlohmann::json measure(const Case& each) {
  const double run_seconds = number_from("RUN_MS", 300) * 1e-3;
  const auto repeat = static_cast<std::size_t>(number_from("REPEAT", 3));
  const auto check = static_cast<std::int64_t>(number_from("CHECK", 480));
  const auto backend =
      make_factory(each.devices, each.kernel, each.tuning, nullptr, each.bands)(each.spec);
  backend->fill(Soup{});
  backend->step(check);
  const Survey survey = backend->survey({true, false, true});
  const double cells = static_cast<double>(each.spec.width) * static_cast<double>(each.spec.height);
  // A whole number of halos, so that no run pays for more exchanges than its share.
  const std::int64_t unit = std::max<std::int64_t>(64, backend->info().halo);
  const double once = timed(*backend, 2 * unit) / 2;
  const std::int64_t generations =
      unit * std::max<std::int64_t>(1, static_cast<std::int64_t>(run_seconds / once));
  std::vector<double> rates;
  for (std::size_t i = 0; i < repeat; i++)
    rates.push_back(cells * static_cast<double>(generations) / timed(*backend, generations));
  std::ranges::sort(rates);
  const BackendInfo& info = backend->info();
  return {{"devices", each.devices},
          {"size", each.size},
          {"parts", info.parts},
          {"halo", info.halo},
          {"link", info.link},
          {"wanted", each.kernel},
          {"kernel", info.kernel},
          {"tuning", to_string(info.tuning)},
          {"generations", generations},
          {"cells_per_second", rates[rates.size() / 2]},
          {"slowest", rates.front()},
          {"fastest", rates.back()},
          {"population", survey.population},
          {"hash", fmt::format("{:016x}", survey.hash)}};
}

}  // namespace

int main() {
  std::map<std::string, std::string> hashes;
  bool wrong = false;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty() || line.front() == '#') continue;
    nlohmann::json result;
    try {
      const Case each = read_case(line);
      result = measure(each);
      const std::string hash = result["hash"];
      const auto known = hashes.emplace(each.size, hash).first;
      result["same_hash"] = known->second == hash;
      wrong = wrong || known->second != hash;
    } catch (const std::exception& error) {
      result = {{"case", line}, {"error", error.what()}};
      wrong = true;
    }
    std::cout << result.dump() << std::endl;
  }
  return wrong ? 1 : 0;
}
