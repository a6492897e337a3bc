#include "apps/tessera/bench/bench_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/batches.h"
#include "backends/drivers.h"
#include "backends/tuning/tunings.h"
#include "core/cells/state_hash.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/grids_batch.h"

namespace tessera {
namespace {

constexpr std::int64_t kChecked = 64;      // universes
constexpr std::int64_t kGenerations = 33;  // that they are stepped

// Universes spread over the batch, each stepped alone: where they differ, or nothing.
std::string difference(Json& out, const BatchSpec& spec, const Soup& first, Batch& batch) {
  const auto judge = make_factory("cpu:0", "word", {})(spec.each);
  batch.fill(first);
  batch.step(1);
  batch.step(kGenerations - 1);
  const std::vector<Survey> found = batch.survey(kWholeSurvey);
  const std::int64_t count = std::min(kChecked, spec.universes);
  std::uint64_t hash = 0;
  for (std::int64_t i = 0; i < count; i++) {
    const std::int64_t universe = count == 1 ? 0 : i * (spec.universes - 1) / (count - 1);
    Soup soup = first;
    soup.seed += static_cast<std::uint64_t>(universe);
    judge->fill(soup);
    judge->step(kGenerations);
    const Survey own = judge->survey(kWholeSurvey);
    if (own != found[static_cast<std::size_t>(universe)]) {
      return fmt::format("universe {} differs from cpu:0 kernel word at generation {}", universe,
                         kGenerations);
    }
    hash += own.hash;
  }
  out["verified"] = {{"by", fmt::format("cpu:0 kernel word, {} universes", count)},
                     {"generations", kGenerations},
                     {"hash", hash_text(hash)}};
  return "";
}

Measurement measure(const Steps& steps, const std::string& backend, const BackendInfo& info,
                    double cells, const BenchPlan& plan, const Clock& clock) {
  Measurement m;
  m.backend = backend;
  m.info = info;
  m.generations = generations_within(steps, plan.run_seconds, 0, clock);
  m.cells = cells * static_cast<double>(m.generations);
  m.timing =
      time_runs(timed_steps(steps, m.generations), {1, plan.repeats, plan.max_seconds}, clock);
  return m;
}

}  // namespace

void put_batch(Json& out, const BenchCase& c, const BenchPlan& plan, DeviceFacts& facts,
               const Clock& clock) {
  const std::int64_t a_side = c.grid_side / c.rule.width;
  const BatchSpec spec{a_side * a_side, backend_spec(c.rule)};
  const std::unique_ptr<Batch> batch = make_batch(c.kernel.backend(), "auto", spec, {});
  if (batch->info().packing == GridsBatch::kPacking) {
    out["skipped"] =
        fmt::format("the {} backend steps universes one after the other", c.kernel.driver->name());
    return;
  }
  if (const std::string where = difference(out, spec, plan.soup, *batch); !where.empty()) {
    out["refused"] = where;
    return;
  }
  RuleSpec whole = c.rule;
  whole.width = whole.height = c.grid_side;
  const BackendSpec grid_spec = backend_spec(whole);
  const double cells = static_cast<double>(c.grid_side) * static_cast<double>(c.grid_side);
  const ChosenTuning tuned = Tunings().complete(c.kernel, grid_spec, {});
  const std::unique_ptr<StepBackend> grid = c.kernel.create(grid_spec, tuned.tuning);
  grid->fill(plan.soup);
  const double rate = measure(*grid, c.kernel.backend(), grid->info(), cells, plan, clock)
                          .cells_per_second()
                          .median;
  batch->fill(plan.soup);
  Measurement m = measure(*batch, c.kernel.backend(), batch->info().by, cells, plan, clock);
  m.ceiling = facts.cells(c.kernel, c.rule);
  const Spread own = m.cells_per_second();
  out["value"] = own.median;
  out["lowest"] = own.lowest;
  out["highest"] = own.highest;
  out["published"] = {
      {"value", rate}, {"on", "one grid of as many cells, here"}, {"ratio", own.median / rate}};
  out.update(json_of(m));
  out["universes"] = spec.universes;
  out["packing"] = batch->info().packing;
  out["tuned_by"] = to_string(TunedBy::own_choice);
}

}  // namespace tessera
