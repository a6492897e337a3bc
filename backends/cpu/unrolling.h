#pragma once

/// For sources that Highway compiles once for every instruction set. Loops over what lives in
/// registers must be unrolled (TESSERA_UNROLL), and the functions with them be in line
/// (TESSERA_INLINE). With sanitizers, the checks in so many copies would take minutes to compile,
/// so nothing is unrolled there.
#if defined(TESSERA_SMALL_CODE)
#define TESSERA_UNROLL
#define TESSERA_INLINE HWY_NOINLINE
#elif defined(__clang__)
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_INLINE HWY_INLINE
#else
#define TESSERA_UNROLL _Pragma("GCC unroll 16")
#define TESSERA_INLINE HWY_INLINE
#endif
