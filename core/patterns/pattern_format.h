#pragma once

namespace tessera {

/// File formats of patterns. The content decides when reading, the suffix when writing. MCell's is
/// read and not written.
enum class PatternFormat { rle, cells, life105, life106, macrocell, mcell };

/// Whether cells of more than two states can be written so.
constexpr bool holds_states(PatternFormat format) {
  return format == PatternFormat::rle || format == PatternFormat::macrocell;
}

}  // namespace tessera
