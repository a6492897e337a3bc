// whole: a batch of universes that fit the registers of a subgroup or a workgroup: no halos, no
// memory, as many generations a dispatch as are asked for. The counterpart of
// backends/cuda/kernels/whole.cu; backends/gpu/batch_fit.h says which cells a word has.
//
// Neighbours of word j are words j - 1 and j + 1; at the ends of a row they are the words of the
// other end moved by one strip, a rotation of the word on a torus and a shift on a plane. The rows
// above and below a lane's R rows are another lane's, and come by shuffles, column by column before
// they are stepped. Between two subgroups of a universe, which are those of a workgroup, they go
// through shared memory, with one barrier a generation. No shuffle follows a branch.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "layout.glsl"
#include "rule.glsl"

layout(push_constant) uniform Push { BatchParams p; };
layout(binding = TESSERA_BIND_OWN, std430) buffer Own { uint cells[]; };

layout(constant_id = TESSERA_SPEC_SUBGROUP_SIZE) const uint ALL_LANES = 32;
layout(constant_id = TESSERA_SPEC_ROWS) const uint R = 4;
layout(constant_id = TESSERA_SPEC_PLANE) const uint PLANE = 0;
layout(constant_id = TESSERA_SPEC_LANES) const uint LANES = 32;
layout(constant_id = TESSERA_SPEC_SUBGROUPS) const uint SUBGROUPS = 1;
layout(constant_id = TESSERA_SPEC_PER_WORD) const uint U = 1;

// First and last row of every subgroup, in two halves that take turns.
const uint HALF = SUBGROUPS * 2 * W;
shared uint edges[SUBGROUPS > 1 ? 2 * HALF : 1];

// The last word of a row as the left neighbour of the first, and the other way round.
uint from_west(uint word) {
  if (U == 32) return PLANE != 0 ? 0 : word;
  return word << U % 32 | (PLANE != 0 ? 0 : word >> (32 - U) % 32);
}
uint from_east(uint word) {
  if (U == 32) return PLANE != 0 ? 0 : word;
  return word >> U % 32 | (PLANE != 0 ? 0 : word << (32 - U) % 32);
}

uint lane, above_lane, below_lane, edge_at;
bool first, last;  // of its universe's lanes

// Column j of the row above, whose word is the last row's in the lane above.
uint above(uint last_row, uint j) {
  uint word = subgroupShuffle(last_row, above_lane);
  if (SUBGROUPS > 1) {
    const uint edge = edges[edge_at + j];
    word = lane == 0 ? edge : word;
  }
  return PLANE != 0 && first ? 0 : word;
}
uint below(uint first_row, uint j) {
  uint word = subgroupShuffle(first_row, below_lane);
  if (SUBGROUPS > 1) {
    const uint edge = edges[edge_at + j];
    word = lane == ALL_LANES - 1 ? edge : word;
  }
  return PLANE != 0 && last ? 0 : word;
}

void main() {
  const uint a_group = gl_WorkGroupSize.x / ALL_LANES;
  const uint tile = p.first + workgroup() * a_group + gl_SubgroupID;
  if (tile >= p.end) return;  // of a universe of several subgroups all or none
  lane = gl_SubgroupInvocationID;
  const uint subgroup = SUBGROUPS > 1 ? gl_SubgroupID : 0;
  const uint set = lane / LANES, in_set = lane - set * LANES;
  // Lanes that are left over read each other, which nobody sees.
  above_lane = min(in_set == 0 ? lane + LANES - 1 : lane - 1, ALL_LANES - 1);
  below_lane = min(in_set == LANES - 1 ? lane + 1 - LANES : lane + 1, ALL_LANES - 1);
  first = in_set == 0 && subgroup == 0;
  last = in_set == LANES - 1 && subgroup == SUBGROUPS - 1;
  const uint next_subgroup = (lane == 0 ? subgroup + SUBGROUPS - 1 : subgroup + 1) % SUBGROUPS;
  const uint edge_of = (next_subgroup * 2 + (lane == 0 ? 1 : 0)) * W;
  const uint own_edge = subgroup * 2 * W;

  const uint base = tile * R * W * ALL_LANES + lane;
  uint s[W][R];
  [[unroll]] for (uint r = 0; r < R; r++) {
    [[unroll]] for (uint j = 0; j < W; j++) s[j][r] = cells[base + (r * W + j) * ALL_LANES];
  }
  [[dont_unroll]] for (uint g = 0; g < p.generations; g++) {
    if (SUBGROUPS > 1) {
      const uint half_in_use = (g & 1) * HALF;
      if (lane == 0) {
        [[unroll]] for (uint j = 0; j < W; j++) edges[half_in_use + own_edge + j] = s[j][0];
      }
      if (lane == ALL_LANES - 1) {
        [[unroll]] for (uint j = 0; j < W; j++) edges[half_in_use + own_edge + W + j] = s[j][R - 1];
      }
      barrier();
      edge_at = half_in_use + edge_of;
    }
    // The old word to the left; the old word 0 as the right neighbour of word W - 1.
    uint left[R], seam[R];
    [[unroll]] for (uint r = 0; r < R; r++) {
      left[r] = from_west(s[W - 1][r]);
      seam[r] = from_east(s[0][r]);
    }
    // The rows above and below, of the columns to the west, here and to the east.
    const uint up0 = above(s[0][R - 1], 0), down0 = below(s[0][0], 0);
    uint up_west = from_west(above(s[W - 1][R - 1], W - 1)), up = up0;
    uint down_west = from_west(below(s[W - 1][0], W - 1)), down = down0;
    [[unroll]] for (uint j = 0; j < W; j++) {
      const uint k = (j + 1) % W;
      uint up_east = from_east(up0), down_east = from_east(down0);
      if (j + 1 < W) up_east = above(s[k][R - 1], k), down_east = below(s[k][0], k);
      uint x[R + 2], m[R + 2];  // row codes of rows -1 .. R of this column of words
      x[0] = tessera_xor3(up_west, up, up_east);
      m[0] = tessera_maj3(up_west, up, up_east);
      x[R + 1] = tessera_xor3(down_west, down, down_east);
      m[R + 1] = tessera_maj3(down_west, down, down_east);
      [[unroll]] for (uint r = 0; r < R; r++) {
        const uint right = j == W - 1 ? seam[r] : s[k][r];
        x[r + 1] = tessera_xor3(left[r], s[j][r], right);
        m[r + 1] = tessera_maj3(left[r], s[j][r], right);
      }
      [[unroll]] for (uint r = 0; r < R; r++) {
        const uint centre = s[j][r], right = j == W - 1 ? seam[r] : s[k][r];
        s[j][r] = next_word(x[r], m[r], x[r + 1], m[r + 1], left[r], centre, right, x[r + 2], m[r + 2]);
        left[r] = centre;
      }
      up_west = up, up = up_east;
      down_west = down, down = down_east;
    }
  }
  [[unroll]] for (uint r = 0; r < R; r++) {
    [[unroll]] for (uint j = 0; j < W; j++) cells[base + (r * W + j) * ALL_LANES] = s[j][r];
  }
}
