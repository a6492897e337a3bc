#include "apps/tessera/bench/bench_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "apps/common/simulation.h"
#include "apps/measure/bgolly.h"
#include "apps/measure/child.h"
#include "core/base/error.h"
#include "core/pattern_io.h"

namespace tessera {
namespace {

class Beside {
 public:
  Beside(const BenchCase& c, const BenchPlan& plan, const Clock& clock)
      : c_(c),
        clock_(clock),
        plan_{1, plan.repeats, plan.max_seconds / 10},
        start_{c.rule, {}, c.row} {
    Pattern pattern = c.pattern.read();
    if (c.kind == BenchKind::program) {
      program_seconds_ = BenchPlan::kProgramRuns * plan.run_seconds;
    }
    write_pattern(file_, pattern);
    start_.cells = std::move(pattern);
  }

  void put(Json& out) {
    const std::int64_t generations =
        c_.pattern.generations > 0 ? c_.pattern.generations : generations_of_peer();
    const BgollyResult peer =
        run_bgolly(std::get<Pattern>(start_.cells), generations, plan_, clock_);
    if (c_.kind == BenchKind::pattern) check_timed(peer, generations);
    std::unique_ptr<Universe> universe;
    const auto prepare = [&] {
      universe.reset();
      universe = make();
    };
    const auto run = [&] {
      universe->step(generations);
      universe->synchronize();
    };
    prepare();
    run();
    const std::int64_t population = universe->survey({.population = true}).population;
    for (const std::int64_t wanted : {peer.population, c_.pattern.population}) {
      if (wanted < 0 || wanted == population) continue;
      out["refused"] = fmt::format("after {} generations the population is {}, not {}", generations,
                                   population, wanted);
      return;
    }
    const Timing timing =
        time_runs({prepare, run, {}}, {0, plan_.repeats, plan_.hopeless_seconds}, clock_);
    out["device"] = universe->info().device;
    universe.reset();
    const Process process = run_processes(generations);
    out["verified"] = {
        {"by", "QuickLife"}, {"generations", generations}, {"population", population}};
    out["generations"] = generations;
    out["floor"] = c_.pattern.floor > 0 ? Json(c_.pattern.floor) : Json(nullptr);
    out["wall_seconds"] = json_of(timing.wall);
    out["process"] = {{"seconds", json_of(process.seconds)}, {"memory", process.memory}};
    out["peer"] = {{"seconds", json_of(peer.seconds)},
                   {"whole_seconds", json_of(peer.whole)},
                   {"memory", peer.memory}};
    const bool whole = c_.kind == BenchKind::program;
    const auto count = static_cast<double>(generations);
    const Spread rate = inverse(whole ? process.seconds : timing.wall, count);
    const double theirs = count / (whole ? peer.whole : peer.seconds).median;
    out["value"] = rate.median, out["lowest"] = rate.lowest, out["highest"] = rate.highest;
    out["published"] = {
        {"value", theirs}, {"on", "QuickLife, bgolly, here"}, {"ratio", rate.median / theirs}};
  }

 private:
  struct Process {
    Spread seconds;
    std::int64_t memory = 0;
  };

  std::unique_ptr<Universe> make() {
    auto universe = std::make_unique<Universe>(
        c_.rule, [this](const BackendSpec& spec) { return c_.kernel.create(spec, c_.tuning); }, 0,
        SpaceChoice::tiles);
    place_start(start_, *universe);
    return universe;
  }

  // As many as QuickLife's whole process does in program_seconds_, roughly.
  std::int64_t generations_of_peer() {
    for (std::int64_t count = 1024;;) {
      const double begin = clock_.now();
      run_bgolly_once(file_, c_.rule.rule, count);
      const double took = clock_.now() - begin;
      const double wanted = static_cast<double>(count) * program_seconds_ / took;
      // The estimate is good once it rests on a part of the time that is not too small.
      if (took > program_seconds_ / 8 || count >= kMostGenerations) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, kMostGenerations);
      }
      count = std::min(count * 4, kMostGenerations);
    }
  }

  Process run_processes(std::int64_t generations) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    Process out;
    std::vector<double> taken;
    for (int i = 0; i < plan_.repeats; i++) {
      const double begin = clock_.now();
      const ChildResult result =
          run_child({self, "run", file_, "--gens", std::to_string(generations), "--backend",
                     c_.kernel.backend(), "--kernel", c_.kernel.info.name, "--threads", "1",
                     "--space", "tiles", "--quiet"});
      if (result.status != 0) throw FileError("run " + c_.row + ": " + result.messages);
      taken.push_back(clock_.now() - begin);
      out.memory = std::max(out.memory, result.peak_memory);
      if (taken.back() > plan_.hopeless_seconds) break;
    }
    out.seconds = spread_of(std::move(taken));
    return out;
  }

  static constexpr std::int64_t kMostGenerations = 1'000'000'000;

  const BenchCase& c_;
  const Clock& clock_;
  TimingPlan plan_;
  double program_seconds_ = 0;
  ScratchFolder folder_;
  std::string file_ = folder_.file("start.rle");
  Start start_;
};

}  // namespace

void put_beside(Json& out, const BenchCase& c, const BenchPlan& plan, const Clock& clock) {
  if (const auto why = bgolly_unsupported(c.rule)) throw FileError(*why);
  Beside(c, plan, clock).put(out);
}

}  // namespace tessera
