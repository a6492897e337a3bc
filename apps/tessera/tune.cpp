#include "apps/tessera/tune.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/stop_signal.h"
#include "apps/common/units.h"
#include "apps/measure/tuner.h"
#include "apps/tessera/command.h"
#include "apps/tessera/list_option.h"
#include "apps/tessera/measurement.h"
#include "apps/tessera/progress.h"
#include "apps/tessera/text_table.h"
#include "backends/drivers.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/stepping/backend_spec.h"

namespace tessera {
namespace {

struct TuneOptions {
  std::vector<std::string> backends = {"all"}, kernels = {"default"};
  std::vector<std::string> sides = {"1024", "4096", "16384"};
  std::string rule = "B3/S23";
  std::string repeat = "3", run_time = "50ms", max_time = "60s";
  bool json = false;
  bool quiet = false;
};

// For a torus, on which a rule may have B0; one cell large to begin with.
RuleSpec parse_rule_of_tori(const std::string& text) {
  if (text.find(':') != std::string::npos) {
    throw InputError("--rule " + text +
                     ": a rule without a universe is accepted, such as B36/S23; " +
                     "--sides gives the sizes of the tori");
  }
  return parse_rule_spec(text + ":T1", "--rule");
}

std::size_t count(const TunerResult& result, Candidate::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(result.candidates.begin(), result.candidates.end(),
                    [&](const Candidate& c) { return c.kind == kind; }));
}

const char* kind_text(Candidate::Kind kind) {
  constexpr const char* kTexts[] = {"timed", "hopeless", "not taken", "refused", "failed"};
  return kTexts[static_cast<int>(kind)];
}

Json json_of(const TunerResult& result) {
  Json candidates = Json::array();
  for (const Candidate& c : result.candidates) {
    Json one{{"tuning", json_of(c.tuning)}, {"outcome", kind_text(c.kind)}};
    if (!c.why.empty()) one["reason"] = c.why;
    if (!c.cells_per_second.runs.empty()) one["cells_per_second"] = json_of(c.cells_per_second);
    candidates.push_back(std::move(one));
  }
  return {{"own_choice", json_of(result.own)},
          {"own_cells_per_second", result.own_speed},
          {"best", json_of(result.best)},
          {"best_cells_per_second", result.best_speed},
          {"gain", result.best_speed / result.own_speed},
          {"whole_search", result.whole},
          {"candidates", candidates}};
}

// The first candidate that was wrong, or null.
const Candidate* wrong_one(const TunerResult& result) {
  const auto found =
      std::find_if(result.candidates.begin(), result.candidates.end(),
                   [](const Candidate& c) { return c.kind == Candidate::Kind::refused; });
  return found == result.candidates.end() ? nullptr : &*found;
}

class TuneSession {
 public:
  explicit TuneSession(const TuneOptions& options) : options_(options) {
    plan_.repeats = static_cast<int>(parse_count("--repeat", options.repeat, 1, 1000));
    plan_.run_seconds = parse_duration("--run-time", options.run_time);
    plan_.max_seconds = parse_duration("--max-time", options.max_time);
    std::vector<std::int64_t> sides;
    for (const std::string& side : options.sides)
      sides.push_back(parse_count("--sides", side, 1, std::int64_t{1} << 30));
    rule_ = parse_rule_of_tori(options.rule);
    if (std::any_of(options.backends.begin(), options.backends.end(), names_several))
      throw InputError("--backends: kernels are tuned on one device at a time; name single ones");
    for (const std::int64_t side : sides) add_kernels(side);
    document_ = environment_json();
    document_["command"] = "tune";
    document_["rule"] = rules_text(rule_);
    document_["stored_in"] = tuning_store_path();
    document_["results"] = Json::array();
  }

  int run() {
    catch_stop_signals();
    Progress progress("candidate", !options_.quiet, 0, std::nullopt);
    for (const auto& [kernel, side] : cases_) {
      if (stop_signal() == 0) one(kernel, side, progress);
    }
    progress.clear();
    if (options_.json) {
      print(text_of(document_));
    } else {
      print(table_.empty() ? "nothing was tuned\n" : table_.text());
      print(notes_);
    }
    if (wrong_.empty()) return 0;
    print_error("tune: " + wrong_);
    return kDiffers;
  }

 private:
  // What is tuned for tori of this size.
  void add_kernels(std::int64_t side) {
    const bool all = options_.backends == std::vector<std::string>{"all"};
    const BackendSpec spec = backend_spec(rule_, side, side);
    for (Kernel& kernel : find_kernels(options_.backends, options_.kernels, {}, spec)) {
      if (!all || !kernel.device.software) cases_.emplace_back(std::move(kernel), side);
    }
  }

  void one(const Kernel& kernel, std::int64_t side, Progress& progress) {
    rule_.width = rule_.height = side;
    Json out{{"backend", kernel.backend()},
             {"device", kernel.device.name},
             {"kernel", kernel.info.name},
             {"width", side},
             {"height", side}};
    const std::string who = fmt::format("{} at {}x{}", kernel.name(), side, side);
    if (!kernel.info.tunable()) return skip(out, who, "this kernel has nothing to tune");
    try {
      const TunerResult result = tune_kernel(kernel, rule_, plan_, clock_, [&](const TunerResult&) {
        progress.update(++candidates_);
        return stop_signal() == 0;
      });
      out.update(json_of(result));
      store_tuning(tuning_key(kernel, backend_spec(rule_)), result.best, result.best_speed);
      note(kernel, side, result);
      if (const Candidate* wrong = wrong_one(result); wrong && wrong_.empty()) {
        wrong_ =
            fmt::format("{} with {} is refused: {}", who, to_string(wrong->tuning), wrong->why);
      }
    } catch (const UnsupportedError& error) {
      return skip(out, who, error.what());
    }
    document_["results"].push_back(std::move(out));
  }

  void skip(Json& out, const std::string& who, const std::string& why) {
    out["skipped"] = why;
    document_["results"].push_back(std::move(out));
    notes_ += fmt::format("  {}: {}\n", who, why);
  }

  void note(const Kernel& kernel, std::int64_t side, const TunerResult& result) {
    table_.add({kernel.backend(), kernel.info.name, fmt::format("{0}x{0}", side),
                to_string(result.best), rate_text(result.own_speed), rate_text(result.best_speed),
                fmt::format("{:.1f} %", 100 * (result.best_speed / result.own_speed - 1)),
                fmt::format("{}{}", result.candidates.size(), result.whole ? "" : ", time ran out"),
                fmt::format("{}", count(result, Candidate::Kind::hopeless)),
                fmt::format("{}", count(result, Candidate::Kind::refused))});
  }

  const TuneOptions& options_;
  TunerPlan plan_;
  RuleSpec rule_;
  std::vector<std::pair<Kernel, std::int64_t>> cases_;  // and the side of a torus
  WallClock clock_;
  Json document_;
  TextTable table_{{"backend", "kernel", "size", "best tuning", "own choice, cells/s",
                    "best, cells/s", "gain", "tried", "hopeless", "refused"},
                   4};
  std::string notes_, wrong_;
  std::int64_t candidates_ = 0;
};

// A run of so many cell updates may well take as long as a search.
constexpr double kLongRun = 1e13;
constexpr double kSearchSeconds = 30;

}  // namespace

void tune_before_run(const DeviceOptions& device, const RuleSpec& rule, std::optional<double> work,
                     bool quiet) {
  if (!rule.bounded()) {
    throw InputError(
        "--tune needs a bounded universe, because the infinite plane has no size yet: add --size "
        "4096x4096 or a suffix");
  }
  if (names_several(device.backend))
    throw InputError("--tune: kernels are tuned on one device at a time; name a single --backend");
  const BackendSpec spec = backend_spec(rule);
  KernelChooser chooser(device.backend, device.kernel);
  const Kernel kernel = chooser.choose(spec);
  if (const auto why = kernel.unsupported(spec)) throw UnsupportedError(*why);
  const auto say = [&](const std::string& text) {
    if (!quiet) print_status("tessera: " + text + '\n');
  };
  if (!kernel.info.tunable()) return say(kernel.backend() + " has nothing to tune for this run");
  if (const TunedBy by = Tunings().choose(kernel, spec).by; by != TunedBy::own_choice) {
    return say(fmt::format("the tuning of {} is already known ({})", kernel.name(), to_string(by)));
  }
  if (work && *work < kLongRun)
    return say("this run is too short to be worth a search; it is not tuned");
  TunerPlan plan;
  plan.max_seconds = kSearchSeconds;
  Progress progress("candidate", !quiet, 0, std::nullopt);
  const TunerResult result =
      tune_kernel(kernel, rule, plan, WallClock(), [&](const TunerResult& r) {
        progress.update(static_cast<std::int64_t>(r.candidates.size()));
        return stop_signal() == 0;
      });
  progress.clear();
  if (const Candidate* wrong = wrong_one(result)) {
    throw Error(fmt::format("--tune: {} with {} is wrong: {}", kernel.name(),
                            to_string(wrong->tuning), wrong->why));
  }
  store_tuning(tuning_key(kernel, spec), result.best, result.best_speed);
  say(fmt::format("tuned {}: {}, {} cells/s instead of {}", kernel.name(), to_string(result.best),
                  rate_text(result.best_speed), rate_text(result.own_speed)));
}

Command add_tune(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "tune", "Find the fastest shape of each kernel on this machine and remember it");
  const auto options = std::make_shared<TuneOptions>();
  TuneOptions& o = *options;
  const auto text = [&](const char* name, std::string& value, const char* type, const char* help) {
    sub->add_option(name, value, help)->type_name(type);
  };
  add_list_option(
      *sub, "--backends,--backend", o.backends, "A,B",
      "all, or cpu, cuda, vulkan, or devices as in cuda:1; emulated devices take part when they "
      "are named (default all)");
  add_list_option(
      *sub, "--kernels,--kernel", o.kernels, "A,B",
      "default (what each device takes for the rule), all, or kernels by name (default default)");
  add_list_option(*sub, "--sides", o.sides, "N,M",
                  "Cells per side of the tori to tune for (default 1024,4096,16384)");
  text("--rule", o.rule, "RULE", "Rule to tune for (default B3/S23)");
  text("--repeat", o.repeat, "N", "Timed runs of each candidate (default 3)");
  text("--run-time", o.run_time, "TIME", "Approximate length of a run (default 50ms)");
  text("--max-time", o.max_time, "TIME",
       "Time limit for each kernel and size; the best candidate until then wins (default 60s)");
  sub->add_flag("--json", o.json,
                "Print one JSON object with every candidate instead of the table");
  sub->add_flag("-q,--quiet", o.quiet, "Print no progress");
  sub->footer(
      "Each candidate is checked against another kernel before it is timed; one that is wrong is "
      "refused, and the exit\n"
      "code is 3. Winners are kept in the user's cache folder, for this device, driver, kernel, "
      "rule, size and version of\n"
      "the program; 'tessera run' takes them from there, and from a table of known devices, and "
      "--json says which.");
  return {sub, [options] { return TuneSession(*options).run(); }};
}

}  // namespace tessera
