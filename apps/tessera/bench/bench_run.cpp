#include "apps/tessera/bench/bench_run.h"

#include <algorithm>

#include "apps/measure/check.h"
#include "apps/tessera/bench/bench_batch.h"
#include "apps/tessera/bench/bench_beside.h"
#include "backends/tuning/tunings.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "core/pictures/density_image.h"

namespace tessera {
namespace {

// What a program shows on a usual screen.
constexpr std::int64_t kShownWidth = 1920, kShownHeight = 1080;
constexpr int kFrames = 100;

BackendSpec spec_of(const RuleSpec& rule) {
  return {rule.width, rule.height, Boundary::torus, rule.rule, 0};
}

double cells_of(const RuleSpec& rule) {
  return static_cast<double>(rule.width) * static_cast<double>(rule.height);
}

// The spread of a case's figure; of times per generation the least is the best.
void put_value(Json& out, BenchUnit unit, const Spread& per_generation, double cells) {
  const auto value = [&](double seconds) { return in_unit(unit, seconds, cells); };
  const double a = value(per_generation.lowest), b = value(per_generation.highest);
  out["value"] = value(per_generation.median);
  out["lowest"] = std::min(a, b);
  out["highest"] = std::max(a, b);
}

void put_published(Json& out, const BenchCase& c) {
  out["published"] = nullptr;
  if (c.published <= 0) return;
  const double value = out["value"].get<double>();
  out["published"] = {{"value", c.published},
                      {"on", c.published_on},
                      {"ratio", is_rate(c.unit) ? value / c.published : c.published / value}};
}

Spread scaled(const Spread& spread, double factor) {
  Spread out{spread.median * factor, spread.lowest * factor, spread.highest * factor, spread.runs};
  for (double& run : out.runs) run *= factor;
  return out;
}

void time_steps(Json& out, const BenchCase& c, StepBackend& backend, const BenchPlan& plan,
                DeviceFacts& facts, const Clock& clock) {
  Measurement m{c.kernel.backend(), backend.info(), 0, 0, {}, facts.cells(c.kernel, c.rule)};
  m.generations = generations_within(backend, plan.run_seconds, 0, clock);
  m.cells = cells_of(c.rule) * static_cast<double>(m.generations);
  m.timing =
      time_runs(timed_steps(backend, m.generations), {1, plan.repeats, plan.max_seconds}, clock);
  put_value(out, c.unit, scaled(m.timing.seconds(), 1 / static_cast<double>(m.generations)),
            cells_of(c.rule));
  put_published(out, c);
  out.update(json_of(m));
}

// One generation at a time, copied out and drawn; the parts are timed separately in the same
// frames.
void time_frames(Json& out, const BenchCase& c, StepBackend& backend, const Clock& clock) {
  std::vector<double> whole, step, copy;
  DensityImage image;
  const Rect shown{0, 0, std::min(kShownWidth, c.rule.width),
                   std::min(kShownHeight, c.rule.height)};
  const auto frame = [&](bool counts) {
    const double begin = clock.now();
    backend.step(1);
    backend.synchronize();
    const double stepped = clock.now();
    const CellGrid cells = backend.download();
    const double copied = clock.now();
    backend.view(shown, 1, image);
    const double drawn = clock.now();
    if (!counts) return;
    whole.push_back(drawn - begin), step.push_back(stepped - begin),
        copy.push_back(copied - stepped);
  };
  frame(false);
  double hundred = 0;
  for (int i = 0; i < kFrames; i++) {
    frame(true);
    hundred += whole.back();
  }
  const Spread frames = spread_of(whole);
  put_value(out, c.unit, frames, cells_of(c.rule));
  out["value"] = in_unit(c.unit, hundred / kFrames, cells_of(c.rule));
  put_published(out, c);
  out["backend"] = c.kernel.backend();
  out["device"] = backend.info().device;
  out["kernel"] = backend.info().kernel;
  out["tuning"] = json_of(backend.info().tuning);
  out["generations"] = kFrames;
  out["wall_seconds"] = json_of(frames);
  out["lowest_step_seconds"] = spread_of(step).lowest;
  out["lowest_copy_seconds"] = spread_of(copy).lowest;
  out["hundred_generations_seconds"] = hundred;
}

void put_ceiling(Json& out, const BenchCase& c, DeviceFacts& facts) {
  const std::optional<Ceiling> ceiling = facts.ceiling(c.kernel);
  if (!ceiling) {
    out["skipped"] =
        std::string("the ") + c.kernel.driver->name() + " backend does not know how to measure it";
    return;
  }
  const double cells = ceiling->gates / gates_of(kLife);
  out["value"] = out["lowest"] = out["highest"] = cells;
  out["published"] = nullptr;
  out["device"] = c.kernel.device.name;
  out["ceiling"] = json_of(ceiling);
}

void run(Json& out, const BenchCase& c, const BenchPlan& plan, DeviceFacts& facts,
         const Clock& clock) {
  facts.ceiling(c.kernel);  // for every case, because the report of a device includes its ceiling
  if (c.kind == BenchKind::ceiling) return put_ceiling(out, c, facts);
  if (c.kind == BenchKind::pattern || c.kind == BenchKind::program) {
    return put_beside(out, c, plan, clock);
  }
  if (c.kind == BenchKind::batch) return put_batch(out, c, plan, facts, clock);
  const std::string why =
      c.missing.empty() ? c.kernel.unsupported(spec_of(c.rule)).value_or("") : c.missing;
  if (!why.empty()) {
    out["skipped"] = why;
    return;
  }
  const ChosenTuning chosen = Tunings().complete(c.kernel, spec_of(c.rule), c.tuning);
  const Check check = check_candidate(c.kernel, chosen.tuning, c.rule, plan.soup);
  if (!check.difference.empty()) {
    out["refused"] = check.difference;
    return;
  }
  out["verified"] = {
      {"by", check.judge}, {"generations", check.generations}, {"hash", hash_text(check.hash)}};
  find_programs(c.rule);
  const std::unique_ptr<StepBackend> backend = c.kernel.create(spec_of(c.rule), chosen.tuning);
  backend->fill(plan.soup);
  if (c.kind == BenchKind::frames) {
    time_frames(out, c, *backend, clock);
  } else {
    time_steps(out, c, *backend, plan, facts, clock);
  }
  out["tuned_by"] = to_string(chosen.by);
}

}  // namespace

Json run_bench_case(const std::string& suite, const BenchCase& c, const BenchPlan& plan,
                    DeviceFacts& facts, const Clock& clock) {
  Json out{{"suite", suite},
           {"table", c.table},
           {"row", c.row},
           {"column", c.column},
           {"backend", c.kernel.backend()},
           {"kernel", c.kernel.info.name},
           {"rule", to_string(c.rule.rule)},
           {"width", c.rule.width},
           {"height", c.rule.height},
           {"unit", unit_text(c.unit)},
           {"rate", is_rate(c.unit)}};
  try {
    run(out, c, plan, facts, clock);
  } catch (const InputError& error) {
    out["skipped"] =
        error.what();  // a size, rule or tuning that the kernel or this device does not support
  } catch (const MemoryLimitError& error) {
    out["skipped"] = error.what();
  } catch (const FileError& error) {
    out["skipped"] = error.what();
  } catch (const DeviceError& error) {
    out["failed"] = error.what();
  }
  return out;
}

}  // namespace tessera
