#include "backends/cpu/strip_plan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace tessera {

namespace {

// Nanoseconds on a core of about 4 GHz with 512-bit vectors, fitted to 500 shapes of grids from
// 300 x 300 to 4101 x 4101 cells. Only their ratios matter.
constexpr double kLanesMeet = 0.4;  // extra, where segments of a row meet in other lanes
constexpr double kUnequal = 0.4;    // extra, where strips differ in length
constexpr double kGroup = 9;        // a generation of a group
constexpr double kMargin = 0.3;     // a vector of the margin
constexpr double kPass = 150;       // a pass
// A pass on several awake threads: they take their tasks and are waited for.
constexpr double kShare = 4000;
constexpr double kTask = 200;
constexpr double kSharedMargin = 25;  // a vector of the margin that comes from another core
constexpr double kHanded = 8;         // a vector that a task leaves for another, or takes

// What something costs that takes up to so many bytes.
struct Level {
  std::int64_t bytes;
  double cost;
};
// Nanoseconds for a vector read and written once in a pass: in a core's own caches, in the shared
// cache, in memory.
constexpr Level kLevels[] = {
    {std::int64_t{3} << 18, 1.6}, {std::int64_t{3} << 19, 4.3}, {std::int64_t{1} << 24, 6}};
constexpr double kMemory = 12;

// Rows that a pass keeps between groups stay within this many bytes, so that they come from the L2
// cache.
constexpr std::int64_t kStateBytes = 768 * 1024;
// Groups of more bytes are not in the L1 cache from one generation to the next, and cost more.
constexpr Level kGroups[] = {{48 * 1024, 1}, {128 * 1024, 1.1}};
constexpr double kLargeGroup = 1.15;
// With several planes, a group of plane 0 stays within this many bytes, and one of all planes
// within so many where it has more than 16 rows: most of it is in the L1 cache then, too.
constexpr std::int64_t kGroupBytes = 40 * 1024, kPlanesBytes = 60 * 1024;
constexpr int kPlanesRows = 16;
constexpr int kFewRows = 8;  // that a group has in any case

double cost_of(std::int64_t bytes, std::span<const Level> levels, double beyond) {
  for (const Level& level : levels) {
    if (bytes <= level.bytes) return level.cost;
  }
  return beyond;
}

std::int64_t group_bytes(const StripLayout& layout, int rows) {
  return rows * layout.stride * layout.lanes * 8;
}

double vector_transfer(const StripLayout& layout, int planes) {
  return planes * cost_of(planes * 2 * 8 * layout.buffer_words(), kLevels, kMemory);
}

double row_cost(const StripLayout& layout, const StripWork& work) {
  const auto words = static_cast<double>(layout.words);
  double cost = words * work.vector + work.row;
  if (layout.segments > 1) cost += kLanesMeet;
  if (layout.long_strips < layout.strips()) cost += kUnequal;
  return cost;
}

// Nanoseconds of a pass. Tasks with fewer rows than generations would wait for each other in each
// of these.
double pass_cost(const StripLayout& layout, int generations, int rows, int tasks,
                 const StripWork& work = {}) {
  const std::int64_t own = ceil_div(layout.band_rows, tasks);
  if (tasks > 1 && own < generations) return std::numeric_limits<double>::infinity();
  const auto words = static_cast<double>(layout.words), count = static_cast<double>(generations);
  // Together, the triangles above the first and below the last task cost about as much as one full
  // height.
  const double computed = static_cast<double>(own) + count / tasks;
  const auto touched = static_cast<double>(own + 2 * generations);
  const auto groups = static_cast<double>(ceil_div(own + 2 * generations, rows));
  double steps = computed * row_cost(layout, work) + groups * (kGroup + words * work.kept);
  steps *= cost_of(group_bytes(layout, rows), kGroups, kLargeGroup);
  const double margins = 2 * count * (words + 2) * (tasks > 1 ? kSharedMargin : kMargin);
  // Two rows of each generation are left for the task above, two are taken from the one below.
  const double handed = 4 * count * (words + 2) * kHanded;
  const double sharing = tasks > 1 ? kShare + tasks * kTask + handed : 0;
  return kPass + count * steps + touched * words * vector_transfer(layout, work.planes) + margins +
         sharing;
}

// Numbers of tasks worth comparing: each up to 16, then every eighth of a power of two, and `most`.
int next_tasks(int tasks, int most) {
  const auto step = static_cast<int>(std::bit_floor(static_cast<unsigned>(tasks)) / 8);
  return tasks < most ? std::min(most, tasks + std::max(1, step)) : most + 1;
}

// The `candidates` that a tuning leaves open.
std::vector<int> open(int fixed, const std::vector<int>& candidates) {
  return fixed > 0 ? std::vector<int>{fixed} : candidates;
}

bool fits(const StripLayout& layout, int generations, int rows, int planes, const Tuning& tuning) {
  const std::int64_t group = group_bytes(layout, rows);
  const bool large =
      planes > 1 && (group > kGroupBytes || (rows > kPlanesRows && planes * group > kPlanesBytes));
  if (tuning.rows == 0 && (rows < kFewRows || (rows > kFewRows && large))) return false;
  const std::int64_t state = layout.words * layout.lanes * 8 * 2 * generations;
  return tuning.generations > 0 || generations <= 4 || state <= kStateBytes;
}

}  // namespace

const std::vector<int>& strip_generations() {
  static const std::vector<int> kValues{1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96};
  return kValues;
}

const std::vector<int>& strip_rows() {
  static const std::vector<int> kValues{4, 8, 16, 24, 32, 48, 64};
  return kValues;
}

int plan_tasks(const StripLayout& layout, int generations, int rows, int threads) {
  const auto most = static_cast<int>(std::min<std::int64_t>(threads, layout.band_rows));
  int best = 1;
  double best_cost = pass_cost(layout, generations, rows, 1);
  for (int tasks = 2; tasks <= most; tasks = next_tasks(tasks, most)) {
    const double cost = pass_cost(layout, generations, rows, tasks);
    if (cost < best_cost) best = tasks, best_cost = cost;
  }
  return best;
}

// As StripGrid steps them.
double band_nanoseconds(const BackendSpec& spec, const StripWork& work, int lanes,
                        const Tuning& tuning, std::int64_t generations) {
  const StripLayout all = StripLayout::of(spec, lanes, tuning.group, tuning.generations);
  const std::int64_t below = spec.halo_rows - spec.halo_above;
  double sum = 0;
  for (std::int64_t done = 0; done < generations;) {
    const std::int64_t now = std::min<std::int64_t>(tuning.generations, generations - done);
    done += now;
    StripLayout stepped = all;
    if (all.bands == 1)
      stepped.band_rows -= std::min(spec.halo_above, done) + std::min(below, done);
    const auto depth = static_cast<int>(now);
    const int tasks = plan_tasks(stepped, depth, tuning.rows, tuning.threads);
    sum += pass_cost(stepped, depth, tuning.rows, tasks, work);
  }
  return sum;
}

StripWork StripWork::of(const Rule& rule) {
  return rule == kLife ? StripWork{} : StripWork{2.4, 1.3, 7, 1};
}

// A group's first two rows load and compute functions of rows without an output.
StripWork StripWork::of_gates(int gates, int planes) {
  return {0.2 + 0.18 * gates + 0.3 * (planes - 1), 1.3, 5, planes};
}

StripPlan plan_strips(const BackendSpec& spec, const StripWork& work, int lanes,
                      const Tuning& tuning, StripTenants tenants) {
  std::vector<int> segments;
  for (int s = 1; s <= (tenants == StripTenants::one ? lanes : 1); s *= 2) segments.push_back(s);
  StripPlan best;
  bool found = false;
  for (const int segment : open(tuning.group, segments)) {
    for (const int generations : open(tuning.generations, strip_generations())) {
      const StripLayout layout = StripLayout::of(spec, lanes, segment, generations, tenants);
      for (const int rows : open(tuning.rows, strip_rows())) {
        if (!fits(layout, generations, rows, work.planes, tuning)) continue;
        const int tasks = plan_tasks(layout, generations, rows, tuning.threads);
        const double cost = pass_cost(layout, generations, rows, tasks, work) / generations;
        if (found && cost >= best.nanoseconds) continue;
        found = true;
        best = {segment, generations, rows, cost};
      }
    }
  }
  return best;
}

}  // namespace tessera
