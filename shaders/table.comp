// table: rules of files by their graph of tables (core/rules/transition_graph.h), one generation
// per dispatch. An invocation takes a word of 32 cells: the nine words around it, in every plane of
// the states, are loaded once, and each cell walks through the graph from node to node by the
// states that it sees. A neighbourhood that the graph does not know is noted for the host, and no
// later dispatch does anything; so all that a generation lacks comes to light together. Where
// emptiness stays empty, only cells that see something walk. The grid is one chunk; invocations
// find what is around a torus themselves, so that nothing is written beside the grid.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

layout(push_constant) uniform Push { TableParams p; };
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_GRAPH, std430) restrict readonly buffer Graph { uint entries[]; };
layout(binding = TESSERA_BIND_NOTES, std430) coherent volatile buffer Notes { uint notes[]; };
layout(binding = TESSERA_BIND_OUT, std430) restrict buffer Out { uint next[]; };

#include "bit_planes.glsl"
layout(constant_id = TESSERA_SPEC_PLANE) const uint PLANE = 0;
layout(constant_id = TESSERA_SPEC_QUIET) const uint QUIET = 0;
layout(constant_id = TESSERA_SPEC_STATES) const uint STATES = 2;
layout(constant_id = TESSERA_SPEC_CELLS) const uint CELLS = 9;
#define SEEN(n) layout(constant_id = TESSERA_SPEC_SEEN + n) const uint SEEN##n = 0;
SEEN(0) SEEN(1) SEEN(2) SEEN(3) SEEN(4) SEEN(5) SEEN(6) SEEN(7) SEEN(8)
#define FOR_EACH_SEEN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)

// Cells at each place around those of the word, row by row, by planes: bit b is seen by cell b.
uint around[9][TESSERA_MOST_STATE_PLANES];

uint word_at(uint i, uint row, uint plane) { return own[plane * p.bit_plane + i * p.stride + row]; }

// What word i sees in row y, which may be beyond the grid; `line` counts from the row above it.
void look(uint i, int y, uint line) {
  const bool beyond = y < 0 || y >= int(p.height);
  const int inside = y < 0 ? y + int(p.height) : y >= int(p.height) ? y - int(p.height) : y;
  const uint row = row_at(uint(inside) + MARGIN, p.stride);
  const uint last = p.width % 32, end = (p.width - 1) / 32;
  [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) {
    uint west = 0, cells = 0, east = 0;
    if (PLANE == 0 || !beyond) {
      cells = word_at(i, row, n);
      if (i > 0) {
        west = word_at(i - 1, row, n) >> 31;
      } else if (PLANE == 0) {
        west = word_at(end, row, n) >> (last == 0 ? 31 : last - 1) & 1;
      }
      if (i < end) {
        east = word_at(i + 1, row, n) << 31;
      } else if (PLANE == 0) {
        // Behind the last column comes the first one.
        east = (word_at(0, row, n) & 1) << (last == 0 ? 31 : last - 1);
      }
    }
    around[3 * line][n] = cells << 1 | west;
    around[3 * line + 1][n] = cells;
    around[3 * line + 2][n] = cells >> 1 | east;
  }
}

uint state_of(uint place, uint bit) {
  uint state = 0;
  [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) state |= (around[place][n] >> bit & 1) << n;
  return state;
}

// Tells the host of a cell. Much of it may come to nothing: what is left out is missing again when
// the generation is repeated.
void note(uint x, uint y, uint bit) {
  if (notes[TESSERA_NOTES_STOPPED] > p.generation)
    atomicMin(notes[TESSERA_NOTES_STOPPED], p.generation);
  if (notes[TESSERA_NOTES_COUNT] >= p.most) return;
  const uint slot = atomicAdd(notes[TESSERA_NOTES_COUNT], 1);
  if (slot >= p.most) return;
  uint states[3] = uint[](0, 0, 0);
#define KEEP(n) \
  if (n < CELLS) states[n / 4] |= state_of(SEEN##n & TESSERA_SEEN_PLACE, bit) << (8 * (n % 4));
  FOR_EACH_SEEN(KEEP)
  const uint at = TESSERA_NOTES_CELLS + slot * TESSERA_NOTES_CELL;
  notes[at] = x;
  notes[at + 1] = y;
  for (uint i = 0; i < 3; i++) notes[at + 2 + i] = states[i];
}

// Puts a state into a cell that has none yet; those of one word may come together.
void put(uint id) {
  const uint from = TESSERA_NOTES_CELLS + id * TESSERA_NOTES_CELL;
  const uint x = notes[from], y = notes[from + 1], state = notes[from + 2];
  const uint at = (x >> 5) * p.stride + row_at(y + MARGIN, p.stride);
  for (uint n = 0; n < BIT_PLANES; n++) {
    if ((state >> n & 1) != 0) atomicOr(next[n * p.bit_plane + at], 1u << (x & 31));
  }
}

void main() {
  const uint id = p.first + workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (id >= p.end) return;
  if (p.what == TESSERA_TABLE_PUT) {
    put(id);
    return;
  }
  if (notes[TESSERA_NOTES_STOPPED] < p.generation) return;
  const uint i = id / p.height, y = id - i * p.height;
  [[unroll]] for (uint line = 0; line < 3; line++) look(i, int(y + line) - 1, line);
  uint rest = ~0u;
  if (QUIET != 0) {
    rest = 0;
    [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) {
      [[unroll]] for (uint place = 0; place < 9; place++) rest |= around[place][n];
    }
  }
  rest &= bits_before(p.width - i * 32, 0);
  uint states[TESSERA_MOST_STATE_PLANES];
  [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) states[n] = 0;
  for (; rest != 0; rest &= rest - 1) {
    const uint bit = uint(findLSB(rest));
    uint node = p.root, entry = 0;
#define READ(n) \
  if (n < CELLS) { \
    entry = entry * STATES + state_of(SEEN##n & TESSERA_SEEN_PLACE, bit); \
    if ((SEEN##n & TESSERA_SEEN_ENDS) != 0) { \
      node = entries[node + entry]; \
      entry = 0; \
    } \
  }
    FOR_EACH_SEEN(READ)
    if (node == 0) {
      note(i * 32 + bit, y, bit);
      continue;
    }
    [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) states[n] |= (node - 1 >> n & 1) << bit;
  }
  const uint at = i * p.stride + row_at(y + MARGIN, p.stride);
  [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) next[n * p.bit_plane + at] = states[n];
}
