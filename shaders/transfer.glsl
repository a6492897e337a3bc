// Moving and reducing cells: the chunk, and the transfer buffer that the host shares.

layout(push_constant) uniform Push { CellsParams p; };
layout(binding = TESSERA_BIND_OWN, std430) buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

// 32 cells of row y from column x rightwards, dead beyond the chunk's width.
uint canonical(uint x, uint y) {
  if (x >= p.width) return 0;
  const uint row = row_at(y + MARGIN, p.stride);
  if (BITS == 32 && x % 32 == 0) return own[(x >> 5) * p.stride + row];
  uint cells = 0;
  const uint count = min(32, p.width - x);
  uint macro = x / MACRO, bit = x % MACRO / W + M, j = x % MACRO % W;
  for (uint i = 0; i < count; i++) {
    cells |= (own[(macro * W + j) * p.stride + row] >> bit & 1) << i;
    if (++j < W) continue;
    j = 0;
    if (++bit < BITS + M) continue;
    bit = M;
    macro++;
  }
  return cells;
}
