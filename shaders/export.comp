// export: writes a rectangle of cells, which begins at a multiple of 32 columns, as canonical words
// to the transfer buffer.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "transfer.glsl"

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint y = id % p.rows, word = id / p.rows;
  if (word * 32 >= p.columns) return;
  uint cells = canonical(p.x + word * 32, p.y + y);
  const uint left = p.columns - word * 32;
  if (left < 32) cells &= (1u << left) - 1;
  transfer[y * p.row_words + (p.first_bit >> 5) + word] = cells;
}
