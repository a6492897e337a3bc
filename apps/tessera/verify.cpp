#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/simulation.h"
#include "apps/common/stop_signal.h"
#include "apps/common/units.h"
#include "apps/measure/run_case.h"
#include "apps/measure/shrink.h"
#include "apps/measure/verify_case.h"
#include "apps/tessera/command.h"
#include "apps/tessera/progress.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/base/nearest_word.h"

namespace tessera {
namespace {

struct VerifyOptions {
  std::string backend = "all";
  std::string kernel = "all";
  std::string cases = "100";
  std::string seed = "1";
  std::string halo = "auto", link = "auto";
};

// A kernel, and how it fared.
struct Judged {
  Kernel kernel;
  std::int64_t passed = 0;
  std::map<std::string, std::int64_t> skipped;  // by reason
};

// The requested kernels; the reference is not judged by itself.
std::vector<Judged> find_judged(const VerifyOptions& options) {
  std::vector<Judged> out;
  std::vector<std::string> accepted{"all"};
  const BandOptions bands = band_options(options.halo, options.link, {options.backend});
  for (Kernel& kernel : find_kernels({options.backend}, {"all"}, bands)) {
    const std::string& name = kernel.info.name;
    if (name == "reference") continue;
    if (std::ranges::find(accepted, name) == accepted.end()) accepted.push_back(name);
    if (options.kernel == "all" || options.kernel == name)
      out.push_back({std::move(kernel), 0, {}});
  }
  if (out.empty()) {
    throw InputError(fmt::format("--kernel {}: there is no such kernel to verify{}{}",
                                 options.kernel, meant_or_accepted(options.kernel, accepted),
                                 fmt::join(accepted, ", ")));
  }
  return out;
}

int report_failure(const VerifyCase& trial, const VerifyResult& result, const Judged& judged,
                   const BackendFactory& reference) {
  print(fmt::format("seed {}: {}\n", trial.seed, to_string(trial)));
  print(fmt::format("  {}: {}\n", judged.kernel.name(), result.message));
  const auto run = [&](const VerifyCase& smaller) {
    return run_case(smaller, expected_states(smaller, reference), judged.kernel.factory());
  };
  const VerifyCase smallest = shrink(trial, [&](const VerifyCase& smaller) {
    return run(smaller).kind == VerifyResult::Kind::failed;
  });
  print(fmt::format("smallest found: {}\n", to_string(smallest)));
  print(fmt::format("  {}: {}\n", judged.kernel.name(), run(smallest).message));
  print(fmt::format("replay: tessera verify --seed {} --cases 1 --backend {} --kernel {}\n",
                    trial.seed, judged.kernel.backend(), judged.kernel.info.name));
  print_error(fmt::format("verify: {} kernel {} differs from the reference in the case of seed {}",
                          judged.kernel.backend(), judged.kernel.info.name, trial.seed));
  return kDiffers;
}

void report_success(const std::vector<Judged>& kernels, std::int64_t cases, std::uint64_t seed,
                    double seconds, bool all) {
  print(fmt::format("{} cases, seeds {} .. {}, in {}; nothing differs from the reference\n",
                    grouped(cases), seed, seed + static_cast<std::uint64_t>(cases) - 1,
                    duration_text(seconds)));
  for (const Judged& judged : kernels) {
    print(fmt::format("  {:<10} {:<14} {} passed\n", judged.kernel.backend(),
                      judged.kernel.info.name, grouped(judged.passed)));
    for (const auto& [reason, count] : judged.skipped) {
      print(fmt::format("  {:<10} {:<14} {} skipped: {}\n", judged.kernel.backend(),
                        judged.kernel.info.name, grouped(count), reason));
    }
  }
  if (!all) return;
  for (const Driver* driver : drivers()) {
    const DeviceList list = driver->devices();
    if (list.devices.empty())
      print(fmt::format("  {:<10} not verified: {}\n", driver->name(), list.missing));
  }
  for (const MissingDriver& missing : missing_drivers()) {
    print(fmt::format("  {:<10} not verified: {}\n", missing.name, missing.reason));
  }
}

int verify(VerifyOptions options) {
  // For other subcommands `auto` leaves the choice open; here it means all.
  if (options.backend == "auto") options.backend = "all";
  if (options.kernel == "auto") options.kernel = "all";
  using Clock = std::chrono::steady_clock;
  const std::int64_t cases = parse_count("--cases", options.cases, 1, 1'000'000'000);
  const std::uint64_t seed = parse_seed("--seed", options.seed);
  std::vector<Judged> kernels = find_judged(options);
  const BackendFactory reference = make_factory("cpu", "reference", {});
  const Clock::time_point began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  catch_stop_signals();
  std::int64_t done = 0;
  Progress progress("case", true, 0, cases);
  for (; done < cases && stop_signal() == 0; done++) {
    const VerifyCase trial = make_case(seed + static_cast<std::uint64_t>(done));
    const std::vector<VerifyState> expected = expected_states(trial, reference);
    for (Judged& judged : kernels) {
      const VerifyResult result = run_case(trial, expected, judged.kernel.factory());
      if (result.kind == VerifyResult::Kind::failed) {
        progress.clear();
        return report_failure(trial, result, judged, reference);
      }
      if (result.kind == VerifyResult::Kind::skipped) {
        judged.skipped[without_numbers(result.message)]++;
      } else {
        judged.passed++;
      }
    }
    progress.update(done + 1);
  }
  progress.clear();
  if (done > 0) report_success(kernels, done, seed, seconds(), options.backend == "all");
  return 0;
}

}  // namespace

Command add_verify(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "verify", "Check every backend and kernel against the reference on random cases");
  const auto options = std::make_shared<VerifyOptions>();
  const auto text = [&](const char* name, std::string& value, const char* type, const char* help) {
    sub->add_option(name, value, help)->type_name(type);
  };
  text("--backend", options->backend, "NAME",
       "all, or cpu, cuda, vulkan, or one device of it as in cuda:1, or several that step one grid "
       "as in cuda:all and cpu*3 (default all)");
  text("--kernel", options->kernel, "NAME",
       "all, or one kernel as 'tessera devices' lists them (default all)");
  text("--cases", options->cases, "N",
       "Random cases: rules, sizes, universes and step counts (default 100)");
  text("--seed", options->seed, "S",
       "Seed of the first case; the next one has S+1, and so on (default 1)");
  add_band_options(*sub, "Options", options->halo, options->link);
  sub->footer(
      "A case depends on its seed alone. On the first difference the case is shrunk, the\n"
      "command that replays it is printed, and the exit code is 3. Cases that a kernel does not\n"
      "support are counted as skipped, with the reason.");
  return {sub, [options] { return verify(*options); }};
}

}  // namespace tessera
