#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/outputs.h"
#include "apps/common/simulation.h"
#include "apps/common/stop_signal.h"
#include "apps/common/units.h"
#include "apps/tessera/bench/bench_report.h"
#include "apps/tessera/bench/bench_run.h"
#include "apps/tessera/command.h"
#include "apps/tessera/list_option.h"
#include "apps/tessera/plot.h"
#include "apps/tessera/progress.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"

namespace tessera {
namespace {

struct BenchOptions {
  std::vector<std::string> suites;
  std::vector<std::string> backends = {"all"};
  std::string repeat = "5", max_side = "65536", run_time = "100ms", max_time = "60s";
  std::string golly = "/usr/share/golly/Patterns", only;
  std::string json, plot, against;
  std::string halo = "auto", link = "auto";
  std::vector<std::string> from;
  bool quiet = false;
};

// With "all" spelled out.
std::vector<std::string> suites_of(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const BenchSuite& suite : bench_suites()) {
        if (!suite.beside) out.push_back(suite.name);
      }
    } else {
      bench_cases(name, {}, 64, {});  // refuses an unknown suite
      out.push_back(name);
    }
  }
  return out;
}

// Every kernel of the devices that take part; emulated devices only when they are named.
std::vector<Kernel> kernels_of(const BenchOptions& options) {
  std::vector<Kernel> all = find_kernels(
      options.backends, {"all"}, band_options(options.halo, options.link, options.backends));
  if (options.backends == std::vector<std::string>{"all"})
    std::erase_if(all, [](const Kernel& e) { return e.device.software; });
  return all;
}

void write_json(const std::string& path, const Json& document) {
  if (path == "-") {
    print(text_of(document));
    return;
  }
  AtomicFile file(path);
  file.write(text_of(document));
  file.commit();
}

Json measure(const BenchOptions& options, const std::vector<std::string>& suites) {
  BenchPlan plan;
  plan.repeats = static_cast<int>(parse_count("--repeat", options.repeat, 1, 1000));
  plan.run_seconds = parse_duration("--run-time", options.run_time);
  plan.max_seconds = parse_duration("--max-time", options.max_time);
  const std::int64_t max_side =
      parse_count("--max-side", options.max_side, 1, std::int64_t{1} << 30);
  const std::vector<Kernel> kernels = kernels_of(options);
  std::vector<std::pair<std::string, BenchCase>> cases;
  for (const std::string& suite : suites) {
    for (BenchCase& c : bench_cases(suite, kernels, max_side, options.golly))
      if (c.row.find(options.only) != std::string::npos) cases.emplace_back(suite, std::move(c));
  }
  if (cases.empty() && !options.only.empty())
    throw InputError(fmt::format("--only {}: no row of {} contains this", printable(options.only),
                                 fmt::join(suites, ", ")));
  Json out = environment_json();
  out["command"] = "bench";
  out["suites"] = suites;
  out["soup"] = {{"seed", plan.soup.seed}, {"density", plan.soup.density / 65536.0}};
  out["repeat"] = plan.repeats;
  out["complete"] = false;
  out["devices"] = Json::array();
  out["results"] = Json::array();
  out["crossover"] = Json::array();
  const WallClock clock;
  DeviceFacts facts;
  catch_stop_signals();
  const auto count = static_cast<std::int64_t>(cases.size());
  Progress progress("case", !options.quiet, 0, count);
  std::int64_t i = 0;
  for (; i < count && stop_signal() == 0; i++) {
    progress.update(i);
    const auto& [suite, c] = cases[static_cast<std::size_t>(i)];
    out["results"].push_back(run_bench_case(suite, c, plan, facts, clock));
    out["devices"] = facts.json();
    out["crossover"] = crossovers(out["results"]);
    // Saves what was measured, whatever happens in the next case.
    if (!options.json.empty() && options.json != "-") write_json(options.json, out);
  }
  progress.clear();
  out["complete"] = i == count;
  return out;
}

// Earlier results, joined where there are several files.
Json read_all(const std::vector<std::string>& paths) {
  Json document = read_bench("--from", paths.front());
  for (std::size_t i = 1; i < paths.size(); i++)
    merge_bench(document, read_bench("--from", paths[i]), paths[i]);
  return document;
}

// Reports the first result with this key on standard error; false when there is none.
bool tell_first(const Json& results, const char* key, const char* verb) {
  for (const Json& r : results) {
    if (!r.contains(key)) continue;
    const auto name = [&](const char* field) { return r.at(field).get<std::string>(); };
    print_error(fmt::format("bench: {} {}: {} kernel {} {}: {}", name("suite"), name("row"),
                            name("backend"), name("kernel"), verb, name(key)));
    return true;
  }
  return false;
}

int bench(const BenchOptions& options) {
  if (options.suites.empty() && options.from.empty()) {
    std::string names = "all";
    for (const BenchSuite& suite : bench_suites()) names += std::string(", ") + suite.name;
    throw InputError("--suite is missing; accepted are " + names);
  }
  const std::vector<std::string> suites = suites_of(options.suites);
  if (!options.plot.empty()) {
    check_plot(options.plot);
    if (suites.size() != 1) throw InputError("--plot draws one suite; name it with --suite");
  }
  if (!options.json.empty() && options.json != "-") check_writable("--json", options.json);
  const Json old = options.against.empty() ? Json() : read_bench("--against", options.against);
  Json document = options.from.empty() ? measure(options, suites) : read_all(options.from);
  if (!options.against.empty()) document["against"] = bench_changes(document, old);
  if (!options.json.empty()) write_json(options.json, document);
  if (options.json != "-") {
    if (options.from.empty() || options.plot.empty()) print(bench_text(document));
    if (!options.against.empty()) print(changes_text(document["against"]));
  }
  if (!options.plot.empty()) bench_plot(options.plot, document, suites.front());
  if (tell_first(document["results"], "refused", "is refused")) return kDiffers;
  return tell_first(document["results"], "failed", "failed") ? kFailed : 0;
}

}  // namespace

Command add_bench(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("bench", "Measure a suite of cases beside published figures");
  const auto options = std::make_shared<BenchOptions>();
  BenchOptions& o = *options;
  const auto text = [&](const char* name, std::string& value, const char* type, const char* help) {
    sub->add_option(name, value, help)->type_name(type);
  };
  add_list_option(
      *sub, "--suite", o.suites, "A,B",
      "Suites, separated by commas, or all, but for those that need bgolly; they are listed below");
  add_list_option(
      *sub, "--backends,--backend", o.backends, "A,B",
      "all, or cpu, cuda, vulkan, or devices as in cuda:1; emulated devices take part when they "
      "are named; + joins several that step one grid, as in cuda:0+cuda:1 and cpu*3 (default all)");
  add_band_options(*sub, "Options", o.halo, o.link);
  text("--repeat", o.repeat, "N", "Timed runs of each case, after a warm-up run (default 5)");
  text("--run-time", o.run_time, "TIME",
       "Approximate length of a run, which is at least one launch (default 100ms)");
  text("--max-time", o.max_time, "TIME", "A run that takes longer is not repeated (default 60s)");
  text("--max-side", o.max_side, "N",
       "Largest grid in cells per side; larger cases take this size (default 65536)");
  text("--golly", o.golly, "DIR",
       "Golly's pattern folder, for sparse and golly (default /usr/share/golly/Patterns)");
  text("--only", o.only, "TEXT", "Only the rows that contain this");
  text("--json", o.json, "FILE",
       "Write everything as JSON; - is standard output, instead of the tables");
  text("--plot", o.plot, "FILE", "Draw the suite as .svg or .png; needs gnuplot");
  sub->add_option("--from", o.from,
                  "Take results from an earlier --json instead of measuring; may be repeated to "
                  "join several files")
      ->type_name("FILE")
      ->allow_extra_args(false);
  text("--against", o.against, "FILE",
       "Compare with the results in an earlier --json: ratios, with those outside the spread "
       "marked");
  sub->add_flag("-q,--quiet", o.quiet, "Print no progress");
  std::string footer = "Suites:\n";
  for (const BenchSuite& suite : bench_suites())
    footer += fmt::format("  {:<9} {}\n", suite.name, suite.summary);
  sub->footer(footer +
              "\nEvery case is checked against another kernel before it is timed; one that is "
              "wrong is refused, and the\n"
              "exit code is 3. Cases that a device does not support are listed with the reason.");
  return {sub, [options] { return bench(*options); }};
}

}  // namespace tessera
