#pragma once

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "core/base/geometry.h"
#include "core/cells/cell_runs.h"

namespace tessera {

// What the writer and the readers of checkpoints share; checkpoint.h describes the format.

inline constexpr std::string_view kCheckpointMagic = "\x89TSR\r\n\x1a\n";
inline constexpr std::uint32_t kCheckpointVersion = 2;
/// Bytes of the header.
inline constexpr std::uint32_t kMaxCheckpointText = 65536;

/// Bytes of a section SHRD.
inline constexpr std::uint32_t kMaxShardText = std::uint32_t{1} << 24;

inline constexpr std::string_view kPlaneSection = "PLNE";
inline constexpr std::string_view kShardSection = "SHRD";
inline constexpr std::string_view kEndSection = "END.";

/// Words of a piece before its cells: x, y, and width | height << 32.
inline constexpr std::size_t kPlaceWords = 3;
/// The most words that the frame of a section unpacks to: those of one of the largest Bands.
inline constexpr std::size_t kMaxBatchWords = (std::size_t{1} << 18) + kPlaceWords;

/// XXH3-64 of everything added so far.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* data, std::size_t bytes) { XXH3_64bits_update(state_.get(), data, bytes); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

template <class Unsigned>
std::array<unsigned char, sizeof(Unsigned)> little_endian(Unsigned value) {
  std::array<unsigned char, sizeof(Unsigned)> bytes;
  for (std::size_t i = 0; i < bytes.size(); i++) {
    bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  }
  return bytes;
}

/// Converts words between this machine's byte order and the file's, in both directions.
inline void swap_unless_little_endian(std::span<std::uint64_t> words) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint64_t& word : words) word = __builtin_bswap64(word);
  }
}

/// True when `size` > 0 cells from `at` on lie among the `all` > 0 cells from `first` on; no number
/// overflows, whatever a file says.
inline bool lies_within(std::int64_t at, std::int64_t size, std::int64_t first, std::int64_t all) {
  if (at < first || size < 1) return false;
  const std::uint64_t before = static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(first);
  return before < static_cast<std::uint64_t>(all) &&
         static_cast<std::uint64_t>(size) <= static_cast<std::uint64_t>(all) - before;
}

inline bool lies_within(const Rect& rect, const Rect& extent) {
  return lies_within(rect.x, rect.width, extent.x, extent.width) &&
         lies_within(rect.y, rect.height, extent.y, extent.height);
}

/// True for an extent whose coordinates and sides are within 2^62, so that no sum of them
/// overflows.
inline bool is_near_enough(const Rect& extent) {
  constexpr std::int64_t kMost = kMaxCoordinate;
  const auto side = [](std::int64_t at, std::int64_t size) {
    return at >= -kMost && at <= kMost && size >= 1 && size <= kMost &&
           (at <= 0 || size - 1 <= kMost - at);
  };
  return side(extent.x, extent.width) && side(extent.y, extent.height);
}

}  // namespace tessera
