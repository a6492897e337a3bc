// reduce: population, bounding box or state hash of a chunk. Every workgroup leaves one result of four words in the
// transfer buffer; the host adds them up.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "transfer.glsl"
#include "wide.glsl"

layout(constant_id = TESSERA_SPEC_REDUCE) const uint REDUCE = TESSERA_REDUCE_POPULATION;

shared uvec4 partial[gl_WorkGroupSize.x];

// Population and hash: a sum in x and y. Bounds: xmin, ymin, xmax, ymax.
uvec4 combine(uvec4 a, uvec4 b) {
  if (REDUCE == TESSERA_REDUCE_BOUNDS) return uvec4(min(a.xy, b.xy), max(a.zw, b.zw));
  return uvec4(wide_add(a.xy, b.xy), 0, 0);
}

uvec4 of_word(uint column, uint y) {
  const uint cells = own[column * p.stride + row_at(y + MARGIN, p.stride)];
  if (REDUCE == TESSERA_REDUCE_POPULATION) return uvec4(bitCount(cells), 0, 0, 0);
  if (cells == 0) return uvec4(~0u, ~0u, 0, 0);
  const uint x = column / W * MACRO + column % W;
  return uvec4(x + (findLSB(cells) - M) * W, y, x + (findMSB(cells) - M) * W, y);
}

uvec4 of_canonical(uint column, uint y) {
  const uvec2 cells = uvec2(canonical(column * 64, y), canonical(column * 64 + 32, y));
  if (cells == uvec2(0)) return uvec4(0);
  const uvec2 key = wide_mix(uvec2(p.key_row + y, p.key_column + column));
  return uvec4(wide_mix(cells ^ key), 0, 0);
}

void main() {
  uvec4 sum = uvec4(0);
  if (REDUCE == TESSERA_REDUCE_BOUNDS) sum.xy = uvec2(~0u);
  const uint columns =
      REDUCE == TESSERA_REDUCE_HASH ? (p.width + 63) / 64 : (p.width + MACRO - 1) / MACRO * W;
  // Rows run fastest; a thread keeps to its row block so that no index needs 64 bits.
  const uint first = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint total = columns * p.height;
  for (uint i = first; i < total; i += p.items) {
    const uint column = i / p.height, y = i % p.height;
    sum = combine(sum, REDUCE == TESSERA_REDUCE_HASH ? of_canonical(column, y) : of_word(column, y));
    if (total - i <= p.items) break;
  }
  const uint me = gl_LocalInvocationID.x;
  partial[me] = sum;
  for (uint half_size = gl_WorkGroupSize.x / 2; half_size > 0; half_size /= 2) {
    memoryBarrierShared();
    barrier();
    if (me < half_size) partial[me] = combine(partial[me], partial[me + half_size]);
  }
  if (me != 0) return;
  const uint at = 4 * (p.first_bit + workgroup());
  transfer[at] = partial[0].x;
  transfer[at + 1] = partial[0].y;
  transfer[at + 2] = partial[0].z;
  transfer[at + 3] = partial[0].w;
}
