// sums: rules of longer range by bit-sliced counts that run along the rows of strips, one
// generation per dispatch. An invocation takes R rows below each other and walks some words to the
// right. A count is that of the word on the left, plus the cells that enter the neighbourhood and
// less those that leave it. Where a neighbourhood has few corners, what a count gains that way runs
// down the R rows in turn and changes by the cells at the corners alone, four of a square of any
// size (core/rules/count_edges.h). The grid is one macro-column without halo bits, so that a
// neighbour k columns away is in the same bit of a word k words on. SIDE columns of margin stand
// in front of it and SIDE - 1 behind it; rows lie in R planes, so that neighbouring invocations
// read neighbouring words.
//
// With TESSERA_ADDRESSED neighbours are read by the buffer's address, so that their places are parts
// of the instructions that load them, and loads of many may be under way at once.
//
// lives_of and next_states are empty here: backends/vulkan/program_module.h writes a rule's gates
// into them.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

#define TESSERA_FN
#define TESSERA_WORD uint
#define TESSERA_NOT(a) (~(a))
#include "core/rules/circuit.inl"

#ifdef TESSERA_ADDRESSED
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#endif

layout(push_constant) uniform Push { StepParams p; };
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_PLACES, std430) restrict readonly buffer Places { uint places[]; };
layout(binding = TESSERA_BIND_OUT, std430) restrict writeonly buffer Out { uint next[]; };

layout(constant_id = TESSERA_SPEC_ROWS) const uint R = 8;
layout(constant_id = TESSERA_SPEC_COUNT_BITS) const uint COUNT_BITS = 4;
layout(constant_id = TESSERA_SPEC_GAIN_BITS) const uint GAIN_BITS = 3;
layout(constant_id = TESSERA_SPEC_ACROSS) const uint ACROSS = 3;
layout(constant_id = TESSERA_SPEC_DOWN) const uint DOWN = 3;
layout(constant_id = TESSERA_SPEC_CORNERS) const uint CORNERS = 0;
layout(constant_id = TESSERA_SPEC_CELLS) const uint CELLS = 9;
layout(constant_id = TESSERA_SPEC_TABLE) const uint TABLE = 0;
layout(constant_id = TESSERA_SPEC_SIDE) const uint SIDE = 2;
layout(constant_id = TESSERA_SPEC_RUN) const uint RUN = 0;
layout(constant_id = TESSERA_SPEC_RUN_ENTERS) const uint RUN_ENTERS = 0;
layout(constant_id = TESSERA_SPEC_RUN_LEAVES) const uint RUN_LEAVES = 0;
layout(constant_id = TESSERA_SPEC_RUN_FIRST) const uint RUN_FIRST = 0;
// A neighbourhood that is a square, of few enough cells in a row.
layout(constant_id = TESSERA_SPEC_SQUARE) const uint SQUARE = 0;
// Lines of a run are loaded a word before they are counted.
layout(constant_id = TESSERA_SPEC_AHEAD) const uint AHEAD = 0;
// Words from a column to the next, so that places of neighbours are constants.
layout(constant_id = TESSERA_SPEC_STRIDE) const uint STRIDE = 64;
const uint RUN_TOP = RUN_FIRST - TESSERA_FAR, SQUARE_LEFT = RUN_LEAVES - TESSERA_FAR + 1;
#define CORNER(n) layout(constant_id = TESSERA_SPEC_CORNER + n) const uint CORNER##n = 0;
CORNER(0) CORNER(1) CORNER(2) CORNER(3) CORNER(4) CORNER(5) CORNER(6) CORNER(7)
CORNER(8) CORNER(9) CORNER(10) CORNER(11) CORNER(12) CORNER(13) CORNER(14) CORNER(15)
CORNER(16) CORNER(17) CORNER(18) CORNER(19) CORNER(20) CORNER(21) CORNER(22) CORNER(23)
CORNER(24) CORNER(25) CORNER(26) CORNER(27) CORNER(28) CORNER(29) CORNER(30) CORNER(31)
// 0 .. 15 are places that gains gain, 16 .. 31 those that they lose. Main fills it, once.
uint corner_places[2 * TESSERA_MOST_CORNERS];

const uint TABLE_WORDS = TABLE == 0 ? 0 : ((2u << COUNT_BITS) + 31) / 32;
// Where the lists of neighbours begin: those of the first count; for each further row the cells
// that enter and leave from the row above; for each row, or the first where gains run down rows,
// those that enter and leave from the column on the left.
const uint FIRST_CELLS = TABLE_WORDS;
const uint FIRST_DOWN = FIRST_CELLS + CELLS;
const uint FIRST_ACROSS = FIRST_DOWN + (R - 1) * 2 * DOWN;

#define NUMBER uint[TESSERA_MOST_COUNT_BITS]

// Neighbours are seen from a place, which is that of a word or, further on, that of the columns
// before it: BACK words from it to the word, so that no neighbour is less than none away.
const uint BACK = (SIDE + 1) * STRIDE;
#ifdef TESSERA_ADDRESSED
layout(binding = TESSERA_BIND_ADDRESS, std430) restrict readonly buffer Address { uvec2 address; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict readonly buffer Words { uint words[]; };
#define PLACE uvec2
uvec2 on(uvec2 from, uint words) {
  uint carry;
  from.x = uaddCarry(from.x, words << 2, carry);
  from.y += carry;
  return from;
}
uvec2 place_of(uint at) {
  uvec2 place = on(address, at);
  uint borrow;
  place.x = usubBorrow(place.x, BACK << 2, borrow);
  place.y -= borrow;
  return place;
}
uvec2 right_of(uvec2 place) { return on(place, STRIDE); }
#define SEEN(PLACE, BY) Words(PLACE).words[BACK + (BY)]
#else
#define PLACE uint
uint place_of(uint at) { return at - BACK; }
uint right_of(uint place) { return place + STRIDE; }
#define SEEN(PLACE, BY) own[PLACE + (BACK + (BY))]
#endif

uint spread(uint n, uint i) { return 0u - (n >> i & 1u); }

// Arithmetic on numbers of BITS bits is written as macros: arrays that functions are given are copied
// there and back, and drivers take many seconds to compile that away.

// One bit of a number, n, a and b becomes n; returns the carry.
uint add_two(inout uint n, uint a, uint b) {
  const uint carry = tessera_maj3(n, a, b);
  n = tessera_xor3(n, a, b);
  return carry;
}

// N += the words cells[0 .. 7]; what goes beyond the bits is lost, here and below.
#define ADD_EIGHT(N, BITS) \
  { \
    uint twos[4]; \
    [[unroll]] for (uint e = 0; e < 4; e++) twos[e] = add_two(N[0], cells[2 * e], cells[2 * e + 1]); \
    if (BITS > 1) { \
      const uint low = add_two(N[1], twos[0], twos[1]), high = add_two(N[1], twos[2], twos[3]); \
      uint carry = BITS > 2 ? add_two(N[2], low, high) : 0; \
      [[unroll]] for (uint e = 3; e < BITS; e++) { \
        const uint sum = N[e] ^ carry; \
        carry &= N[e]; \
        N[e] = sum; \
      } \
    } \
  }

// N += VALUE, a constant.
#define ADD_NUMBER(N, BITS, VALUE) \
  { \
    uint carry = 0; \
    [[unroll]] for (uint e = 0; e < BITS; e++) { \
      const uint bit = spread(VALUE, e), sum = N[e] ^ bit ^ carry; \
      carry = tessera_maj3(N[e], bit, carry); \
      N[e] = sum; \
    } \
  }

// N += COUNT cells of a list from place FIRST on, seen from the place AT, or, with TAKEN = ~0, the
// number of those that are dead.
#define ADD_LIST(N, BITS, AT, FIRST, COUNT, TAKEN) \
  { \
    uint cells[8]; \
    [[dont_unroll]] for (uint i = 0; i < COUNT / 8 * 8; i += 8) { \
      [[unroll]] for (uint k = 0; k < 8; k++) cells[k] = SEEN(AT, places[FIRST + i + k]) ^ TAKEN; \
      ADD_EIGHT(N, BITS) \
    } \
    if (COUNT % 8 != 0) { \
      [[unroll]] for (uint k = 0; k < 8; k++) { \
        cells[k] = 0; \
        if (k < COUNT % 8) cells[k] = SEEN(AT, places[FIRST + COUNT / 8 * 8 + k]) ^ TAKEN; \
      } \
      ADD_EIGHT(N, BITS) \
    } \
  }

// The word dx words on from a place, in row r from the invocation's first.
uint cell(PLACE at, uint dx, uint r) {
  const uint row = r + TESSERA_FAR;
  return SEEN(at, dx * STRIDE + row % R * (STRIDE / R) + row / R - TESSERA_FAR / R);
}

// N += COUNT cells that stand in a line, the one of number I at CELL(I), or as above.
#define ADD_LINE(N, BITS, COUNT, CELL, TAKEN) \
  [[unroll]] for (uint i = 0; i < COUNT; i += 8) { \
    uint cells[8]; \
    [[unroll]] for (uint k = 0; k < 8; k++) { \
      cells[k] = 0; \
      if (i + k < COUNT) cells[k] = CELL(i + k) ^ TAKEN; \
    } \
    ADD_EIGHT(N, BITS) \
  }

uint corner(PLACE at, uint i, uint row) {
  const uint place = corner_places[i];
  return cell(at, place / 2048 - TESSERA_FAR, place % 2048 - TESSERA_FAR + row);
}

// gain += up - down, both of one bit, from bit FIRST on: t says whether a carry or, where there is
// none, a borrow goes on.
#define MOVE_GAIN(FIRST) \
  if (FIRST < GAIN_BITS) { \
    uint t = (up ^ down) & ~(up ^ gain[FIRST]); \
    gain[FIRST] = tessera_xor3(gain[FIRST], up, down); \
    [[unroll]] for (uint e = FIRST + 1; e < GAIN_BITS; e++) { \
      const uint old = gain[e]; \
      gain[e] ^= t; \
      t &= ~(old ^ up); \
    } \
  }

// The same by two cells each.
#define MOVE_BY_TWO(PLUS, OTHER_PLUS, MINUS, OTHER_MINUS) \
  { \
    const uint up = add_two(gain[0], PLUS, OTHER_PLUS), a = MINUS, b = OTHER_MINUS; \
    const uint down = tessera_maj3(~gain[0], a, b); \
    gain[0] = tessera_xor3(gain[0], a, b); \
    MOVE_GAIN(1) \
  }

// A run's lines of words: those that an invocation's rows see enter, and those that they see leave.
const uint RUN_CELLS = RUN != 0 ? ACROSS : 1, LINE = RUN_CELLS + R - 1;
#define LOAD_LINE(TO, FROM, AT) \
  [[unroll]] for (uint i = 0; i < LINE; i++) TO[i] = cell(AT, FROM - TESSERA_FAR, RUN_TOP + i);

// The gain of the first row: all bits of a weight are summed, three become one and a carry of twice
// the weight. Their sum begins with what is counted of the leaving cells, which are those that are
// dead, too much.
#define COUNT_LINES(ENTERS, LEAVES) \
  { \
    uint bits[2 * RUN_CELLS], left = 2 * RUN_CELLS; \
    [[unroll]] for (uint i = 0; i < RUN_CELLS; i++) { \
      bits[i] = ENTERS[i]; \
      bits[RUN_CELLS + i] = ~LEAVES[i]; \
    } \
    [[unroll]] for (uint e = 0; e < GAIN_BITS; e++) { \
      uint carries = 0; \
      gain[e] = spread(0u - ACROSS, e); \
      [[unroll]] for (uint i = 0; i < 2 * RUN_CELLS; i += 2) { \
        if (i >= left) continue; \
        const uint second = i + 1 < left ? bits[i + 1] : 0; \
        bits[carries++] = add_two(gain[e], bits[i], second); \
      } \
      left = carries; \
    } \
  }

// What the counts of row C - 1 gain becomes that of row C.
#define RUN_DOWN(ENTERS, LEAVES, C) \
  MOVE_BY_TWO(ENTERS[ACROSS - 1 + C], LEAVES[C - 1], ENTERS[C - 1], LEAVES[ACROSS - 1 + C])

// The highest bit of a gain is its sign.
#define ADD_GAIN(N) \
  { \
    uint carry = 0; \
    [[unroll]] for (uint i = 0; i < COUNT_BITS; i++) carry = add_two(N[i], gain[min(i, GAIN_BITS - 1)], carry); \
  }

// What lives, unless it is dying, by its count and its cells.
uint lives_of(const NUMBER n, const uint alive) { return n[0] ^ alive; }

// The same by the table of counts.
uint look_up(const NUMBER n, const uint alive) {
  uint lives = 0;
  [[dont_unroll]] for (uint bit = 0; bit < 32; bit++) {
    uint at = alive >> bit & 1;
    [[unroll]] for (uint i = 0; i < COUNT_BITS; i++) at |= (n[i] >> bit & 1) << (i + 1);
    lives |= (places[at / 32] >> at % 32 & 1) << bit;
  }
  return lives;
}

#ifdef TESSERA_STATES
layout(constant_id = TESSERA_SPEC_BIT_PLANES) const uint BIT_PLANES = 2;
// The bit planes of a word of cells after a generation, from those before it and what lives.
uint[TESSERA_MOST_BIT_PLANES] next_states(const uint own[TESSERA_MOST_BIT_PLANES], const uint lives) { return own; }
#endif

// The next generation of the word at `at`, which is that of row r at `place`. Bits that are no cells of
// the grid stay zero.
void write_next(uint at, PLACE place, uint r, uint alive, const NUMBER n, uint inside) {
  uint lives;
  if (TABLE != 0) {
    lives = look_up(n, alive);
  } else {
    lives = lives_of(n, alive);
  }
#ifdef TESSERA_STATES
  const uint plane = (W + 2 * SIDE - 1) * STRIDE;
  uint codes[TESSERA_MOST_BIT_PLANES];
  [[unroll]] for (uint n = 0; n < TESSERA_MOST_BIT_PLANES; n++) codes[n] = 0;
  codes[0] = alive;
  [[unroll]] for (uint n = 1; n < BIT_PLANES; n++) codes[n] = SEEN(place, r * (STRIDE / R) + n * plane);
  codes = next_states(codes, lives);
  [[unroll]] for (uint n = 0; n < BIT_PLANES; n++) next[at + n * plane] = codes[n] & inside;
#else
  next[at] = lives & inside;
#endif
}

void main() {
  const uint tile = p.first_tile + workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (tile >= p.end_tile) return;
  const uint part = tile / p.rows, rows = tile - part * p.rows, y = rows * R;
  const uint walk = (W + p.columns - 1) / p.columns;
  const uint first = part * walk, end = min(first + walk, W);
  uint at = (SIDE + first) * STRIDE + MARGIN / R + rows;
  corner_places = uint[](
      CORNER0, CORNER1, CORNER2, CORNER3, CORNER4, CORNER5, CORNER6, CORNER7, CORNER8, CORNER9, CORNER10, CORNER11,
      CORNER12, CORNER13, CORNER14, CORNER15, CORNER16, CORNER17, CORNER18, CORNER19, CORNER20, CORNER21, CORNER22,
      CORNER23, CORNER24, CORNER25, CORNER26, CORNER27, CORNER28, CORNER29, CORNER30, CORNER31);

  // Counts of the column on the left of the first: of all cells in the first row, then from row to row.
  uint counts[R][TESSERA_MOST_COUNT_BITS];
  NUMBER n;
  [[unroll]] for (uint i = 0; i < COUNT_BITS; i++) n[i] = 0;
  PLACE place = place_of(at);
  const PLACE left = place_of(at - STRIDE);
  if (SQUARE != 0) {
    [[dont_unroll]] for (uint x = 0; x < DOWN; x++) {
#define IN_COLUMN(I) cell(left, SQUARE_LEFT + x, RUN_TOP + (I))
      ADD_LINE(n, COUNT_BITS, ACROSS, IN_COLUMN, 0u)
    }
  } else {
    // Many at a time: lavapipe ends loops after 65,535 rounds, all of an invocation's together.
    [[dont_unroll]] for (uint i = 0; i < CELLS / 32 * 32; i += 32) {
      [[unroll]] for (uint k = 0; k < 32; k += 8) {
        uint cells[8];
        [[unroll]] for (uint e = 0; e < 8; e++) cells[e] = SEEN(left, places[FIRST_CELLS + i + k + e]);
        ADD_EIGHT(n, COUNT_BITS)
      }
    }
    ADD_LIST(n, COUNT_BITS, left, (FIRST_CELLS + CELLS / 32 * 32), (CELLS % 32), 0u)
  }
  [[unroll]] for (uint c = 0; c < R; c++) {
    if (c > 0) {
      const uint list = FIRST_DOWN + (c - 1) * 2 * DOWN;
      ADD_NUMBER(n, COUNT_BITS, (0u - DOWN))
      if (SQUARE != 0) {
#define ENTERS_BELOW(I) cell(left, SQUARE_LEFT + (I), RUN_TOP + ACROSS - 1 + c)
#define LEAVES_ABOVE(I) cell(left, SQUARE_LEFT + (I), RUN_TOP - 1 + c)
        ADD_LINE(n, COUNT_BITS, DOWN, ENTERS_BELOW, 0u)
        ADD_LINE(n, COUNT_BITS, DOWN, LEAVES_ABOVE, ~0u)
      } else {
        ADD_LIST(n, COUNT_BITS, left, list, DOWN, 0u)
        ADD_LIST(n, COUNT_BITS, left, (list + DOWN), DOWN, ~0u)
      }
    }
    [[unroll]] for (uint i = 0; i < COUNT_BITS; i++) counts[c][i] = n[i];
  }
  if (RUN != 0) {
    uint enters[LINE], leaves[LINE];
    if (AHEAD != 0) {
      LOAD_LINE(enters, RUN_ENTERS, place)
      LOAD_LINE(leaves, RUN_LEAVES, place)
    }
    [[dont_unroll]] for (uint j = first; j < end; j++) {
      const uint inside = bits_before(p.width, j);
      const PLACE here = place;
      uint alive[R], next_enters[LINE], next_leaves[LINE];
      [[unroll]] for (uint c = 0; c < R; c++) alive[c] = cell(here, 0, c);
      if (AHEAD != 0) {
        if (j + 1 < end) place = right_of(place);
        LOAD_LINE(next_enters, RUN_ENTERS, place)
        LOAD_LINE(next_leaves, RUN_LEAVES, place)
      } else {
        LOAD_LINE(enters, RUN_ENTERS, place)
        LOAD_LINE(leaves, RUN_LEAVES, place)
        place = right_of(place);
      }
      NUMBER gain;
      COUNT_LINES(enters, leaves)
      [[unroll]] for (uint c = 0; c < R; c++) {
        if (c > 0) RUN_DOWN(enters, leaves, c)
        ADD_GAIN(counts[c])
        if (y + c < p.height) write_next(at + c * (STRIDE / R), here, c, alive[c], counts[c], inside);
      }
      at += STRIDE;
      if (AHEAD != 0) {
        [[unroll]] for (uint i = 0; i < LINE; i++) {
          enters[i] = next_enters[i];
          leaves[i] = next_leaves[i];
        }
      }
    }
    return;
  }
  [[dont_unroll]] for (uint j = first; j < end; j++) {
    const uint inside = bits_before(p.width, j);
    NUMBER gain;
    if (CORNERS != 0) {
      [[unroll]] for (uint i = 0; i < GAIN_BITS; i++) gain[i] = spread(0u - ACROSS, i);
      ADD_LIST(gain, GAIN_BITS, place, FIRST_ACROSS, ACROSS, 0u)
      ADD_LIST(gain, GAIN_BITS, place, (FIRST_ACROSS + ACROSS), ACROSS, ~0u)
    }
    [[unroll]] for (uint c = 0; c < R; c++) {
      if (CORNERS != 0) {
        if (c > 0) {
          // What the counts of one row gain becomes that of the next.
          const uint minus = TESSERA_MOST_CORNERS;
          [[unroll]] for (uint i = 0; i + 2 <= CORNERS; i += 2)
            MOVE_BY_TWO(corner(place, i, c), corner(place, i + 1, c), corner(place, minus + i, c),
                        corner(place, minus + i + 1, c))
          if (CORNERS % 2 != 0) {
            const uint up = corner(place, CORNERS - 1, c), down = corner(place, minus + CORNERS - 1, c);
            MOVE_GAIN(0)
          }
        }
        ADD_GAIN(counts[c])
      } else {
        const uint list = FIRST_ACROSS + c * 2 * ACROSS;
        ADD_NUMBER(counts[c], COUNT_BITS, (0u - ACROSS))
        ADD_LIST(counts[c], COUNT_BITS, place, list, ACROSS, 0u)
        ADD_LIST(counts[c], COUNT_BITS, place, (list + ACROSS), ACROSS, ~0u)
      }
      if (y + c < p.height)
        write_next(at + c * (STRIDE / R), place, c, cell(place, 0, c), counts[c], inside);
    }
    at += STRIDE;
    place = right_of(place);
  }
}
