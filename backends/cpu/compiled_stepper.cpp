#include "backends/cpu/compiled_stepper.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/machine_code.h"
#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_tuning.h"

namespace tessera {
namespace {

// Up to two more than bits of a state, where there is more than one.
int most_planes(const Rule& rule) { return rule.states() == 2 ? 1 : rule.planes() + 2; }

Tuning resolved(const BackendSpec& spec, const Tuning& tuning) {
  return strip_tuning(spec,
                      StripWork::of_gates(StripWork::kUsualGates,
                                          spec.rule.states() == 2 ? 1 : spec.rule.planes() + 1),
                      tuning);
}

}  // namespace

std::optional<std::string> CompiledStepper::missing() {
  return missing_machine_code(strip_lanes());
}

std::int64_t CompiledStepper::bytes_needed(const BackendSpec& spec) {
  return StripGrid::bytes_needed(spec, resolved(spec, {}), most_planes(spec.rule));
}

BackendInfo CompiledStepper::tuned(BackendInfo info, const BackendSpec& spec,
                                   const Tuning& tuning) {
  info.tuning = resolved(spec, tuning);
  return info;
}

CompiledStepper::CompiledStepper(const BackendSpec& spec, const Tuning& tuning,
                                 std::int64_t patience)
    : words_(ceil_div(spec.width * spec.height, std::int64_t{64})),
      pass_(tuning.generations),
      rule_(spec.rule),
      programs_(spec, patience),
      moves_(programs_.of(false)) {
  grid_.emplace(spec, tuning, moves_.planes());
  compile();
}

void CompiledStepper::compile() {
  for (const bool odd : {false, true})
    codes_[odd] = StripCode::of(programs_.of(odd), strip_lanes(), grid_->closing());
}

std::int64_t CompiledStepper::work_of_generation() const {
  return words_ * std::max(programs_.of(false).cost(), programs_.of(true).cost());
}

void CompiledStepper::step(std::int64_t generations, bool odd) {
  while (generations > 0) {
    if (programs_.search_when_due()) compile();
    const std::int64_t work = work_of_generation();
    const std::int64_t count = grid_->step(
        programs_.generations_until_then(generations, work, pass_),
        {rule_, {codes_[odd].get(), codes_[!odd].get()}, moves_.planes() > 1 ? &moves_ : nullptr});
    programs_.did(count * work);
    generations -= count;
    odd ^= count % 2 == 1;
  }
}

}  // namespace tessera
