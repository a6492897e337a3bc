#pragma once

#include <optional>
#include <string>

#include "apps/common/frame_painter.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// Evaluates --view and --scale (empty: not given). The default view is the whole of a bounded
/// universe, and on the infinite plane 1024x1024 cells around the middle of `start`, or more so
/// that it holds `start` with a quarter of its size all round. The default scale is the smallest
/// that needs at most 1920 pixels per side. Throws InputError for a view outside a bounded
/// universe, and for frames of more than 2^14 pixels per side.
FrameView choose_view(const std::string& view, const std::string& scale, const RuleSpec& rule,
                      const std::optional<Bounds>& start);

}  // namespace tessera
