// The chunk that a kernel steps, its neighbours to the west and east, and the chunk it writes. On a torus of one chunk
// all three that are read are the same.

layout(push_constant) uniform Push { StepParams p; };
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_WEST, std430) restrict readonly buffer West { uint west[]; };
layout(binding = TESSERA_BIND_EAST, std430) restrict readonly buffer East { uint east[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out { uint next[]; };

layout(constant_id = TESSERA_SPEC_PLANE) const uint PLANE = 0;

// A column of cells beyond an edge, as a column of the chunk that lies there; narrow tori wrap more than once.
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

// Writes one word of row y and, on a torus, its copies in the margins. `base` is the word's column in memory.
void store(uint base, int y, uint cells) {
  if (uint(y) >= p.height) return;
  const int height = int(p.height), margin = int(MARGIN);
  next[base + uint(y + margin)] = cells;
  if (PLANE != 0) return;
  for (int above = y - height; above >= -margin; above -= height) next[base + uint(above + margin)] = cells;
  for (int below = y + height; below < height + margin; below += height) {
    next[base + uint(below + margin)] = cells;
  }
}
