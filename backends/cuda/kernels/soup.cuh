// The words of a soup (core/cells/soup.h).
#ifndef TESSERA_SOUP_CUH
#define TESSERA_SOUP_CUH

#include "kernel_params.h"

namespace tessera::cuda {

__device__ __forceinline__ u64 mix(u64 z) {
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

// Word `index`; the padding is not cleared.
__device__ __forceinline__ u64 soup_word(u64 index, u64 seed, u32 density) {
  u64 cells = density >= 65536 ? ~0ull : 0;
  if (density > 0 && density < 65536) {
    for (int bit = __ffs((int)density) - 1; bit < 16; bit++) {
      const u64 w =
          mix(seed + (u64)(15 - bit) * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull);
      cells = density >> bit & 1 ? cells | w : cells & w;
    }
  }
  return cells;
}

}  // namespace tessera::cuda

#endif
