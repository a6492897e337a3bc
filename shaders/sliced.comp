// sliced: a batch of universes of any size, a universe in every bit of a word, so that neighbours
// are neighbouring words and nothing is shifted. An invocation steps some rows of a column of
// words, from memory to memory: one generation a dispatch.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "rule.glsl"

layout(push_constant) uniform Push { BatchParams p; };
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own { uint cells[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out { uint next[]; };

layout(constant_id = TESSERA_SPEC_PLANE) const uint PLANE = 0;

// Row y, from -1 to height, of columns j - 1 to j + 1; `base` is the lane's word 0 of the tile.
uvec3 row_of(uint base, int y, uint j) {
  const int height = int(p.height);
  if (PLANE != 0 && (y < 0 || y >= height)) return uvec3(0);
  const uint row = base + uint(y < 0 ? height - 1 : y >= height ? 0 : y) * p.width * p.all_lanes;
  const bool first = j == 0, last = j + 1 == p.width;
  uvec3 words = uvec3(0, cells[row + j * p.all_lanes], 0);
  if (PLANE == 0 || !first) words.x = cells[row + (first ? p.width - 1 : j - 1) * p.all_lanes];
  if (PLANE == 0 || !last) words.z = cells[row + (last ? 0 : j + 1) * p.all_lanes];
  return words;
}
uvec2 codes_of(uvec3 row) {
  return uvec2(tessera_xor3(row.x, row.y, row.z), tessera_maj3(row.x, row.y, row.z));
}

void main() {
  const uint n = (p.first + workgroup()) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (n >= p.items || p.first + workgroup() >= p.end) return;
  const uint parts = (p.height + TESSERA_BATCH_SLICED_ROWS - 1) / TESSERA_BATCH_SLICED_ROWS;
  const uint lane = n % p.all_lanes, column = n / p.all_lanes, j = column % p.width;
  const uint begin = column / p.width % parts * TESSERA_BATCH_SLICED_ROWS, tile = column / p.width / parts;
  const uint end = min(begin + TESSERA_BATCH_SLICED_ROWS, p.height);
  const uint base = tile * p.height * p.width * p.all_lanes + lane;
  uvec3 here = row_of(base, int(begin), j);
  uvec2 a = codes_of(row_of(base, int(begin) - 1, j)), b = codes_of(here);
  for (uint y = begin; y < end; y++) {
    const uvec3 below = row_of(base, int(y) + 1, j);
    const uvec2 c = codes_of(below);
    next[base + (y * p.width + j) * p.all_lanes] = next_word(a.x, a.y, b.x, b.y, here.x, here.y, here.z, c.x, c.y);
    a = b;
    b = c;
    here = below;
  }
}
