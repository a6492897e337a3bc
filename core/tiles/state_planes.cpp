#include "core/tiles/state_planes.h"

#include <algorithm>

namespace tessera {

void StatePlanes::reserve(std::size_t end) {
  const std::size_t words = kPerChunk * planes_ * kWords;
  while (chunks_.size() * kPerChunk < end) {
    chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(words));
    if (chunks_.size() == 1) std::fill_n(chunks_.front().get(), planes_ * kWords, 0);
  }
}

}  // namespace tessera
