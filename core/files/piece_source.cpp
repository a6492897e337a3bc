#include "core/files/piece_source.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::int64_t kBandWords = std::int64_t{1} << 18;

}  // namespace

Bands::Bands(const Rect& rect)
    : rect_(rect),
      rows_(std::max<std::int64_t>(1, kBandWords / ceil_div(rect.width, 64))),
      columns_(std::min(rect.width, kBandWords * 64)),
      across_(ceil_div(rect.width, columns_)) {}

Rect Bands::at(std::int64_t i) const {
  const std::int64_t x = i % across_ * columns_, y = i / across_ * rows_;
  return {rect_.x + x, rect_.y + y, std::min(columns_, rect_.width - x),
          std::min(rows_, rect_.height - y)};
}

std::optional<Piece> BandSource::next() {
  if (next_ == bands_.count()) return std::nullopt;
  const Rect band = bands_.at(next_++);
  return Piece{{band.x, band.y}, read_(band)};
}

}  // namespace tessera
