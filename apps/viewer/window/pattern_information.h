#pragma once

#include "apps/viewer/simulation/status.h"

namespace tessera {

/// Tells in the window of Dear ImGui that is open what is known of the pattern that was opened:
/// name, author, size, rule, period, comments.
void draw_pattern_information(const Status& status);

}  // namespace tessera
