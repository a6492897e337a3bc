// subgroup: a subgroup keeps a tile of plain words in registers, R rows of TW words per lane, and
// steps it T generations; row codes cross lanes by shuffles. The counterpart of a warp's register
// tile over column-major words. One word column on each side and T rows above and below are halo.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "layout.glsl"
#include "neighbours.glsl"
#include "rule.glsl"
#include "plain_words.glsl"

layout(constant_id = TESSERA_SPEC_SUBGROUP_SIZE) const uint LANES = 32;
layout(constant_id = TESSERA_SPEC_ROWS) const uint R = 4;
layout(constant_id = TESSERA_SPEC_TILE_WORDS) const uint TW = 4;

void main() {
  const uint tile = p.first_tile + workgroup() * (gl_WorkGroupSize.x / LANES) + gl_SubgroupID;
  if (tile >= p.end_tile) return;
  const uint r0 = gl_SubgroupInvocationID * R;
  const int first_column = int(tile % p.columns * (TW - 2)) - 1;
  const int first_row = int(tile / p.columns * (LANES * R - 2 * MARGIN)) - int(MARGIN) + int(r0);

  uint s[TW][R];
  [[unroll]] for (uint j = 0; j < TW; j++) {
    [[unroll]] for (uint r = 0; r < R; r++) {
      s[j][r] = window(first_column + int(j), uint(first_row + int(r + MARGIN)));
    }
  }

  [[dont_unroll]] for (uint t = 0; t < p.generations; t++) {
    uint left[R];  // the old word to the left
    [[unroll]] for (uint r = 0; r < R; r++) left[r] = 0;
    [[unroll]] for (uint j = 0; j < TW; j++) {
      uint l[R], e[R];          // the cells to the west and east of this column's
      uint x[R + 2], m[R + 2];  // row codes of rows -1 .. R of this column of words
      [[unroll]] for (uint r = 0; r < R; r++) {
        l[r] = to_west(left[r], s[j][r]);
        e[r] = to_east(s[j][r], j + 1 < TW ? s[(j + 1) % TW][r] : 0);
        x[r + 1] = tessera_xor3(l[r], s[j][r], e[r]);
        m[r + 1] = tessera_maj3(l[r], s[j][r], e[r]);
      }
      x[0] = subgroupShuffleUp(x[R], 1);
      m[0] = subgroupShuffleUp(m[R], 1);
      x[R + 1] = subgroupShuffleDown(x[1], 1);
      m[R + 1] = subgroupShuffleDown(m[1], 1);
      [[unroll]] for (uint r = 0; r < R; r++) {
        const uint centre = s[j][r];
        s[j][r] = next_word(x[r], m[r], x[r + 1], m[r + 1], l[r], centre, e[r], x[r + 2], m[r + 2]);
        left[r] = centre;
      }
    }
    if (PLANE != 0) {
      [[unroll]] for (uint j = 0; j < TW; j++) {
        const uint may_live = living(first_column + int(j));
        [[unroll]] for (uint r = 0; r < R; r++) {
          s[j][r] &= uint(first_row + int(r)) < p.height ? may_live : 0;
        }
      }
    }
  }

  [[unroll]] for (uint j = 1; j + 1 < TW; j++) {
    const uint c = uint(first_column + int(j));
    if (c * 32 < p.width) {
      [[unroll]] for (uint r = 0; r < R; r++) {
        if (r0 + r >= MARGIN && r0 + r < LANES * R - MARGIN) {
          store(c * p.stride, first_row + int(r), s[j][r] & owned(c));
        }
      }
    }
  }
}
