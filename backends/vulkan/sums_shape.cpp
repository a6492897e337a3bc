#include "backends/vulkan/sums_shape.h"

#include <algorithm>
#include <limits>

#include "backends/vulkan/shaping.h"
#include "backends/vulkan/sums_rule.h"
#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

// Invocations that keep a device busy; those that hold lines of cells wait less, and fewer fit at
// once. Instructions of one, so that a dispatch of few is short, too. Vulkan does not tell how many
// units a device has: these are an H100's.
constexpr std::int64_t kBusy = 250'000, kBusyWithLines = 65'536, kBusySoftware = 64;
constexpr double kMostWork = 2e7;
constexpr std::int64_t kLeastWalk = 4;
// Of an invocation's work, before its first word: on an H100 Bosco's rule at 65536^2 made 4.46e12
// cells/s with walks of 16 words, 4.19e12 with 32 and 3.94e12 with 128, but with lines 6.53e12,
// 6.44e12 and, of 64, 6.56e12.
constexpr double kFirstShare = 0.125, kFirstShareOfLines = 0.08;
// With eight, which are compiled for twice as long, Bosco's rule takes 1.4 times as long on an
// H100.
constexpr std::uint32_t kRows = 4;
// Rounds of all loops of an invocation, after which lavapipe ends them.
constexpr std::int64_t kMostRounds = 65'000;
// Instructions of 32 cells under Life's rule: what submission_cells expects.
constexpr double kLifeWork = 12;

}  // namespace

KernelShape sums_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning) {
  KernelShape shape;
  shape.sums_rule = std::make_shared<const SumsRule>(*spec.rule.range);
  const SumsRule& rule = *shape.sums_rule;
  shape.kernel = "sums";
  shape.group_size = std::min(128u, gpu.max_group_size);
  shape.tiles_per_group = shape.group_size;
  shape.rows = or_else(tuning.rows, kRows);
  shape.planes = shape.rows;
  shape.words = static_cast<std::uint32_t>(ceil_div(spec.width, 32));
  const std::uint32_t radius = static_cast<std::uint32_t>(spec.rule.range->radius);
  shape.before = radius + 1;
  shape.behind = radius;
  shape.margin = (radius + 1 + 63) / 64 * 64;  // whole sectors of memory in every plane
  shape.tile_rows = shape.rows;
  shape.halo_rows = std::int64_t{shape.margin} + radius;
  shape.places = rule.place_count(shape.rows);
  set_planes(spec, shape);

  const double first = rule.first_work(shape.rows), each = rule.word_work(shape.rows);
  std::int64_t longest = shape.words;  // walk
  if (gpu.software()) {
    const LoopRounds rounds = rule.loop_rounds(shape.rows);
    longest = std::min(longest, (kMostRounds - rounds.first) / rounds.word);
    if (longest < 1) {
      cannot(gpu, shape,
             "a neighbourhood of that range and shape takes longer loops than an emulated device "
             "runs");
    }
  }
  const bool lines = rule.has_lines();
  const std::int64_t busy = gpu.software() ? kBusySoftware : lines ? kBusyWithLines : kBusy;
  const double share = lines ? kFirstShareOfLines : kFirstShare;
  const std::int64_t rows = ceil_div(spec.height, shape.tile_rows), words = shape.words;
  const auto paying = static_cast<std::int64_t>(first / each * (1 / share - 1));
  const auto within = static_cast<std::int64_t>((kMostWork - first) / each);
  const std::int64_t most =
      std::clamp<std::int64_t>(std::min(within, std::max(kLeastWalk, paying)), 1, longest);
  std::int64_t walk = most;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t parts = ceil_div(words, most);
       parts <= ceil_div(words, std::min(kLeastWalk, most)); parts += 1 + parts / 8) {
    const std::int64_t now = ceil_div(words, parts);
    const double cost = static_cast<double>(std::max(rows * ceil_div(words, now), busy)) *
                        (first + each * static_cast<double>(now));
    if (cost >= least) continue;
    least = cost;
    walk = now;
  }
  if (tuning.words) walk = std::min<std::int64_t>(tuning.words, longest);
  shape.tile_columns = 32 * walk;
  shape.slowness =
      (first / static_cast<double>(walk) + each) / static_cast<double>(shape.rows) / kLifeWork;
  shape.tuning = {0, static_cast<int>(shape.rows), static_cast<int>(walk), 0, 0};
  return shape;
}

}  // namespace tessera::vulkan
