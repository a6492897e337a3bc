#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "core/tiles/state_store.h"

namespace tessera {

/// The planes of tiles' states under rules of more than two states, by the numbers of a StateStore,
/// which has the cells that are live in any of them. Each is kWords words in the store's order.
class StatePlanes {
 public:
  static constexpr std::size_t kWords = StateStore::kWords;

  explicit StatePlanes(int planes) : planes_(static_cast<std::size_t>(planes)) {}

  /// Room for the states below `end`; state 0 is empty. Throws std::bad_alloc.
  void reserve(std::size_t end);
  std::uint64_t* words(TileState state) {
    return chunks_[state / kPerChunk].get() + state % kPerChunk * planes_ * kWords;
  }
  const std::uint64_t* words(TileState state) const {
    return chunks_[state / kPerChunk].get() + state % kPerChunk * planes_ * kWords;
  }
  std::int64_t bytes() const {
    return std::ssize(chunks_) * static_cast<std::int64_t>(kPerChunk * planes_ * kWords * 8);
  }

 private:
  static constexpr std::size_t kPerChunk = 256;

  std::size_t planes_;
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
};

}  // namespace tessera
