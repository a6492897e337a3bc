#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "apps/common/console.h"
#include "apps/common/units.h"
#include "apps/measure/run_case.h"
#include "apps/measure/shrink.h"
#include "apps/measure/verify_case.h"
#include "apps/tessera/command.h"
#include "apps/tessera/progress.h"
#include "apps/tessera/stop_signal.h"
#include "backends/drivers.h"
#include "core/base/error.h"

namespace tessera {
namespace {

constexpr int kDiffers = 3;

struct VerifyOptions {
  std::string backend = "all";
  std::string kernel = "all";
  std::string cases = "100";
  std::string seed = "1";
};

// One kernel of one device, and how it fared.
struct Judged {
  std::string backend;  // as --backend names it
  std::string kernel;
  BackendFactory factory;
  std::int64_t passed = 0;
  std::map<std::string, std::int64_t> skipped;  // by reason
};

// Kernels that are asked for; the reference is not judged by itself.
std::vector<Judged> find_kernels(const VerifyOptions& options) {
  const BackendSpec tiny{1, 1, Boundary::torus, kLife, 0};
  std::vector<Judged> out;
  // A name that is unknown or has no device is refused with the reason.
  if (options.backend != "all") choose_device(options.backend, tiny, "auto");
  std::string kernels;
  for (const Driver* driver : drivers()) {
    for (const DeviceInfo& device : driver->devices().devices) {
      const std::string name = fmt::format("{}:{}", driver->name(), device.index);
      if (options.backend != "all" && options.backend != driver->name() && options.backend != name)
        continue;
      for (const KernelInfo& kernel : driver->kernels()) {
        if (kernel.name == "reference") continue;
        if (kernels.find(kernel.name) == std::string::npos) kernels += ", " + kernel.name;
        if (options.kernel != "all" && options.kernel != kernel.name) continue;
        out.push_back({name, kernel.name, make_factory(name, kernel.name, {}), 0, {}});
      }
    }
  }
  if (out.empty()) {
    throw InputError(
        fmt::format("--kernel {}: there is no such kernel to verify; accepted are all{}",
                    options.kernel, kernels));
  }
  return out;
}

// The first line of a reason up to a size: cases that differ by numbers alone are counted together.
std::string kind_of(const std::string& reason) {
  std::string out;
  for (const char c : reason) {
    if (c < '0' || c > '9') {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

int report_failure(const VerifyCase& trial, const VerifyResult& result, const Judged& judged,
                   const BackendFactory& reference) {
  print(fmt::format("seed {}: {}\n", trial.seed, to_string(trial)));
  print(fmt::format("  {} kernel {}: {}\n", judged.backend, judged.kernel, result.message));
  const auto run = [&](const VerifyCase& smaller) {
    return run_case(smaller, expected_states(smaller, reference), judged.factory);
  };
  const VerifyCase smallest = shrink(trial, [&](const VerifyCase& smaller) {
    return run(smaller).kind == VerifyResult::Kind::failed;
  });
  print(fmt::format("smallest found: {}\n", to_string(smallest)));
  print(fmt::format("  {} kernel {}: {}\n", judged.backend, judged.kernel, run(smallest).message));
  print(fmt::format("replay: tessera verify --seed {} --cases 1 --backend {} --kernel {}\n",
                    trial.seed, judged.backend, judged.kernel));
  print_error(fmt::format("verify: {} kernel {} differs from the reference in the case of seed {}",
                          judged.backend, judged.kernel, trial.seed));
  return kDiffers;
}

void report_success(const std::vector<Judged>& kernels, std::int64_t cases, std::uint64_t seed,
                    double seconds, bool all) {
  print(fmt::format("{} cases, seeds {} .. {}, in {}; nothing differs from the reference\n",
                    grouped(cases), seed, seed + static_cast<std::uint64_t>(cases) - 1,
                    duration_text(seconds)));
  for (const Judged& judged : kernels) {
    print(fmt::format("  {:<10} {:<14} {} passed\n", judged.backend, judged.kernel,
                      grouped(judged.passed)));
    for (const auto& [reason, count] : judged.skipped) {
      print(fmt::format("  {:<10} {:<14} {} skipped: {}\n", judged.backend, judged.kernel,
                        grouped(count), reason));
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
  // As for the other subcommands, auto leaves the choice open; here that is everything.
  if (options.backend == "auto") options.backend = "all";
  if (options.kernel == "auto") options.kernel = "all";
  using Clock = std::chrono::steady_clock;
  const std::int64_t cases = parse_count("--cases", options.cases, 1, 1'000'000'000);
  const std::uint64_t seed = parse_seed("--seed", options.seed);
  std::vector<Judged> kernels = find_kernels(options);
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
      const VerifyResult result = run_case(trial, expected, judged.factory);
      if (result.kind == VerifyResult::Kind::failed) {
        progress.clear();
        return report_failure(trial, result, judged, reference);
      }
      if (result.kind == VerifyResult::Kind::skipped) {
        judged.skipped[kind_of(result.message)]++;
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
       "all, or cpu, cuda, vulkan, or one device of it as in cuda:1 (default all)");
  text("--kernel", options->kernel, "NAME",
       "all, or one kernel as 'tessera devices' lists them (default all)");
  text("--cases", options->cases, "N",
       "Random cases: rules, sizes, universes and step counts (default 100)");
  text("--seed", options->seed, "S",
       "Seed of the first case; the next one has S+1, and so on (default 1)");
  sub->footer(
      "A case depends on its seed alone. On the first difference the case is shrunk, the\n"
      "command that replays it is printed, and the exit code is 3. Cases that a kernel does not\n"
      "support are counted as skipped, with the reason.");
  return {sub, [options] { return verify(*options); }};
}

}  // namespace tessera
