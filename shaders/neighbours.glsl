// The chunk that a kernel steps, its neighbours to the west and east, and the chunk it writes. On a
// torus of one chunk, all three chunks that are read are the same.

layout(push_constant) uniform Push { StepParams p; };
#if !defined(TESSERA_ADDRESSED) && !defined(TESSERA_CHAINED)
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_WEST, std430) restrict readonly buffer West { uint west[]; };
layout(binding = TESSERA_BIND_EAST, std430) restrict readonly buffer East { uint east[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out { uint next[]; };
#endif

layout(constant_id = TESSERA_SPEC_PLANE) const uint PLANE = 0;

// Converts a column of cells beyond an edge to a column of the neighbouring chunk; narrow tori wrap
// more than once.
uint column_in_west(int x) {
  const int width = int(p.west_width);
  const int rest = (-1 - x) % width;
  return uint(width - 1 - rest);
}
uint column_in_east(int x) { return (uint(x) - p.width) % p.east_width; }

bool has_west() { return (p.edges & TESSERA_EDGE_WEST) != 0; }
bool has_east() { return (p.edges & TESSERA_EDGE_EAST) != 0; }

// True where a tile's rows first .. first+rows-1 all lie at least `depth` inside the grid.
bool rows_inside(int first, int rows, int depth) {
  return first >= depth && first + rows <= int(p.height) - depth;
}

// On a torus of at least two margins' height, kernels maintain the margins: a row near one edge is
// written a second time at the other edge. This is the distance from the rows first .. first+rows-1
// to their copy, or 0 when they have none. Where the torus is too low for that, the host runs
// margins.comp.
int margin_copy(int first, int rows) {
  if ((p.edges & TESSERA_EDGE_COPIES) == 0) return 0;
  if (first < int(MARGIN)) return int(p.height);
  return first + rows > int(p.height - MARGIN) ? -int(p.height) : 0;
}
bool in_margin(int y) { return y < 0 ? y >= -int(MARGIN) : y >= int(p.height) && y < int(p.height + MARGIN); }

#if !defined(TESSERA_ADDRESSED) && !defined(TESSERA_CHAINED)
// Writes one word of row y, and its copy in a margin. `base` is the word's column in memory.
void store(uint base, int y, uint cells) {
  if (uint(y) >= p.height) return;
  next[base + MARGIN + uint(y)] = cells;
  const int copy_by = margin_copy(y, 1);
  if (copy_by != 0) next[base + uint(int(MARGIN) + y + copy_by)] = cells;
}
#endif
