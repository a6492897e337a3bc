// soup: writes rows of canonical words, which core/cells/soup.h defines, to the transfer buffer.
// One 64-bit word per invocation.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "wide.glsl"

layout(push_constant) uniform Push { SoupParams p; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Transfer { uvec2 transfer[]; };

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (id >= p.words * p.rows) return;
  const uint y = id / p.words, i = id % p.words;
  uvec2 index = wide_add(uvec2(p.index_low, p.index_high), uvec2(i + 1, 0));
  index = wide_add(index, wide_multiply(uvec2(y, 0), uvec2(p.grid_words_low, p.grid_words_high)));
  const uvec2 place = wide_multiply(index, uvec2(0x7F4A7C15u, 0x9E3779B9u));
  uvec2 cells = uvec2(0);
  for (int bit = findLSB(p.density); bit < 16; bit++) {
    const uvec2 stream = wide_multiply(uvec2(15 - bit, 0), uvec2(0xDE82EF95u, 0xD1342543u));
    const uvec2 seed = wide_add(uvec2(p.seed_low, p.seed_high), stream);
    const uvec2 word = wide_mix(wide_add(seed, place));
    cells = (p.density >> bit & 1) != 0 ? cells | word : cells & word;
  }
  transfer[id] = cells;
}
