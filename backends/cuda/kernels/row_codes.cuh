// What the next state of a word needs of each of three rows, under any rule of two states: codes of
// a row of words and its neighbours, made once for the three rows that read them. Where two rules
// take turns, kTurn says which of them is meant.
#ifndef TESSERA_ROW_CODES_CUH
#define TESSERA_ROW_CODES_CUH

#include "gates.cuh"

#if TESSERA_PROGRAM
struct RowCodes {
  unsigned int word[3 + TESSERA_CODES];
};
__device__ __forceinline__ RowCodes codes_of(unsigned int left, unsigned int centre,
                                             unsigned int right) {
  RowCodes row;
  row.word[0] = left, row.word[1] = centre, row.word[2] = right;
  tessera_codes(row.word);
  return row;
}
// What lives after a generation of turn 0 or 1, and what that reads of the rows above and below.
template <int kTurn>
struct Turn {
#if TESSERA_TURNS == 2
  static __device__ constexpr bool above(int n) {
    return kTurn == 1 ? TESSERA_ODD_ABOVE(n) : TESSERA_ABOVE(n);
  }
  static __device__ constexpr bool below(int n) {
    return kTurn == 1 ? TESSERA_ODD_BELOW(n) : TESSERA_BELOW(n);
  }
#else
  static __device__ constexpr bool above(int n) { return TESSERA_ABOVE(n); }
  static __device__ constexpr bool below(int n) { return TESSERA_BELOW(n); }
#endif
  static __device__ __forceinline__ unsigned int lives(const RowCodes& above, const RowCodes& here,
                                                       const RowCodes& below) {
#if TESSERA_TURNS == 2
    if constexpr (kTurn == 1) return tessera_odd_program(above.word, here.word, below.word);
#endif
    return tessera_program(above.word, here.word, below.word);
  }
};
// From the row above, the word's own with the word itself, and the row below.
template <int kTurn = 0>
__device__ __forceinline__ unsigned int next_of(const RowCodes& a, const RowCodes& b, unsigned int,
                                                const RowCodes& c) {
  return Turn<kTurn>::lives(a, b, c);
}
// Those of the lane before, and of the lane after.
template <int kTurn = 0>
__device__ __forceinline__ RowCodes codes_above(const RowCodes& row) {
  RowCodes above;
#pragma unroll
  for (int n = 0; n < 3 + TESSERA_CODES; n++)
    above.word[n] = Turn<kTurn>::above(n) ? __shfl_up_sync(~0u, row.word[n], 1) : 0;
  return above;
}
template <int kTurn = 0>
__device__ __forceinline__ RowCodes codes_below(const RowCodes& row) {
  RowCodes below;
#pragma unroll
  for (int n = 0; n < 3 + TESSERA_CODES; n++)
    below.word[n] = Turn<kTurn>::below(n) ? __shfl_down_sync(~0u, row.word[n], 1) : 0;
  return below;
}
#else
struct RowCodes {
  unsigned int x, m;
};
__device__ __forceinline__ RowCodes codes_of(unsigned int left, unsigned int centre,
                                             unsigned int right) {
  return {tessera_xor3(left, centre, right), tessera_maj3(left, centre, right)};
}
template <int kTurn = 0>
__device__ __forceinline__ unsigned int next_of(const RowCodes& a, const RowCodes& b,
                                                unsigned int centre, const RowCodes& c) {
  return tessera_next(a.x, a.m, b.x, b.m, centre, c.x, c.m);
}
template <int kTurn = 0>
__device__ __forceinline__ RowCodes codes_above(const RowCodes& row) {
  return {__shfl_up_sync(~0u, row.x, 1), __shfl_up_sync(~0u, row.m, 1)};
}
template <int kTurn = 0>
__device__ __forceinline__ RowCodes codes_below(const RowCodes& row) {
  return {__shfl_down_sync(~0u, row.x, 1), __shfl_down_sync(~0u, row.m, 1)};
}
#endif

#endif
