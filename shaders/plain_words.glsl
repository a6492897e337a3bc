// Plain words of 32 cells each, for the kernels without strips. To be included after
// neighbours.glsl.

// The cell of column x, which may lie in a neighbour; `row` is a row in memory.
uint cell(int x, uint row) {
  if (x < 0) {
    if (!has_west()) return 0;
    const uint at = column_in_west(x);
    return west[(at >> 5) * p.stride + row] >> (at & 31) & 1;
  }
  if (uint(x) >= p.width) {
    if (!has_east()) return 0;
    const uint at = column_in_east(x);
    return east[(at >> 5) * p.stride + row] >> (at & 31) & 1;
  }
  return own[(uint(x) >> 5) * p.stride + row] >> (uint(x) & 31) & 1;
}

// The 32 cells that begin at column 32 c, in the chunk or its surroundings.
uint window(int c, uint row) {
  const int x = c * 32;
  if (x >= 0 && x + 32 <= int(p.width)) return own[uint(c) * p.stride + row];
  uint cells = 0;
  for (int i = 0; i < 32; i++) cells |= cell(x + i, row) << i;
  return cells;
}

// The bits of that word that may be alive: on a plane those inside the grid, otherwise all.
uint living(int c) {
  if (PLANE == 0) return ~0u;
  if (c < 0) return has_west() ? ~0u : 0;
  const uint x = uint(c) * 32;
  if (has_east() || x + 32 <= p.width) return ~0u;
  return x >= p.width ? 0 : (1u << (p.width - x)) - 1;
}

// The bits of word c that are cells of this chunk.
uint owned(uint c) { return c * 32 + 32 <= p.width ? ~0u : (1u << (p.width - c * 32)) - 1; }

// The cells one column to the west and to the east of word x.
uint to_west(uint west_word, uint x) { return x << 1 | west_word >> 31; }
uint to_east(uint x, uint east_word) { return x >> 1 | east_word << 31; }
