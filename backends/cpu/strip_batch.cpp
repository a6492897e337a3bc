#include "backends/cpu/strip_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

#include "backends/cpu/compiled_stepper.h"
#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_tuning.h"
#include "backends/cpu/usable_threads.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"

namespace tessera {
namespace {

StripWork work_of(const Rule& rule, bool compiled) {
  return compiled ? StripWork::of_gates(StripWork::kUsualGates, 1) : StripWork::of(rule);
}

const char* packing_of(StripTenants tenants) {
  switch (tenants) {
    case StripTenants::one:
      return "a universe in all lanes of a vector";
    case StripTenants::lanes:
      return "a universe in every lane of a vector";
    default:
      return "a universe in every bit of a vector";
  }
}

}  // namespace

StripBatch::Plan StripBatch::plan(const BatchSpec& spec, const Tuning& tuning, bool compiled,
                                  std::optional<StripTenants> tenants) {
  const int threads = usable_threads(tuning);
  std::optional<Plan> best;
  for (const StripTenants each : {StripTenants::bits, StripTenants::lanes, StripTenants::one}) {
    if (tenants && each != *tenants) continue;
    Plan next;
    next.tenants = each;
    next.per_grid = StripLayout::universes(strip_lanes(), each);
    next.grids = ceil_div(spec.universes, next.per_grid);
    // Few large universes are stepped one after the other by all threads.
    const bool share = each == StripTenants::one && next.grids < threads;
    next.threads = share ? 1 : static_cast<int>(std::min<std::int64_t>(threads, next.grids));
    next.tuning = tuning;
    next.tuning.threads = share ? threads : 1;
    const StripPlan shape =
        strip_plan_here(spec.each, work_of(spec.each.rule, compiled), next.tuning, each);
    next.tuning.generations = shape.generations;
    next.tuning.rows = shape.rows;
    next.tuning.group = shape.segments;
    next.nanoseconds =
        shape.nanoseconds * static_cast<double>(ceil_div(next.grids, std::int64_t{next.threads}));
    if (!best || next.nanoseconds < best->nanoseconds) best = next;
  }
  return *best;
}

std::optional<std::string> StripBatch::unsupported(const BatchSpec& spec, bool compiled) {
  const BackendSpec& each = spec.each;
  if (each.rule.states() > 2) return "steps batches under rules of two states alone";
  if (each.rule.ranged()) return "steps no batches under rules of longer range";
  if (each.rule.from_file()) return "steps no batches under rules of rule files";
  if (each.odd_rule) return "steps no batches under two rules in turns";
  if (!each.plain_edges()) return "steps batches of tori and bounded planes alone";
  if (!compiled && !each.rule.outer_totalistic())
    return "steps batches under rules that count eight neighbours alone";
  if (compiled) return CompiledStepper::missing();
  return std::nullopt;
}

std::int64_t StripBatch::bytes_needed(const BatchSpec& spec, const Plan& plan) {
  const std::int64_t one = StripGrid::bytes_needed(spec.each, plan.tuning, 1, plan.tenants);
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return one > kMost / plan.grids ? kMost : one * plan.grids;
}

StripBatch::StripBatch(const BatchSpec& spec, BackendInfo info, const Plan& plan, bool compiled)
    : Batch(spec,
            [&] {
              info.tuning = plan.tuning;
              info.tuning.threads = std::max(plan.threads, plan.tuning.threads);
              return BatchInfo{std::move(info), packing_of(plan.tenants)};
            }()),
      plan_(plan) {
  if (const auto why = unsupported(spec, compiled))
    throw UnsupportedError("the kernel " + this->info().by.kernel + " of cpu " + *why);
  const std::int64_t needed = bytes_needed(spec, plan), limit = spec.each.max_memory;
  if (limit > 0 && needed > limit) {
    throw UnsupportedError(fmt::format("{} universes of {}x{} cells need {}; {} is the limit",
                                       spec.universes, spec.each.width, spec.each.height,
                                       memory_text(needed), memory_text(limit)));
  }
  if (compiled) programs_.emplace(spec.each, CompiledStepper::kPatience);
  grids_.reserve(static_cast<std::size_t>(plan.grids));
  for (std::int64_t i = 0; i < plan.grids; i++)
    grids_.emplace_back(spec.each, plan.tuning, 1, plan.tenants);
  if (compiled) compile();
}

void StripBatch::compile() {
  code_ = StripCode::of(programs_->of(false), strip_lanes(), grids_.front().closing());
}

std::int64_t StripBatch::count_of(std::size_t grid) const {
  return std::min(plan_.per_grid, universes() - first_of(grid));
}

// Buffers are taken one by one, because those of the last universes may be emptier.
void StripBatch::for_each_grid(const std::function<void(std::size_t)>& task) {
  if (plan_.threads == 1) {
    for (std::size_t i = 0; i < grids_.size(); i++) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failed;
  const auto work = [&](int) {
    try {
      for (std::size_t i = next++; i < grids_.size(); i = next++) task(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
      next = grids_.size();
    }
  };
  if (!crew_) crew_ = std::make_unique<Crew>(plan_.threads);
  crew_->gather([&] { crew_->share(plan_.threads, work); });
  if (failed) std::rethrow_exception(failed);
}

void StripBatch::do_load(const CellsOf& cells) {
  for_each_grid([&](std::size_t grid) { load_grid(grid, cells); });
}

void StripBatch::load_grid(std::size_t grid, const CellsOf& cells) {
  StripGrid& to = grids_[grid];
  const std::int64_t first = first_of(grid), count = count_of(grid);
  const std::int64_t height = spec().each.height,
                     words = ceil_div(spec().each.width, std::int64_t{64});
  if (plan_.tenants != StripTenants::bits) {
    for (std::int64_t i = 0; i < count; i++)
      to.edit({0, i * height}, checked(cells, first + i).plane(0));
    return;
  }
  for (std::int64_t lane = 0; 64 * lane < count; lane++) {
    std::vector<CellGrid> universes;
    for (std::int64_t i = 64 * lane; i < std::min(count, 64 * lane + 64); i++)
      universes.push_back(checked(cells, first + i));
    for (std::int64_t y = 0; y < height; y++) {
      for (std::int64_t i = 0; i < words; i++) {
        BitBlock block{};
        for (std::size_t b = 0; b < universes.size(); b++)
          block[b] = universes[b].plane(0).row(y)[i];
        to.set_block(static_cast<int>(lane), y, i, block);
      }
    }
  }
}

void StripBatch::do_step(std::int64_t generations, bool) {
  while (generations > 0) {
    std::int64_t count = generations;
    if (programs_) {
      if (programs_->search_when_due()) compile();
      const BackendSpec& each = spec().each;
      const std::int64_t work = universes() * ceil_div(each.width * each.height, std::int64_t{64}) *
                                programs_->of(false).cost();
      count = programs_->generations_until_then(count, work, plan_.tuning.generations);
      programs_->did(count * work);
    }
    const StripRules rules{spec().each.rule, {code_.get(), code_.get()}};
    for_each_grid([&](std::size_t grid) { grids_[grid].step(count, rules); });
    generations -= count;
  }
}

CellGrid StripBatch::do_download(std::int64_t universe) {
  const BackendSpec& each = spec().each;
  const StripGrid& from = grids_[static_cast<std::size_t>(universe / plan_.per_grid)];
  const std::int64_t i = universe % plan_.per_grid;
  if (plan_.tenants != StripTenants::bits)
    return from.download({0, i * each.height, each.width, each.height});
  BitGrid out(each.width, each.height);
  for (std::int64_t y = 0; y < each.height; y++) {
    for (std::int64_t j = 0; j < out.words_per_row(); j++)
      out.row(y)[j] = from.block(static_cast<int>(i / 64), y, j)[i % 64];
  }
  return out;
}

std::vector<Survey> StripBatch::do_survey(SurveyParts parts) {
  std::vector<Survey> out(static_cast<std::size_t>(universes()));
  for_each_grid([&](std::size_t grid) { survey_grid(grid, parts, out); });
  return out;
}

void StripBatch::survey_grid(std::size_t grid, SurveyParts parts, std::vector<Survey>& out) const {
  const StripGrid& from = grids_[grid];
  const BackendSpec& each = spec().each;
  const std::int64_t count = count_of(grid), words = ceil_div(each.width, std::int64_t{64});
  Survey* const found = out.data() + first_of(grid);
  if (plan_.tenants != StripTenants::bits) {
    for (std::int64_t i = 0; i < count; i++) {
      const std::int64_t top = i * each.height;
      found[i] = from.survey({0, top, each.width, each.height}, parts, 0, -top);
      if (found[i].bounds) found[i].bounds = found[i].bounds->shifted(0, -top);
    }
    return;
  }
  for (std::int64_t lane = 0; 64 * lane < count; lane++) {
    const std::int64_t own = std::min<std::int64_t>(64, count - 64 * lane);
    for (std::int64_t y = 0; y < each.height; y++) {
      for (std::int64_t j = 0; j < words; j++) {
        const BitBlock block = from.block(static_cast<int>(lane), y, j);
        for (std::int64_t b = 0; b < own; b++)
          survey_word(found[64 * lane + b], parts, block[b], 64 * j, y, j, y);
      }
    }
  }
}

}  // namespace tessera
