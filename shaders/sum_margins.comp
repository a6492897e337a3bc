// sum_margins: what the kernel sums sees beyond the grid, in its first bit plane: columns on either
// side, cells that the last strips lack, and on a torus rows above and below. One word per
// invocation; rows run fastest. A bit that is a cell of the grid is never changed.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

layout(push_constant) uniform Push { StepParams p; };
layout(binding = TESSERA_BIND_OWN, std430) buffer Own { uint own[]; };

layout(constant_id = TESSERA_SPEC_PLANE) const uint PLANE = 0;
layout(constant_id = TESSERA_SPEC_SIDE) const uint SIDE = 2;

// A cell of the grid, of the row that begins at word `row`.
uint cell_of(uint row, uint x) { return own[row + x % W * p.stride] >> x / W & 1; }

// The word of column j, from cells of the row that begins at `row`; with `all` every bit, else bits
// that are no cells.
uint seen(uint row, int j, bool all) {
  const int width = int(p.width);
  uint word = 0;
  // Where every strip has all columns, one word has all bits.
  if (p.width == 32 * W && j >= -int(W) && j < 2 * int(W)) {
    if (j < 0) {
      const uint west = own[row + uint(j + int(W)) * p.stride];
      return west << 1 | (PLANE == 0 ? west >> 31 : 0);
    }
    if (j < int(W)) return own[row + uint(j) * p.stride];
    const uint east = own[row + uint(j - int(W)) * p.stride];
    return east >> 1 | (PLANE == 0 ? east << 31 : 0);
  }
  for (uint bit = 0; bit < 32; bit++) {
    int x = int(bit * W) + j;
    const bool here = x >= 0 && x < width;
    if (x < -int(SIDE) || x >= width + int(SIDE) || (here && !all)) continue;
    if (!here) {
      if (PLANE != 0) continue;
      x = x < 0 ? width - 1 - (-1 - x) % width : x % width;
    }
    word |= cell_of(row, uint(x)) << bit;
  }
  return word;
}

void main() {
  const uint id = p.first_tile + workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (id >= p.end_tile) return;
  // First the columns that have words to fill in every row: `columns` on either side and inside.
  // Then rows above and below of the others.
  const uint beside = p.columns, all_rows = p.height + 2 * SIDE - 1, sides = beside * all_rows;
  int j, y;
  if (id < sides) {
    const uint column = id / all_rows;
    y = int(id - column * all_rows) - int(SIDE);
    // Inside, the words that the last strips lack: the first is that of the column after the last.
    j = int(column) < int(2 * SIDE - 1) ? int(column) - int(SIDE) : int((p.width + column - (2 * SIDE - 1)) % W);
    if (int(column) < int(2 * SIDE - 1) && j >= 0) j += int(W);
  } else {
    const uint outside = 2 * SIDE - 1, column = (id - sides) / outside;
    y = int(id - sides - column * outside) - int(SIDE);
    if (y >= 0) y += int(p.height);
    j = int((p.width + p.columns - (2 * SIDE - 1) + column) % W);
  }
  const bool beyond = y < 0 || y >= int(p.height);
  if (PLANE != 0 && beyond) return;  // nothing is ever alive there
  const int height = int(p.height), from = y < 0 ? height - 1 - (-1 - y) % height : y % height;
  const uint base = SIDE * p.stride;
  const uint row = base + row_at(uint(from) + MARGIN, p.stride);
  const uint to = base + uint(j) * p.stride + row_at(uint(y + int(MARGIN)), p.stride);
  if (!beyond && j >= 0 && j < int(W)) {
    own[to] = own[to] & bits_before(p.width, uint(j)) | seen(row, j, false);
  } else {
    own[to] = seen(row, j, true);
  }
}
