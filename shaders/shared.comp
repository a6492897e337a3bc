// shared: a workgroup keeps a tile of plain words in its shared memory and steps it T generations,
// as the shared memory kernels of Fujita et al. 2015 do. One word column on each side and T rows
// above and below are halo. An invocation owns R rows of one column.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "neighbours.glsl"
#include "rule.glsl"
#include "plain_words.glsl"

layout(constant_id = TESSERA_SPEC_ROWS) const uint R = 4;
layout(constant_id = TESSERA_SPEC_TILE_WORDS) const uint TW = 8;

const uint LANES = gl_WorkGroupSize.x / TW;  // invocations below each other
const uint TILE_ROWS = LANES * R;
shared uint tile_cells[TW * TILE_ROWS];

// Row r of a column: the rows of one invocation lie LANES apart, so that neighbours in a subgroup
// use neighbouring banks.
uint at(uint column, uint r) { return column * TILE_ROWS + r % R * LANES + r / R; }

void main() {
  const uint tile = p.first_tile + workgroup();
  if (tile >= p.end_tile) return;
  const int first_column = int(tile % p.columns * (TW - 2)) - 1;
  const int first_row = int(tile / p.columns * (TILE_ROWS - 2 * MARGIN)) - int(MARGIN);

  const uint items = TW * TILE_ROWS;
  for (uint i = gl_LocalInvocationID.x; i < items; i += gl_WorkGroupSize.x) {
    const uint r = i % TILE_ROWS, j = i / TILE_ROWS;
    tile_cells[at(j, r)] = window(first_column + int(j), uint(first_row + int(r + MARGIN)));
  }
  const uint j = gl_LocalInvocationID.x / LANES, lane = gl_LocalInvocationID.x % LANES, r0 = lane * R;
  const uint may_live = living(first_column + int(j));
  memoryBarrierShared();
  barrier();

  for (uint t = 0; t < p.generations; t++) {
    uint cells[R];
    uint xa = 0, ma = 0, xb = 0, mb = 0, left = 0, centre = 0, right = 0;
    for (uint k = 0; k < R + 2; k++) {
      uint xc = 0, mc = 0, below = 0, before = 0, after = 0;
      if (r0 + k >= 1 && r0 + k <= TILE_ROWS) {
        const uint r = r0 + k - 1;
        below = tile_cells[at(j, r)];
        before = to_west(j > 0 ? tile_cells[at(j - 1, r)] : 0, below);
        after = to_east(below, j + 1 < TW ? tile_cells[at(j + 1, r)] : 0);
        xc = tessera_xor3(before, below, after);
        mc = tessera_maj3(before, below, after);
      }
      if (k >= 2) cells[k - 2] = next_word(xa, ma, xb, mb, left, centre, right, xc, mc);
      xa = xb, ma = mb, xb = xc, mb = mc, left = before, centre = below, right = after;
    }
    barrier();
    for (uint k = 0; k < R; k++) {
      const bool row_lives = PLANE == 0 || uint(first_row + int(r0 + k)) < p.height;
      tile_cells[at(j, r0 + k)] = row_lives ? cells[k] & may_live : 0;
    }
    memoryBarrierShared();
    barrier();
  }

  for (uint i = gl_LocalInvocationID.x; i < items; i += gl_WorkGroupSize.x) {
    const uint r = i % TILE_ROWS, column = i / TILE_ROWS;
    const uint c = uint(first_column + int(column));
    if (column == 0 || column + 1 == TW || c * 32 >= p.width) continue;
    if (r < MARGIN || r >= TILE_ROWS - MARGIN) continue;
    store(c * p.stride, first_row + int(r), tile_cells[at(column, r)] & owned(c));
  }
}
