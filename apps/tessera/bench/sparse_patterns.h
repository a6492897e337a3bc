#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/patterns/pattern.h"

namespace tessera {

/// A pattern on the infinite plane under Life, to be timed beside QuickLife.
struct SparsePattern {
  std::string name;
  std::function<Pattern()> read;  ///< throws what read_pattern does
  std::int64_t generations = 0;   ///< 0: as many as QuickLife does in a while
  std::int64_t population = -1;   ///< then, as others have counted it; -1: unknown
  double floor = 0;               ///< times QuickLife's speed, with AVX-512; 0: none
};

/// Patterns by name. Some are Golly's: `golly` is its pattern folder.
std::vector<SparsePattern> sparse_patterns(const std::string& golly);

/// All Life patterns on the infinite plane as RLE under the folder Life of Golly's pattern folder
/// but those above. Throws InputError when there is no such folder, and what read_pattern does.
std::vector<SparsePattern> golly_patterns(const std::string& golly);

}  // namespace tessera
