// strips: a subgroup keeps a tile of one macro-column in registers, R rows of W words a lane, and steps it T
// generations; layout.glsl explains strips, which need no shifts between neighbouring words. Row codes cross lanes by
// shuffles. On load, bits 0 and 31 are filled from the strips next door: a halo of W columns, enough for T <= W.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "layout.glsl"
#include "neighbours.glsl"
#include "rule.glsl"

// The same memory in rows of four.
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own4 { uvec4 own4[]; };
layout(binding = TESSERA_BIND_WEST, std430) readonly buffer West4 { uvec4 west4[]; };
layout(binding = TESSERA_BIND_EAST, std430) readonly buffer East4 { uvec4 east4[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out4 { uvec4 next4[]; };

layout(constant_id = TESSERA_SPEC_SUBGROUP_SIZE) const uint LANES = 32;
layout(constant_id = TESSERA_SPEC_ROWS) const uint R = 8;

void main() {
  const uint tile = p.first_tile + workgroup() * (gl_WorkGroupSize.x / LANES) + gl_SubgroupID;
  if (tile >= p.end_tile) return;
  const uint macro = tile % p.columns;
  const uint r0 = gl_SubgroupInvocationID * R;
  const int y0 = int(tile / p.columns * (LANES * R - 2 * MARGIN)) - int(MARGIN) + int(r0);
  const uint row = uint(y0 + int(MARGIN));  // in memory
  const uint macro_words = W * p.stride, base = macro * macro_words;
  const uint cells_here = p.width - macro * MACRO;  // from this macro-column on

  uint s[W][R];
  [[unroll]] for (uint j = 0; j < W; j++) {
    [[unroll]] for (uint r = 0; r < R; r += 4) {
      const uint at = (base + j * p.stride + row + r) >> 2;
      uvec4 cells = own4[at];
      if (macro > 0) cells |= own4[at - (macro_words >> 2)] >> 30;
      if (macro + 1 < p.columns) cells |= own4[at + (macro_words >> 2)] << 30;
      s[j][r] = cells.x, s[j][r + 1] = cells.y, s[j][r + 2] = cells.z, s[j][r + 3] = cells.w;
    }
  }
  // At the chunk's edges every word lacks one bit: bit 0 in the west, the first one beyond the last cell in the east.
  if (macro == 0 && has_west()) {
    const uint first = column_in_west(-int(W));
    Place from = place(first);
    uint left_there = p.west_width - first;
    [[unroll]] for (uint j = 0; j < W; j++) {
      [[unroll]] for (uint r = 0; r < R; r += 4) {
        const uvec4 cells = west4[(from.word * p.stride + row + r) >> 2] >> from.bit & 1u;
        s[j][r] |= cells.x, s[j][r + 1] |= cells.y, s[j][r + 2] |= cells.z, s[j][r + 3] |= cells.w;
      }
      from = place_after(from);
      if (--left_there > 0) continue;
      from = Place(0, FIRST);
      left_there = p.west_width;
    }
  }
  const bool east_edge = cells_here < (BITS + 1) * W;
  if (east_edge && has_east()) {
    const uint whole = cells_here / W, rest = cells_here % W;  // words j < rest have a cell more
    [[unroll]] for (uint j = 0; j < W; j++) {
      const uint bit = FIRST + whole + (j < rest ? 1 : 0);
      uint x = j < rest ? W - rest + j : j - rest;  // the column there: word x of the first macro-column
      while (x >= p.east_width) x -= p.east_width;
      if (bit < 32) {
        [[unroll]] for (uint r = 0; r < R; r += 4) {
          const uvec4 cells = (east4[(x * p.stride + row + r) >> 2] >> FIRST & 1u) << bit;
          s[j][r] |= cells.x, s[j][r + 1] |= cells.y, s[j][r + 2] |= cells.z, s[j][r + 3] |= cells.w;
        }
      }
    }
  }

  // On a plane, a tile that looks over the border kills what is born there, every generation.
  const bool west_border = macro == 0 && !has_west(), east_border = east_edge && !has_east();
  const bool masked = PLANE != 0 && (west_border || east_border || !rows_inside(y0 - int(r0), int(LANES * R), 0));

  [[dont_unroll]] for (uint t = 0; t < p.generations; t++) {
    uint left[R], seam[R];  // the old word to the left; the old word 0 as the right neighbour of word W-1
    [[unroll]] for (uint r = 0; r < R; r++) {
      left[r] = s[W - 1][r] << 1;
      seam[r] = s[0][r] >> 1;
    }
    [[unroll]] for (uint j = 0; j < W; j++) {
      uint x[R + 2], m[R + 2];  // row codes of rows -1 .. R of this column of words
      [[unroll]] for (uint r = 0; r < R; r++) {
        const uint right = j == W - 1 ? seam[r] : s[(j + 1) % W][r];
        x[r + 1] = tessera_xor3(left[r], s[j][r], right);
        m[r + 1] = tessera_maj3(left[r], s[j][r], right);
      }
      x[0] = subgroupShuffleUp(x[R], 1);
      m[0] = subgroupShuffleUp(m[R], 1);
      x[R + 1] = subgroupShuffleDown(x[1], 1);
      m[R + 1] = subgroupShuffleDown(m[1], 1);
      [[unroll]] for (uint r = 0; r < R; r++) {
        const uint centre = s[j][r];
        const uint right = j == W - 1 ? seam[r] : s[(j + 1) % W][r];
        s[j][r] = next_word(x[r], m[r], x[r + 1], m[r + 1], left[r], centre, right, x[r + 2], m[r + 2]);
        left[r] = centre;
      }
    }
    if (masked) {
      [[unroll]] for (uint j = 0; j < W; j++) {
        uint may_live = ~0u;
        if (west_border) may_live &= ~((1u << FIRST) - 1);
        if (east_border) {
          const uint n = cells_here > j ? (cells_here - j + W - 1) / W : 0;  // cells of this strip word
          may_live &= n >= BITS + 1 ? ~0u : (2u << n) - 1;
        }
        [[unroll]] for (uint r = 0; r < R; r++) {
          s[j][r] &= uint(y0 + int(r)) < p.height ? may_live : 0;
        }
      }
    }
  }

  // Rows near the edges of a torus are also written where the margin copies them.
  const int copy_by = margin_copy(y0, int(R));
  const bool by_quads = (p.height & 3) == 0;
  [[unroll]] for (uint j = 0; j < W; j++) {
    const uint cells = bits_before(cells_here, j), column = base + j * p.stride;
    [[unroll]] for (uint r = 0; r < R; r += 4) {
      const int y = y0 + int(r);
      if (r0 + r < MARGIN || r0 + r >= LANES * R - MARGIN || y >= int(p.height)) continue;
      const uvec4 words = uvec4(s[j][r], s[j][r + 1], s[j][r + 2], s[j][r + 3]) & cells;
      if (by_quads || y + 4 <= int(p.height)) {
        next4[(column + row + r) >> 2] = words;
      } else {
        [[unroll]] for (uint k = 0; k < 3; k++) {
          if (y + int(k) < int(p.height)) next[column + row + r + k] = words[k];
        }
      }
      if (copy_by == 0) continue;
      if (by_quads) {
        if (in_margin(y + copy_by)) next4[(column + row + r + copy_by) >> 2] = words;
      } else {
        [[unroll]] for (uint k = 0; k < 4; k++) {
          if (y + int(k) < int(p.height) && in_margin(y + int(k) + copy_by)) {
            next[column + row + r + k + copy_by] = words[k];
          }
        }
      }
    }
  }
}
