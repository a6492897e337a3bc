// export: writes a rectangle of cells, which begins at a multiple of 32 columns, as canonical words
// to the transfer buffer, one plane of states behind the other.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "transfer.glsl"

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint y = id % p.rows, word = id / p.rows;
  if (word * 32 >= p.columns) return;
  const uint states[TESSERA_MOST_STATE_PLANES] = canonical(p.x + word * 32, p.y + y);
  const uint left = p.columns - word * 32, inside = left < 32 ? (1u << left) - 1 : ~0u;
  const uint to = y * p.row_words + (p.first_bit >> 5) + word;
  for (uint n = 0; n < STATE_PLANES; n++)
    transfer[n * p.rows * p.row_words + to] = states[n] & inside;
}
