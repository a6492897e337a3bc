#pragma once

#include <cmath>
#include <cstdint>

namespace tessera {

/// How far from the colour of dead cells (0) to that of live ones (1) a pixel of a grey, as
/// density_grey has it, is drawn. Every picture in colours goes by it, in the window and in files.
/// The square root brightens thin soups; and a pixel with a single live cell among millions is
/// drawn no darker than kLeastShare, so that it can be seen.
inline constexpr double kLeastShare = 0.3;
inline double visible_share(std::uint8_t grey) {
  return grey == 0 ? 0 : kLeastShare + (1 - kLeastShare) * std::sqrt(grey / 255.0);
}

}  // namespace tessera
