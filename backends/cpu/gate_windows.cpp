// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time. Most loops over words are left to the compiler.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/gate_windows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "backends/cpu/gate_windows.h"
#include "backends/cpu/moving_planes.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint64_t, 8>;

// A window is a block of eight words a side to a program: the rows above and below are the words a
// block's row before and behind.
constexpr int kRow = 8;
static_assert(kRow * kRow == kWindowWords);

// A plane of a window. (Compilers make of a loop an instruction that takes long to begin.)
HWY_INLINE void copy_window(const std::uint64_t* from, std::uint64_t* to) {
  const Tag d;
  for (std::size_t i = 0; i < kWindowWords; i += hn::Lanes(d)) {
    hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  }
}

}  // namespace

// Cells by a plan, from and to the planes of a window.
void run_plan(const GatePlan& plan, std::uint64_t* scratch, const WindowPlanes& planes) {
  std::uint64_t* const left = scratch;
  std::uint64_t* const middle = scratch + plan.stride;
  std::uint64_t* const right = scratch + 2 * plan.stride;
  const std::uint64_t* const cells = planes.now[0];
  copy_window(cells, middle + kRow);
  // Row 8 i - 1 is above row 8 i, and row 8 i + 8 below row 8 i + 7.
  middle[0] = middle[kWindowWords + 2 * kRow - 1] = 0;
  for (int i = 1; i < kRow; i++) middle[i] = cells[kWindowWords - kRow + i - 1];
  for (int i = 0; i + 1 < kRow; i++) middle[kWindowWords + kRow + i] = cells[i + 1];
  constexpr std::int64_t kInner = kWindowWords, kOuter = kWindowWords + 2 * kRow;
  for (std::int64_t i = 0; i < kOuter; i++) left[i] = middle[i] << 1;
  for (std::int64_t i = 0; i < kOuter; i++) right[i] = middle[i] >> 1;
  for (const GatePlan::Place& in : plan.in) {
    copy_window(planes.now[static_cast<std::size_t>(in.plane)], scratch + in.at);
  }
  for (const GatePlan::Step& step : plan.steps) {
    step.function(scratch + step.in[0], scratch + step.in[1], scratch + step.in[2],
                  scratch + step.out, step.of_rows ? kOuter : kInner);
  }
  for (std::size_t i = 0; i < plan.out.size(); i++) {
    copy_window(scratch + plan.out[i].at, planes.spare[i]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(run_plan);

GateWindows::GateWindows(const RulePrograms& programs) : programs_(programs) {
  constexpr int kSide = 8;
  for (int odd = 0; odd <= static_cast<int>(programs.alternate()); odd++)
    plans_.emplace_back(programs.of(odd != 0), kSide, kSide, true);
}

std::size_t GateWindows::scratch_words() const {
  const std::int64_t words =
      std::max(plans_.front().scratch_words(), plans_.back().scratch_words());
  return (static_cast<std::size_t>(words) + 7) / 8 * 8;
}

void GateWindows::step(bool odd, std::uint64_t* scratch, WindowPlanes& planes) const {
  HWY_DYNAMIC_DISPATCH(run_plan)(odd ? plans_.back() : plans_.front(), scratch, planes);
  advance_planes<std::uint64_t*>(programs_.of(odd), planes.now, planes.spare);
}

}  // namespace tessera
#endif
