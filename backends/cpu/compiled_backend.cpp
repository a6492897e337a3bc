#include "backends/cpu/compiled_backend.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_tuning.h"

namespace tessera {
namespace {

// The gates of a first program are many or few; the shape depends little on it.
constexpr int kUsualGates = 14;

Tuning resolved(const BackendSpec& spec, const Tuning& tuning) {
  return strip_tuning(spec, StripWork::of_gates(kUsualGates, 1), tuning);
}

}  // namespace

KernelInfo CompiledBackend::kernel_info() {
  KernelInfo info{"compiled",
                  "any rule of two states as machine code of its own, made by Xbyak: vectors of "
                  "strips, several generations per pass, bands over threads",
                  strip_parameters()};
  info.any_rule = info.two_rules = true;
  return info;
}

std::optional<std::string> CompiledBackend::missing() { return StripCode::missing(strip_lanes()); }

std::int64_t CompiledBackend::bytes_needed(const BackendSpec& spec) {
  return StripGrid::bytes_needed(spec, resolved(spec, {}));
}

CompiledBackend::CompiledBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                                 std::int64_t patience)
    : StepBackend(spec,
                  [&] {
                    info.tuning = resolved(spec, tuning);
                    return std::move(info);
                  }()),
      programs_(spec, patience) {
  compile();
  grid_.emplace(spec, this->info().tuning);
}

void CompiledBackend::compile() {
  for (const bool odd : {false, true})
    codes_[odd] = StripCode::of(programs_.of(odd), strip_lanes());
}

std::int64_t CompiledBackend::work_of_generation() const {
  const int gates = std::max(programs_.of(false).cost(), programs_.of(true).cost());
  return ceil_div(spec().width * spec().height, std::int64_t{64}) * gates;
}

void CompiledBackend::do_step(std::int64_t generations) {
  bool odd = begins_odd();
  while (generations > 0) {
    if (programs_.search_when_due()) compile();
    const std::int64_t work = work_of_generation();
    // Whole passes, and no more of them than are left before the search.
    const std::int64_t pass = info().tuning.generations;
    const std::int64_t due = programs_.patience() / work / pass * pass + pass;
    const std::int64_t count = std::min(generations, due);
    grid_->step(count, {spec().rule, {codes_[odd].get(), codes_[!odd].get()}});
    programs_.did(count * work);
    generations -= count;
    odd ^= count % 2 == 1;
  }
}

}  // namespace tessera
