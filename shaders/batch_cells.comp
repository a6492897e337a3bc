// batch_cells: canonical words of some universes of a batch, one universe behind the other in the
// transfer buffer, become the batch's words (backends/gpu/batch_fit.h), and back. Other universes
// of the same words keep their cells.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

layout(push_constant) uniform Push { BatchParams p; };
layout(binding = TESSERA_BIND_OWN, std430) buffer Own { uint cells[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

layout(constant_id = TESSERA_SPEC_LANES) const uint LANES = 32;
layout(constant_id = TESSERA_SPEC_SUBGROUPS) const uint SUBGROUPS = 1;
layout(constant_id = TESSERA_SPEC_PER_WORD) const uint U = 1;

void pack(uint n) {
  const uint lane = n % p.all_lanes, column = n / p.all_lanes % p.columns;
  const uint row = n / p.all_lanes / p.columns % p.rows, tile = n / p.all_lanes / p.columns / p.rows;
  const uint set_of_tile = lane / LANES;
  if (set_of_tile >= p.sets) return;
  const uint set = tile / SUBGROUPS * p.sets + set_of_tile;
  const uint y = (tile % SUBGROUPS * LANES + lane % LANES) * p.rows + row;
  uint word = cells[n];
  for (uint bit = 0; bit < 32; bit++) {
    const uint universe = set * U + bit % U, x = bit / U * p.columns + column;
    if (universe < p.first || universe >= p.end) continue;
    const uint from = transfer[((universe - p.first) * p.height + y) * p.row_words + x / 32];
    word = word & ~(1u << bit) | (from >> x % 32 & 1) << bit;
  }
  cells[n] = word;
}

void unpack(uint n) {
  const uint i = n % p.row_words, y = n / p.row_words % p.height, universe = p.first + n / p.row_words / p.height;
  const uint set = universe / U, bit = universe % U, in_set = y / p.rows;
  const uint tile = set / p.sets * SUBGROUPS + in_set / LANES, lane = set % p.sets * LANES + in_set % LANES;
  const uint row = (tile * p.rows + y % p.rows) * p.columns * p.all_lanes + lane;
  uint word = 0;
  for (uint b = 0; b < 32 && 32 * i + b < p.width; b++) {
    const uint x = 32 * i + b;
    word |= (cells[row + x % p.columns * p.all_lanes] >> x / p.columns * U + bit & 1) << b;
  }
  transfer[n] = word;
}

void main() {
  const uint n = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (n >= p.items) return;
  if (p.what == TESSERA_BATCH_PACK) {
    pack(p.first_word + n);
  } else {
    unpack(n);
  }
}
