#include "core/patterns/state_runs.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tessera {

void append_run(Pattern& pattern, const StateRun& run) {
  std::vector<CellRuns>& planes = pattern.planes;
  if (run.state > 1 && planes.empty()) planes.push_back(pattern.cells);
  if (!planes.empty()) {
    const auto needed = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(run.state)));
    if (planes.size() < needed) planes.resize(needed);
    for (std::size_t p = 0; p < planes.size(); p++) {
      if (run.state >> p & 1) planes[p].append(run.x, run.y, run.length);
    }
  }
  pattern.cells.append(run.x, run.y, run.length);
}

StateRuns::StateRuns(const CellRuns& live, std::span<const CellRuns> planes)
    : live_(live.reader()) {
  rest_ = live_.next();
  for (const CellRuns& plane : planes) {
    planes_.push_back({plane.reader(), {}});
    planes_.back().run = planes_.back().reader.next();
  }
}

std::optional<StateRun> StateRuns::next() {
  if (!rest_) return std::nullopt;
  StateRun out{rest_->x, rest_->y, rest_->length, planes_.empty() ? 1 : 0};
  for (std::size_t p = 0; p < planes_.size(); p++) {
    std::optional<CellRun>& run = planes_[p].run;
    while (run && (run->y < out.y || (run->y == out.y && run->x + run->length <= out.x)))
      run = planes_[p].reader.next();
    if (!run || run->y != out.y) continue;
    // Up to where this plane changes.
    if (run->x <= out.x) {
      out.state |= 1 << p;
      out.length = std::min(out.length, run->x + run->length - out.x);
    } else {
      out.length = std::min(out.length, run->x - out.x);
    }
  }
  rest_->x += out.length;
  rest_->length -= out.length;
  if (rest_->length == 0) rest_ = live_.next();
  return out;
}

}  // namespace tessera
