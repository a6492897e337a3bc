#include "apps/tessera/run/frame_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::int64_t kUsualSide = 1920;
constexpr std::int64_t kPlaneSide = 1024;
constexpr std::int64_t kMaxFrame = std::int64_t{1} << 14;  // what video encoders take

// A stretch of at least 1024 cells around the middle of low .. high.
std::pair<std::int64_t, std::int64_t> stretch(std::int64_t low, std::int64_t high) {
  const std::int64_t size = std::max(kPlaneSide, (high - low + 1) / 2 * 3);
  return {floor_div(low + high, 2) - size / 2, size};
}

}  // namespace

FrameView choose_view(const std::string& view, const std::string& scale, const RuleSpec& rule,
                      const std::optional<Bounds>& start) {
  FrameView out;
  const Rect universe = rule.cells();
  if (!view.empty()) {
    out.cells = parse_rect("--view", view);
    if (rule.has_edges() && !universe.contains(out.cells)) {
      std::string message =
          fmt::format("--view {}: it must lie inside the universe {}", view, to_string(rule));
      if (rule.bounded())
        message += fmt::format(", which is {},{},{}x{}", universe.x, universe.y, universe.width,
                               universe.height);
      throw InputError(message);
    }
  } else if (rule.bounded()) {
    out.cells = universe;
  } else {
    const Bounds box = start.value_or(Bounds{});
    const auto [x, width] = stretch(box.xmin, box.xmax);
    const auto [y, height] = stretch(box.ymin, box.ymax);
    out.cells = Rect{x, y, width, height}.common(universe);
  }
  if (!scale.empty()) {
    out.scale = parse_scale("--scale", scale);
  } else {
    out.scale.cells = ceil_div(std::max(out.cells.width, out.cells.height), kUsualSide);
  }
  // Divided rather than multiplied, which could overflow.
  const std::int64_t most = kMaxFrame / out.scale.pixels;
  if (ceil_div(out.cells.width, out.scale.cells) > most ||
      ceil_div(out.cells.height, out.scale.cells) > most) {
    throw InputError(
        fmt::format("--scale {}: {}x{} cells would make frames of more than {} pixels per side; "
                    "--scale {} or more is accepted",
                    scale, out.cells.width, out.cells.height, kMaxFrame,
                    ceil_div(std::max(out.cells.width, out.cells.height), kMaxFrame)));
  }
  return out;
}

}  // namespace tessera
