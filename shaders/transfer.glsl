// Moving and reducing cells: the chunk, and the transfer buffer that the host shares.

layout(push_constant) uniform Push { CellsParams p; };
layout(binding = TESSERA_BIND_OWN, std430) buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_TABLES, std430) readonly buffer Tables { uint tables[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

#include "bit_planes.glsl"
layout(constant_id = TESSERA_SPEC_STATE_PLANES) const uint STATE_PLANES = 1;

// Cells of one bit plane, which begins at word `plane`: 32 of row y from column x rightwards, dead
// beyond the chunk's width.
uint canonical_of(uint plane, uint x, uint y) {
  if (x >= p.width) return 0;
  const uint row = row_at(y + MARGIN, p.stride);
  if (W == 1 && BITS == 32 && x % 32 == 0) return own[plane + (x >> 5) * p.stride + row];
  uint cells = 0;
  const uint count = min(32, p.width - x);
  uint macro = x / MACRO, bit = x % MACRO / W + M, j = x % MACRO % W;
  for (uint i = 0; i < count; i++) {
    cells |= (own[plane + (macro * W + j) * p.stride + row] >> bit & 1) << i;
    if (++j < W) continue;
    j = 0;
    if (++bit < BITS + M) continue;
    bit = M;
    macro++;
  }
  return cells;
}

// The planes of the states of these 32 cells.
uint[TESSERA_MOST_STATE_PLANES] canonical(uint x, uint y) {
  uint states[TESSERA_MOST_STATE_PLANES] = uint[](0, 0, 0, 0, 0, 0, 0, 0);
  if (BIT_PLANES == 1) {
    states[0] = canonical_of(0, x, y);
    return states;
  }
  uint codes[BIT_PLANES];
  for (uint n = 0; n < BIT_PLANES; n++) codes[n] = canonical_of(n * p.bit_plane, x, y);
  for (uint i = 0; i < 32; i++) {
    uint code = 0;
    for (uint n = 0; n < BIT_PLANES; n++) code |= (codes[n] >> i & 1) << n;
    const uint state = tables[(1 << STATE_PLANES) + code];
    for (uint n = 0; n < STATE_PLANES; n++) states[n] |= (state >> n & 1) << i;
  }
  return states;
}
