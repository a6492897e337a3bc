// tile_shapes: shapes of so many cells, at most 3 x 3, that stand alone in the windows of the tiles
// on a worklist and begin in them: the tile, and the shape with its place; 0 for tiles with cells
// in whose windows there are more, at most p.until. A subgroup for each.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "tiles.glsl"
#include "tile_window.glsl"

void note(uint tile, uint what) {
  if (gl_SubgroupInvocationID != 0) return;
  const uint found = atomicAdd(work[TESSERA_WORK_SHAPES], 1);
  if (found >= TESSERA_MOST_SHAPES) return;
  work[TESSERA_WORK_HEAD + 2 * found] = tile;
  work[TESSERA_WORK_HEAD + 2 * found + 1] = what;
}

void main() {
  const uint at = place();
  if (at >= work[head_of(p.step) + 3]) return;
  const uint tile = work[list_of(p.step) + at];
  load_window(tile);
  uint live = 0, own = 0, top = 64, bottom = 0;
  uvec2 columns = uvec2(0);
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    if (rows[i] == uvec2(0)) continue;
    live += bitCount(rows[i].x) + bitCount(rows[i].y);
    if (is_own(row_of(i))) own |= (rows[i].x & OWN.x) | (rows[i].y & OWN.y);
    top = min(top, row_of(i));
    bottom = max(bottom, row_of(i));
    columns |= rows[i];
  }
  live = subgroupAdd(live);
  own = subgroupOr(own);
  if (live > p.first && live <= p.until && own != 0) note(tile, 0);
  if (live != p.first) return;
  top = subgroupMin(top);
  bottom = subgroupMax(bottom);
  columns = subgroupOr(columns);
  const uint left = columns.x != 0 ? findLSB(columns.x) : 32 + findLSB(columns.y);
  const uint right = columns.y != 0 ? 32 + findMSB(columns.y) : findMSB(columns.x);
  uint shape = 0;
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    const uint row = row_of(i);
    if (row < top || row > min(bottom, top + 2)) continue;
    const uint cells = left >= 32 ? rows[i].y >> (left - 32)
                                  : rows[i].x >> left | (left > 0 ? rows[i].y << (32 - left) : 0);
    shape |= (cells & 7) << 3 * (row - top);
  }
  shape = subgroupOr(shape);
  if (bottom > top + 2 || right > left + 2) return;
  if (!is_own(top) || left < MARGIN || left >= MARGIN + TILE_ROWS) return;
  note(tile, shape | (left - MARGIN) << 9 | (top - MARGIN) << 15);
}
