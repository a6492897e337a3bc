#pragma once

#include <span>

namespace tessera::cuda {

/// A kernel's source or a header of one, as it stands in the source tree; written into the program
/// by CMake.
struct EmbeddedSource {
  const char* name;  ///< file name alone, as the sources include it
  const char* text;
};

std::span<const EmbeddedSource> embedded_sources();

}  // namespace tessera::cuda
