// word: one generation, one word of 32 cells per invocation, directly from memory. Needs only
// Vulkan itself.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "neighbours.glsl"
#include "rule.glsl"
#include "plain_words.glsl"

void main() {
  const uint tile = p.first_tile + workgroup();
  if (tile >= p.end_tile) return;
  const uint y = tile / p.columns * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (y >= p.height) return;
  const uint column = tile % p.columns;
  const int c = int(column);
  uint x[3], m[3], l, centre, r;
  for (uint i = 0; i < 3; i++) {
    const uint row = y + MARGIN - 1 + i;
    const uint cells = window(c, row);
    const uint before = to_west(window(c - 1, row), cells), after = to_east(cells, window(c + 1, row));
    x[i] = tessera_xor3(before, cells, after);
    m[i] = tessera_maj3(before, cells, after);
    if (i == 1) l = before, centre = cells, r = after;
  }
  const uint cells = next_word(x[0], m[0], x[1], m[1], l, centre, r, x[2], m[2]);
  store(column * p.stride, int(y), cells & owned(column));
}
