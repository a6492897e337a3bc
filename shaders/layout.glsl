// How a chunk of cells lies in memory.
//
// A macro-column of BITS * W cells has W words per row. Bit M + b of word j is the macro-column's
// cell b * W + j, so in strips the neighbours of word j are words j-1 and j+1 and no shift is
// needed; the M lowest and the M highest bits are halo, which a kernel fills when it loads. One
// word of 32 bits without halo is the plain packing. A column of words has `stride` rows: MARGIN
// rows, the rows of the grid, and rows that only complete the last tile. On a torus the margins
// hold the rows of the other edge; on a plane they stay zero. Bits that are not cells are zero.
//
// A lane that owns R rows moves them in accesses of V words. So that neighbouring lanes touch
// neighbouring memory, a column is stored in R / V planes: the first V rows of every R lie
// together, then the next V of every R. With one plane rows are consecutive.

#extension GL_EXT_control_flow_attributes : require

#include "params.inl"

layout(local_size_x_id = TESSERA_SPEC_GROUP_SIZE, local_size_y = 1, local_size_z = 1) in;

layout(constant_id = TESSERA_SPEC_WORDS) const uint W = 1;
layout(constant_id = TESSERA_SPEC_BITS) const uint BITS = 32;
layout(constant_id = TESSERA_SPEC_MARGIN) const uint MARGIN = 4;
layout(constant_id = TESSERA_SPEC_ACCESS) const uint V = 1;
layout(constant_id = TESSERA_SPEC_PLANES) const uint PLANES = 1;
const uint M = (32 - BITS) / 2;
const uint MACRO = BITS * W;
// The bits of a word that are cells.
const uint INNER = 0xFFFFFFFFu >> (2 * M) << M;

// The place of a row in a column of words, from the column's first word. `row` includes the upper
// margin.
uint row_at(uint row, uint stride) {
  if (PLANES == 1) return row;
  const uint group = row / (PLANES * V), rest = row % (PLANES * V);
  return rest / V * (stride / PLANES) + group * V + rest % V;
}

// The position of this invocation's workgroup in a dispatch that may be folded into two dimensions.
uint workgroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// The bits of word j of a macro-column that are cells before its column `cells`.
uint bits_before(uint cells, uint j) {
  const uint n = cells > j ? (cells - j + W - 1) / W : 0;
  return n >= BITS ? INNER : ((1u << n) - 1) << M;
}
