// import: replaces a rectangle of cells by canonical words from the transfer buffer. One word of
// the chunk per invocation; rows run fastest.
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
  uint cells = own[at];
  for (uint b = 0; b < BITS; b++) {
    const uint column = x0 + b * W - p.x;  // wraps to a large number left of the rectangle
    if (column >= p.columns) continue;
    const uint from = column + p.first_bit;
    const uint alive = transfer[y * p.row_words + (from >> 5)] >> (from & 31) & 1;
    cells = cells & ~(1u << (b + M)) | alive << (b + M);
  }
  own[at] = cells;
}
