#pragma once

#include <span>

namespace tessera::cuda {

/// The source of a kernel or of a header, as in the source tree; CMake embeds it in the program.
struct EmbeddedSource {
  const char* name;  ///< file name alone, as the sources include it
  const char* text;
};

std::span<const EmbeddedSource> embedded_sources();

}  // namespace tessera::cuda
