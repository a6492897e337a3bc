// word: one generation, one word of 32 cells an invocation, straight from memory. Needs nothing but Vulkan itself.
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
  uint x[3], m[3], centre;
  for (uint r = 0; r < 3; r++) {
    const uint row = y + MARGIN - 1 + r;
    const uint before = window(c - 1, row), cells = window(c, row), after = window(c + 1, row);
    x[r] = code_xor(before, cells, after);
    m[r] = code_maj(before, cells, after);
    if (r == 1) centre = cells;
  }
  const uint cells = next_word(x[0], m[0], x[1], m[1], centre, x[2], m[2]);
  store(column * p.stride, int(y), cells & owned(column));
}
