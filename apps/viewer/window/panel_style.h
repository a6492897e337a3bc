#pragma once

#include "apps/common/theme.h"

namespace tessera {

/// Sets the panel's style; needs an ImGui context. `scale` is that of fonts and distances.
void dress_panel(Theme theme, float scale);

}  // namespace tessera
