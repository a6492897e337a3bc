// tile_copies: makes the tiles that repeat others anew where those have changed in this step, or
// all of them; they are told about as if they had been visited. A subgroup for each.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define TESSERA_STATES 1
#include "tiles.glsl"
#include "tile_window.glsl"

// Shifts of 0 .. 63 bits.
uvec2 shifted_right(uvec2 a, uint n) {
  if (n >= 32) return uvec2(a.y >> (n - 32), 0);
  return n == 0 ? a : uvec2(a.x >> n | a.y << (32 - n), a.y >> n);
}
uvec2 shifted_left(uvec2 a, uint n) {
  if (n >= 32) return uvec2(0, a.x << (n - 32));
  return n == 0 ? a : uvec2(a.x << n, a.y << n | a.x >> (32 - n));
}

// The cells of the tile's own row `row` in plane n that a part gives.
uvec2 repeated(uint part, uint row, uint n) {
  const uint tile = work[part], from_and_to = work[part + 1], size = work[part + 2];
  const uint from_x = from_and_to & 255, from_y = from_and_to >> 8 & 255;
  const uint x = from_and_to >> 16 & 255, y = from_and_to >> 24;
  const uint width = size & 255, height = size >> 8 & 255;
  if (row < y || row >= y + height) return uvec2(0);
  const uvec2 cells = shifted_right(after[IN_PLANE(tile * STATE_ROWS + row - y + from_y)], MARGIN + from_x);
  const uvec2 wanted = shifted_right(uvec2(~0u), 64 - width);
  return shifted_left(cells & wanted, MARGIN + x);
}

void main() {
  if (p.what == TESSERA_TILES_RENEW && stopped()) return;
  const uint at = place();
  if (at >= p.copies) return;
  const uint copies = TESSERA_WORK_LISTS + 4 * p.room, copy = copies + 3 * at;
  const uint tile = work[copy], record = TESSERA_TILE_WORDS * tile;
  const uint first = copies + 3 * p.copies + 3 * work[copy + 1], count = work[copy + 2];
  uint stale = uint(p.what == TESSERA_TILES_ALL);
  for (uint n = 0; n < count; n++) {
    const uint part = TESSERA_TILE_WORDS * work[first + 3 * n];
    stale |= uint(records[part + TESSERA_TILE_CHANGED] == p.step + 1);
  }
  if (stale == 0) return;
  uint ways = 0;
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    const uint row = row_of(i);
    if (!is_own(row)) continue;
    EACH_PLANE {
      uvec2 cells = uvec2(0);
      for (uint k = 0; k < count; k++) cells |= repeated(first + 3 * k, row - MARGIN, n);
      const uint place = IN_PLANE(place_of(tile, row));
      const uvec2 difference = cells ^ after[place];
      if (difference != uvec2(0)) after[place] = cells;
      ways |= ways_of(row, difference);
    }
  }
  ways = subgroupOr(ways) & 255;
  if (ways != 0) tell(tile, ways, records[record + TESSERA_TILE_FRAME] >> TESSERA_TILE_NOWHERE);
}
