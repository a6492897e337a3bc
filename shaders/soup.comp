// soup: writes rows of canonical words, which core/cells/soup.h defines, to the transfer buffer, one
// plane of states behind the other. One 64-bit word of cells per invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "wide.glsl"

layout(push_constant) uniform Push { SoupParams p; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Transfer { uvec2 transfer[]; };

layout(constant_id = TESSERA_SPEC_STATE_PLANES) const uint STATE_PLANES = 1;
const uvec2 STREAM = uvec2(0xDE82EF95u, 0xD1342543u), PLACE = uvec2(0x7F4A7C15u, 0x9E3779B9u);

// The words of that stream and number, both from 0 on.
uvec2 drawn(uint stream, uvec2 index) {
  const uvec2 seed = wide_add(uvec2(p.seed_low, p.seed_high), wide_multiply(uvec2(stream, 0), STREAM));
  return wide_mix(wide_add(seed, wide_multiply(wide_add(index, uvec2(1, 0)), PLACE)));
}

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (id >= p.words * p.rows) return;
  const uint y = id / p.words, i = id % p.words;
  uvec2 index = wide_add(uvec2(p.index_low, p.index_high), uvec2(i, 0));
  index = wide_add(index, wide_multiply(uvec2(y, 0), uvec2(p.grid_words_low, p.grid_words_high)));
  uvec2 cells = uvec2(p.density >> 16 != 0 ? ~0u : 0);
  for (int bit = findLSB(p.density); bit < 16; bit++) {
    const uvec2 word = drawn(15 - bit, index);
    cells = (p.density >> bit & 1) != 0 ? cells | word : cells & word;
  }
  if (STATE_PLANES == 1 || p.states == 2) {
    transfer[id] = cells;
    for (uint n = 1; n < STATE_PLANES; n++) transfer[n * p.words * p.rows + id] = uvec2(0);
    return;
  }
  uvec2 states[STATE_PLANES];
  for (uint n = 0; n < STATE_PLANES; n++) states[n] = uvec2(0);
  for (uint bit = 0; bit < 64; bit++) {
    const uvec2 mask = bit < 32 ? uvec2(1u << bit, 0) : uvec2(0, 1u << (bit - 32));
    if ((cells & mask) == uvec2(0)) continue;
    const uvec2 cell = wide_add(wide_multiply(index, uvec2(64, 0)), uvec2(bit, 0));
    uint above, rest;
    umulExtended(p.states - 1, drawn(16, cell).y, above, rest);
    for (uint n = 0; n < STATE_PLANES; n++) states[n] |= (1 + above >> n & 1) != 0 ? mask : uvec2(0);
  }
  for (uint n = 0; n < STATE_PLANES; n++) transfer[n * p.words * p.rows + id] = states[n];
}
