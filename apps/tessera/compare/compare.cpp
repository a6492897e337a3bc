#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/outputs.h"
#include "apps/common/simulation.h"
#include "apps/common/stop_signal.h"
#include "apps/common/units.h"
#include "apps/tessera/command.h"
#include "apps/tessera/compare/compare_report.h"
#include "apps/tessera/list_option.h"
#include "apps/tessera/measurement.h"
#include "apps/tessera/plot.h"
#include "apps/tessera/progress.h"
#include "backends/drivers.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/spaces/space_choice.h"
#include "core/spaces/tiled_space.h"
#include "core/stepping/backend_spec.h"

namespace tessera {
namespace {

// A timed run takes about this long where the universe is bounded: longer than clocks and
// schedulers stumble.
constexpr double kRunSeconds = 0.1;

struct CompareOptions {
  StartOptions start;
  std::string resume;
  std::vector<std::string> backends = {"all"}, kernels = {"all"}, spaces = {"auto"};
  std::string gens = "1000", every = "64", repeat = "5", max_time = "60s";
  std::string threads, max_memory, halo = "auto", link = "auto";
  std::string plot, peer;
  bool json = false;
  bool quiet = false;
};

// Who takes part: a kernel, and how it is to hold the cells.
struct Rival {
  Kernel kernel;
  SpaceChoice space = SpaceChoice::automatic;
  std::string name;
};

// What the options come to before anything is made.
struct Comparison {
  LockstepPlan plan;
  int repeats = 5;
  std::int64_t max_memory = 0;
  Tuning cpu_tuning;
  Start start;
  std::vector<Rival> rivals;
};

Start start_of(const CompareOptions& o, std::int64_t max_memory) {
  if (o.resume.empty()) {
    if (o.start.pattern.empty() && o.start.soup.empty()) {
      throw InputError("nothing to compare: give a PATTERN, --soup DENSITY or --resume FILE");
    }
    return resolve_start(o.start);
  }
  if (o.start.any()) {
    throw InputError(
        "--resume takes cells, rule and size from the checkpoint; leave out PATTERN, --soup, "
        "--seed, --size and "
        "--rule");
  }
  CheckpointReader reader(o.resume, max_memory);
  Start start;
  start.rule = reader.info().rule;
  start.source = o.resume;
  return start;
}

// What a kernel is asked for where cells are held like this.
BackendSpec spec_of(const RuleSpec& rule, SpaceChoice space) {
  constexpr std::int64_t kSide = 64;  // of a grid without end, to begin with
  if (timed_choice(rule, space) != SpaceChoice::grid && !TiledSpace::refusal(rule))
    return TiledSpace::asks(rule);
  return rule.bounded() ? backend_spec(rule) : backend_spec(rule, kSide, kSide);
}

// Each kernel with each space, one after the other.
std::vector<Rival> rivals_of(const CompareOptions& o, const RuleSpec& rule) {
  const BandOptions bands = band_options(o.halo, o.link, o.backends);
  std::vector<std::vector<Rival>> by_space;
  std::size_t most = 0;
  for (const std::string& text : o.spaces) {
    const SpaceChoice space = parse_space("--spaces", text);
    std::vector<Rival>& rivals = by_space.emplace_back();
    for (Kernel& kernel : find_kernels(o.backends, o.kernels, bands, spec_of(rule, space))) {
      std::string name = text == "auto" ? kernel.name() : kernel.name() + ", " + text;
      rivals.push_back({std::move(kernel), space, std::move(name)});
    }
    most = std::max(most, rivals.size());
  }
  std::vector<Rival> out;
  for (std::size_t i = 0; i < most; i++) {
    for (std::vector<Rival>& rivals : by_space) {
      if (i < rivals.size()) out.push_back(std::move(rivals[i]));
    }
  }
  return out;
}

Comparison read(const CompareOptions& o) {
  Comparison c;
  c.plan.generations = parse_count("--gens", o.gens, 1, std::numeric_limits<std::int64_t>::max());
  c.plan.block = parse_count("--every", o.every, 1, LockstepPlan::kMaxBlock);
  c.plan.max_seconds = parse_duration("--max-time", o.max_time);
  c.repeats = static_cast<int>(parse_count("--repeat", o.repeat, 1, 1000));
  if (!o.max_memory.empty()) c.max_memory = parse_memory("--max-memory", o.max_memory);
  if (!o.threads.empty()) {
    c.cpu_tuning.threads = static_cast<int>(parse_count("--threads", o.threads, 1, 4096));
  }
  if (!o.plot.empty()) check_plot(o.plot);
  if (!o.peer.empty() && o.peer != "bgolly") {
    throw InputError(fmt::format("--peer {}: there is no such peer; accepted is bgolly", o.peer));
  }
  c.start = start_of(o, c.max_memory);
  c.rivals = rivals_of(o, c.start.rule);
  if (!o.peer.empty()) {
    if (const auto why = bgolly_unsupported(c.start.rule))
      throw UnsupportedError("--peer bgolly: " + *why);
  }
  return c;
}

class Comparing {
 public:
  Comparing(const CompareOptions& options, Comparison comparison)
      : options_(options), c_(std::move(comparison)) {
    report_.source = c_.start.source;
    report_.rule = c_.start.rule;
    report_.generations = c_.plan.generations;
    report_.block = c_.plan.block;
    report_.repeats = c_.repeats;
    report_.rows.resize(c_.rivals.size());
    report_.tuned_by.resize(c_.rivals.size());
    for (const Rival& rival : c_.rivals) report_.names.push_back(rival.name);
  }

  const CompareReport& run() {
    find_programs(c_.start.rule);
    step_all();
    if (!report_.lockstep.difference && stop_signal() == 0) time_all();
    report_.devices = facts_.json();
    return report_;
  }

 private:
  std::size_t number(const Rival& rival) const {
    return static_cast<std::size_t>(&rival - c_.rivals.data());
  }

  std::unique_ptr<Universe> start(const Rival& rival) {
    const Kernel& kernel = rival.kernel;
    // Threads of a processor are a person's to choose; those of a device's block are searched.
    const TuningParameter* threads = kernel.info.parameter(&Tuning::threads);
    const Tuning fixed = threads && !threads->searched() ? c_.cpu_tuning : Tuning{};
    TunedBy& by = report_.tuned_by[number(rival)];
    const auto factory = [this, &kernel, &by, fixed](const BackendSpec& spec) {
      const ChosenTuning chosen = tunings_.complete(kernel, spec, fixed);
      by = chosen.by;
      return kernel.create(spec, chosen.tuning);
    };
    auto universe = std::make_unique<Universe>(c_.start.rule, factory, c_.max_memory,
                                               timed_choice(c_.start.rule, rival.space));
    if (options_.resume.empty()) {
      place_start(c_.start, *universe);
    } else {
      CheckpointReader reader(options_.resume, c_.max_memory);
      load_checkpoint(reader, *universe);
    }
    return universe;
  }

  void step_all() {
    std::vector<Contender> contenders;
    for (const Rival& rival : c_.rivals) {
      contenders.push_back({rival.name,
                            [this, &rival] {
                              auto universe = start(rival);
                              report_.start_generation = universe->generation();
                              return universe;
                            },
                            rival.kernel.trust()});
    }
    Progress progress("lockstep generation", !options_.quiet, 0, c_.plan.generations);
    report_.lockstep = run_lockstep(contenders, c_.plan, clock_, [&](std::int64_t at) {
      progress.update(at);
      return stop_signal() == 0;
    });
    for (const Standing& standing : report_.lockstep.standings) {
      if (standing.began) return;
    }
    const std::string why =
        report_.names.empty() ? "no kernel was named" : report_.lockstep.standings.front().left_out;
    throw UnsupportedError("no kernel can step this: " + why);
  }

  void time_all() {
    const auto count = static_cast<std::int64_t>(c_.rivals.size());
    Progress progress("timing kernel", !options_.quiet, 0, count);
    for (std::size_t i = 0; i < c_.rivals.size() && stop_signal() == 0; i++) {
      progress.update(static_cast<std::int64_t>(i));
      if (!report_.lockstep.standings[i].began) continue;
      try {
        report_.rows[i] =
            c_.start.rule.bounded() ? time_bounded(c_.rivals[i]) : time_plane(c_.rivals[i]);
      } catch (const MemoryLimitError& error) {
        report_.lockstep.standings[i].left_out = error.what();
      }
    }
    progress.clear();
    if (!options_.peer.empty() && stop_signal() == 0) time_peer();
  }

  TimingPlan plan() const { return {1, c_.repeats, c_.plan.max_seconds}; }

  Measurement time_bounded(const Rival& rival) {
    const std::unique_ptr<Universe> universe = start(rival);
    Measurement m{rival.kernel.backend(), universe->info(), 0, 0, {}, 0, universe->space()};
    m.generations = generations_within(*universe, kRunSeconds, 0, clock_);
    m.cells = static_cast<double>(m.generations) * universe->cells_per_generation();
    m.timing = time_runs(timed_steps(*universe, m.generations), plan(), clock_);
    m.ceiling = facts_.cells(rival.kernel, c_.start.rule);
    return m;
  }

  // From the start each time: what a generation costs depends on how far the plane has grown.
  Measurement time_plane(const Rival& rival) {
    // Those that had to leave stopped where it took too long.
    const std::int64_t generations = report_.lockstep.standings[number(rival)].agreed;
    if (generations == 0) throw MemoryLimitError("left before the first check");
    std::unique_ptr<Universe> universe;
    const Timed subject{[&] {
                          universe.reset();
                          universe = start(rival);
                        },
                        [&] {
                          universe->step(generations);
                          universe->synchronize();
                        },
                        {}};
    Measurement m{rival.kernel.backend(), {}, generations, 0, {}, 0, {}};
    m.timing = time_runs(subject, plan(), clock_);
    m.info = universe->info();
    m.space = universe->space();
    m.cells = universe->cells_stepped();
    m.ceiling = facts_.cells(rival.kernel, c_.start.rule);
    return m;
  }

  void time_peer() {
    const auto began = std::find_if(
        report_.lockstep.standings.begin(), report_.lockstep.standings.end(),
        [&](const Standing& s) { return s.began && s.agreed == report_.lockstep.generation; });
    const Rival& rival =
        c_.rivals[static_cast<std::size_t>(began - report_.lockstep.standings.begin())];
    Pattern pattern = start(rival)->pattern();
    try {
      report_.peer = run_bgolly(pattern, c_.plan.generations, {0, c_.repeats, 0}, clock_);
    } catch (const FileError&) {
      // Ctrl-C on a terminal ends bgolly, too.
      if (stop_signal() == 0) throw;
    }
  }

  const CompareOptions& options_;
  Comparison c_;
  WallClock clock_;
  Tunings tunings_;
  DeviceFacts facts_;
  CompareReport report_;
};

int compare(const CompareOptions& options) {
  Comparing comparing(options, read(options));
  catch_stop_signals();
  const CompareReport& report = comparing.run();
  if (options.json) {
    print(text_of(compare_json(report)));
  } else {
    print(compare_text(report));
  }
  if (report.lockstep.difference) {
    print_error("compare: " + difference_text(report));
    return kDiffers;
  }
  const bool whole = report.lockstep.generation == report.generations;
  if (report.peer && whole && report.peer->population != report.lockstep.population) {
    print_error(fmt::format("compare: at generation {} bgolly's population is {}, the kernels' {}",
                            report.start_generation + report.generations, report.peer->population,
                            report.lockstep.population));
    return kDiffers;
  }
  const bool timed = !by_speed(report).empty();
  if (!options.plot.empty() && (timed || stop_signal() == 0)) compare_plot(options.plot, report);
  return 0;
}

}  // namespace

Command add_compare(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("compare",
                                     "Step the same simulation on several backends and kernels: "
                                     "are they equal, and which is fastest?");
  const auto options = std::make_shared<CompareOptions>();
  CompareOptions& o = *options;
  add_start_options(*sub, o.start);
  const auto text = [&](const char* group, const char* name, std::string& value, const char* type,
                        const char* help) {
    sub->add_option(name, value, help)->type_name(type)->group(group);
  };
  text("What is simulated", "--resume", o.resume, "FILE", "Start from a checkpoint instead");
  constexpr const char* kWho = "What steps it";
  add_list_option(
      *sub, "--backends,--backend", o.backends, "A,B",
      "all, or cpu, cuda, vulkan, or devices as in cuda:1, separated by commas; + joins several "
      "that step one grid together, as in cuda:0+cuda:1 and cpu*3 (default all)")
      ->group(kWho);
  add_list_option(*sub, "--kernels,--kernel", o.kernels, "A,B",
                  "all, default (what each device takes for the rule), or kernels as 'tessera "
                  "devices' lists them (default all)")
      ->group(kWho);
  add_list_option(*sub, "--spaces,--space", o.spaces, "A,B",
                  "How each holds the cells: auto, grid or tiles; several are compared, too "
                  "(default auto)")
      ->group(kWho);
  text(kWho, "--threads", o.threads, "N", "Threads of the cpu backend (default all)");
  text(kWho, "--max-memory", o.max_memory, "SIZE",
       "Memory limit for the cells of each, such as 512M or 8G (default all that is free)");
  add_band_options(*sub, kWho, o.halo, o.link);
  text(
      kWho, "--peer", o.peer, "bgolly",
      "Also time Golly's QuickLife on the same cells and check its final population; needs bgolly");
  constexpr const char* kHow = "How";
  text(kHow, "-g,--gens", o.gens, "N", "Generations in lockstep (default 1000)");
  text(kHow, "--every", o.every, "K",
       "Generations between comparisons of the state hash, 1 to 256 (default 64)");
  text(kHow, "--repeat", o.repeat, "N", "Timed runs of each, after a warm-up run (default 5)");
  text(kHow, "--max-time", o.max_time, "TIME",
       "Time limit in lockstep; slower ones leave the lockstep early and are still timed (default "
       "60s)");
  constexpr const char* kResults = "Results";
  text(kResults, "--plot", o.plot, "FILE", "Draw bars as .svg or .png; needs gnuplot");
  sub->add_flag("--json", o.json, "Print one JSON object on standard output instead of the table")
      ->group(kResults);
  sub->add_flag("-q,--quiet", o.quiet, "Print no progress")->group(kResults);
  sub->footer(
      "A difference ends the comparison with exit code 3 and names the first generation and cell "
      "that differ.\n"
      "Times are device time where the device has a clock, and wall time elsewhere; the table has "
      "both.\n"
      "The ceiling is what the device's logic units reach with the rule's gates on registers, "
      "measured.\n\n"
      "Examples:\n"
      "  tessera compare --soup 0.5 --size 4096x4096\n"
      "  tessera compare gun.rle --gens 10000 --backends cpu --peer bgolly\n"
      "  tessera compare gun.rle --backends cpu --kernels default --spaces grid,tiles\n"
      "  tessera compare --soup 0.5 --size 16384x16384 --kernels default --plot race.svg");
  return {sub, [options] { return compare(*options); }};
}

}  // namespace tessera
