// import: replaces a rectangle of cells by canonical words from the transfer buffer, one plane of
// states behind the other. One word of the chunk per invocation, with its bit planes; rows run
// fastest.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "transfer.glsl"

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint first_macro = p.x / MACRO, last_macro = (p.x + p.columns - 1) / MACRO;
  const uint y = id % p.rows, word = id / p.rows;
  if (word >= (last_macro - first_macro + 1) * W) return;
  const uint x0 = (first_macro + word / W) * MACRO + word % W;
  const uint at = (first_macro * W + word) * p.stride + row_at(p.y + y + MARGIN, p.stride);
  uint cells[BIT_PLANES];
  for (uint n = 0; n < BIT_PLANES; n++) cells[n] = own[at + n * p.bit_plane];
  for (uint b = 0; b < BITS; b++) {
    const uint column = x0 + b * W - p.x;  // wraps to a large number left of the rectangle
    if (column >= p.columns) continue;
    const uint from = column + p.first_bit;
    uint state = 0;
    for (uint n = 0; n < STATE_PLANES; n++) {
      const uint word = transfer[(n * p.rows + y) * p.row_words + (from >> 5)];
      state |= (word >> (from & 31) & 1) << n;
    }
    const uint code = BIT_PLANES == 1 ? state : tables[state];
    for (uint n = 0; n < BIT_PLANES; n++)
      cells[n] = cells[n] & ~(1u << (b + M)) | (code >> n & 1) << (b + M);
  }
  for (uint n = 0; n < BIT_PLANES; n++) own[at + n * p.bit_plane] = cells[n];
}
