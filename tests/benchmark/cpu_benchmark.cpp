// How fast the CPU's `simd` kernel is, beside the ceiling of as many threads at the same time,
// measured in the same run, and how the goals of backends/cpu/README.md stand. Every case is
// checked against the `word` kernel before it is timed.
//
//   cpu_benchmark [RESULT.json [TEXT...]]   about a minute and a half; wants a quiet machine
//
// With texts, only those cases run whose names have one of them. Cases of more threads than the
// processor runs at once are left out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/cpu_ceiling.h"
#include "backends/cpu/cpu_driver.h"
#include "backends/cpu/strip_kernel.h"
#include "core/cells/cell_runs.h"
#include "core/cells/rasterize.h"
#include "core/pattern_io.h"
#include "core/stepping/backend_spec.h"
#include "tests/support/surveys.h"

namespace tessera {
namespace {

constexpr int kRepeats = 7;
const Soup kSoup{42, 32768};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Case {
  std::string name;
  BackendSpec spec;
  int threads = 1;
};

struct Result {
  double median = 0, lowest = 0, highest = 0;  // cell updates a second
  double ceiling = 0;  // median of the ceilings measured between the repeats
  BackendInfo info;
  std::int64_t generations = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Steps both kernels over a few passes and stops the program when they differ.
void check(const Case& c, StepBackend& backend) {
  const std::unique_ptr<StepBackend> judge = cpu_driver().create(0, c.spec, "word", {});
  judge->fill(kSoup);
  backend.fill(kSoup);
  const std::int64_t generations = backend.info().tuning.generations + 3;
  judge->step(generations);
  backend.step(generations);
  if (test::hash_of(*judge) != test::hash_of(backend)) {
    fmt::print(stderr, "{}: kernel simd differs from kernel word after {} generations\n", c.name,
               generations);
    std::exit(3);
  }
}

Result measure(const Case& c) {
  Tuning tuning;
  tuning.threads = c.threads;
  const std::unique_ptr<StepBackend> backend = cpu_driver().create(0, c.spec, "simd", tuning);
  check(c, *backend);
  Result result;
  result.info = backend->info();
  const double cells = static_cast<double>(c.spec.width) * static_cast<double>(c.spec.height);
  // Whole passes, about a sixth of a second a repeat.
  const int pass = backend->info().tuning.generations;
  const double begin = seconds_now();
  backend->step(pass);
  const double once = seconds_now() - begin;
  result.generations = pass * std::max<std::int64_t>(1, static_cast<std::int64_t>(0.16 / once));
  std::vector<double> rates, ceilings;
  for (int i = 0; i < kRepeats; i++) {
    ceilings.push_back(life_ceiling(c.threads, 0.05));
    const double start = seconds_now();
    backend->step(result.generations);
    rates.push_back(cells * static_cast<double>(result.generations) / (seconds_now() - start));
  }
  result.median = median(rates);
  result.lowest = *std::min_element(rates.begin(), rates.end());
  result.highest = *std::max_element(rates.begin(), rates.end());
  result.ceiling = median(ceilings);
  return result;
}

BackendSpec spec_of(const std::string& text) { return backend_spec(parse_rule_spec(text)); }

// Seconds that bgolly's QuickLife takes for 100 generations of the 4096^2 soup: the difference of a
// run of 100 and one of none, so that loading is left out. Nothing where bgolly is not installed.
double bgolly_seconds(const std::filesystem::path& folder) {
  Pattern pattern;
  const BitGrid soup = make_soup(kSoup, 4096, 4096);
  pattern.cells = runs_of(soup, {0, 0});
  pattern.width = pattern.height = 4096;
  pattern.rule = parse_rule_spec("B3/S23:T4096,4096");
  pattern.position = Cell{-2048, -2048};
  const std::string file = folder / "soup.rle";
  write_pattern(file, pattern);
  const auto run = [&](int generations) {
    const std::string command =
        fmt::format("bgolly -q -q -a QuickLife -m {} -i {} {} >/dev/null 2>&1", generations,
                    std::max(1, generations), file);
    const double begin = seconds_now();
    if (std::system(command.c_str()) != 0) return -1.0;
    return seconds_now() - begin;
  };
  std::vector<double> taken;
  for (int i = 0; i < 3; i++) {
    const double none = run(0), hundred = run(100);
    if (none < 0 || hundred < 0) return 0;
    taken.push_back(hundred - none);
  }
  return median(taken);
}

nlohmann::json to_json(const Case& c, const Result& r) {
  return {
      {"case", c.name},
      {"width", c.spec.width},
      {"height", c.spec.height},
      {"rule", to_string(c.spec.rule)},
      {"universe", c.spec.boundary == Boundary::torus ? "torus" : "plane"},
      {"threads", c.threads},
      {"generations", r.generations},
      {"kernel", r.info.kernel},
      {"tuning",
       {{"generations", r.info.tuning.generations},
        {"rows", r.info.tuning.rows},
        {"group", r.info.tuning.group}}},
      {"cells_per_second", {{"median", r.median}, {"lowest", r.lowest}, {"highest", r.highest}}},
      {"ceiling", r.ceiling},
      {"share_of_ceiling", r.median / r.ceiling}};
}

int main_of(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') {
    fmt::print(stderr, "usage: cpu_benchmark [RESULT.json [TEXT...]]\n");
    return 2;
  }
  const std::vector<Case> cases = {
      {"Life 4096^2 torus", spec_of("B3/S23:T4096,4096"), 1},
      {"Life 16384^2 torus", spec_of("B3/S23:T16384,16384"), 1},
      {"Life 16384^2 torus, two threads", spec_of("B3/S23:T16384,16384"), 2},
      {"Life 16384^2 torus, four threads", spec_of("B3/S23:T16384,16384"), 4},
      {"Life 16384^2 torus, eight threads", spec_of("B3/S23:T16384,16384"), 8},
      {"Life 16384^2 torus, sixteen threads", spec_of("B3/S23:T16384,16384"), 16},
      {"Life 65536x16384 torus, sixteen threads", spec_of("B3/S23:T65536,16384"), 16},
      {"HighLife 4096^2 torus", spec_of("B36/S23:T4096,4096"), 1},
      {"Day & Night 4096^2 torus", spec_of("B3678/S34678:T4096,4096"), 1},
      {"B0245/S1367 4096^2 torus", spec_of("B0245/S1367:T4096,4096"), 1},
      {"HighLife 16384^2 torus", spec_of("B36/S23:T16384,16384"), 1},
      {"Life 4095x4097 torus", spec_of("B3/S23:T4095,4097"), 1},
      {"Life 4101x4096 plane", spec_of("B3/S23:P4101,4096"), 1},
      {"Life 4096^2 plane", spec_of("B3/S23:P4096,4096"), 1},
      {"Life 16383x16385 torus", spec_of("B3/S23:T16383,16385"), 1},
      {"Life 16383x16385 plane", spec_of("B3/S23:P16383,16385"), 1},
      {"Life 65536x16384 torus", spec_of("B3/S23:T65536,16384"), 1},
      {"Life 2048^2 torus", spec_of("B3/S23:T2048,2048"), 1},
      {"Life 2047x2049 torus", spec_of("B3/S23:T2047,2049"), 1},
      {"Life 2053x2047 plane", spec_of("B3/S23:P2053,2047"), 1},
      {"Life 1024^2 torus", spec_of("B3/S23:T1024,1024"), 1},
      {"Life 1000^2 torus", spec_of("B3/S23:T1000,1000"), 1},
      {"Life 1023x1025 torus", spec_of("B3/S23:T1023,1025"), 1},
      {"Life 1029x1023 plane", spec_of("B3/S23:P1029,1023"), 1},
      {"Life 512^2 torus", spec_of("B3/S23:T512,512"), 1},
      {"Life 600^2 torus", spec_of("B3/S23:T600,600"), 1},
      {"Life 511x513 torus", spec_of("B3/S23:T511,513"), 1},
      {"Life 517x511 plane", spec_of("B3/S23:P517,511"), 1},
      {"Life 2048^2 torus, two threads", spec_of("B3/S23:T2048,2048"), 2},
      {"Life 1024^2 torus, two threads", spec_of("B3/S23:T1024,1024"), 2},
  };
  const DeviceInfo device = cpu_driver().devices().devices.front();
  fmt::print("{}, {}; cell updates/s, median of {} (lowest to highest), soup of density 0.5\n",
             device.name, strip_target(), kRepeats);
  nlohmann::json rows = nlohmann::json::array();
  double life_4096 = 0;
  const auto wanted = [&](const Case& c) {
    if (c.threads > static_cast<int>(std::thread::hardware_concurrency())) return false;
    return argc < 3 || std::any_of(argv + 2, argv + argc, [&](const char* text) {
             return c.name.find(text) != std::string::npos;
           });
  };
  for (const Case& c : cases) {
    if (!wanted(c)) continue;
    const Result r = measure(c);
    if (life_4096 == 0) life_4096 = r.median;
    fmt::print("{:39} {:.3g} ({:.3g} to {:.3g})  {:5.1f} % of the ceiling {:.3g}  T={} R={} L={}\n",
               c.name, r.median, r.lowest, r.highest, 100 * r.median / r.ceiling, r.ceiling,
               r.info.tuning.generations, r.info.tuning.rows, r.info.tuning.group);
    std::fflush(stdout);
    rows.push_back(to_json(c, r));
  }
  // Beside a choice of cases nothing else is measured.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tessera-benchmark-{}", getpid());
  std::filesystem::create_directory(folder);
  const double golly = argc < 3 ? bgolly_seconds(folder) : 0;
  std::filesystem::remove_all(folder);
  nlohmann::json out = {{"device", device.name},
                        {"vector_instructions", strip_target()},
                        {"hardware_threads", std::thread::hardware_concurrency()},
                        {"soup", {{"seed", kSoup.seed}, {"density", 0.5}}},
                        {"repeats", kRepeats},
                        {"command", "cpu_benchmark"},
                        {"cases", rows}};
  if (golly > 0) {
    const double rate = 4096.0 * 4096 * 100 / golly;
    fmt::print(
        "bgolly QuickLife, 100 generations of the 4096^2 soup: {:.3g} cell updates/s; simd is "
        "{:.0f} times as fast\n",
        rate, life_4096 / rate);
    out["bgolly_quicklife"] = {{"cells_per_second", rate}, {"ratio", life_4096 / rate}};
  } else if (argc < 3) {
    fmt::print("bgolly is not installed: no comparison with it\n");
  }
  if (argc > 1) std::ofstream(argv[1]) << out.dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::main_of(argc, argv); }
