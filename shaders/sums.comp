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
// lives_of and next_states are empty here: backends/vulkan/program_module.h writes a rule's gates
// into them.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

#define TESSERA_FN
#define TESSERA_WORD uint
#define TESSERA_NOT(a) (~(a))
#include "core/rules/circuit.inl"

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
#define CORNER(n) layout(constant_id = TESSERA_SPEC_CORNER + n) const uint CORNER##n = 0;
CORNER(0) CORNER(1) CORNER(2) CORNER(3) CORNER(4) CORNER(5) CORNER(6) CORNER(7)
CORNER(8) CORNER(9) CORNER(10) CORNER(11) CORNER(12) CORNER(13) CORNER(14) CORNER(15)
CORNER(16) CORNER(17) CORNER(18) CORNER(19) CORNER(20) CORNER(21) CORNER(22) CORNER(23)
CORNER(24) CORNER(25) CORNER(26) CORNER(27) CORNER(28) CORNER(29) CORNER(30) CORNER(31)
// 0 .. 15 are places that gains gain, 16 .. 31 those that they lose.
uint corner_place(uint i) {
  uint all[2 * TESSERA_MOST_CORNERS] = uint[](
      CORNER0, CORNER1, CORNER2, CORNER3, CORNER4, CORNER5, CORNER6, CORNER7, CORNER8, CORNER9, CORNER10, CORNER11,
      CORNER12, CORNER13, CORNER14, CORNER15, CORNER16, CORNER17, CORNER18, CORNER19, CORNER20, CORNER21, CORNER22,
      CORNER23, CORNER24, CORNER25, CORNER26, CORNER27, CORNER28, CORNER29, CORNER30, CORNER31);
  return all[i];
}

const uint TABLE_WORDS = TABLE == 0 ? 0 : ((2u << COUNT_BITS) + 31) / 32;
// Where the lists of neighbours begin: those of the first count; for each further row the cells
// that enter and leave from the row above; for each row, or the first where gains run down rows,
// those that enter and leave from the column on the left.
const uint FIRST_CELLS = TABLE_WORDS;
const uint FIRST_DOWN = FIRST_CELLS + CELLS;
const uint FIRST_ACROSS = FIRST_DOWN + (R - 1) * 2 * DOWN;

#define NUMBER uint[TESSERA_MOST_COUNT_BITS]

uint spread(uint n, uint i) { return 0u - (n >> i & 1u); }

// Bit i of n, a and b becomes n; returns the carry.
uint add_two(inout NUMBER n, uint bits, uint i, uint a, uint b) {
  if (i >= bits) return 0;
  const uint carry = tessera_maj3(n[i], a, b);
  n[i] = tessera_xor3(n[i], a, b);
  return carry;
}

// n += carry * 2^first; what goes beyond the bits is lost, here and below.
void add_bit(inout NUMBER n, uint bits, uint first, uint carry) {
  [[unroll]] for (uint i = first; i < bits; i++) {
    const uint sum = n[i] ^ carry;
    carry &= n[i];
    n[i] = sum;
  }
}

void add_eight(inout NUMBER n, uint bits, const uint cells[8]) {
  uint twos[4];
  [[unroll]] for (uint k = 0; k < 4; k++) twos[k] = add_two(n, bits, 0, cells[2 * k], cells[2 * k + 1]);
  const uint first = add_two(n, bits, 1, twos[0], twos[1]), second = add_two(n, bits, 1, twos[2], twos[3]);
  add_bit(n, bits, 3, add_two(n, bits, 2, first, second));
}

// n += value, a constant.
void add_number(inout NUMBER n, uint bits, uint value) {
  uint carry = 0;
  [[unroll]] for (uint i = 0; i < bits; i++) {
    const uint bit = spread(value, i), sum = n[i] ^ bit ^ carry;
    carry = tessera_maj3(n[i], bit, carry);
    n[i] = sum;
  }
}

// n += the cells of a list, or, with `taken` = ~0, the number of those that are dead.
void add_list(inout NUMBER n, uint bits, uint at, uint first, uint count, uint taken) {
  const uint eights = count / 8 * 8;
  uint cells[8];
  [[dont_unroll]] for (uint i = 0; i < eights; i += 8) {
    [[unroll]] for (uint k = 0; k < 8; k++) cells[k] = own[at + places[first + i + k]] ^ taken;
    add_eight(n, bits, cells);
  }
  if (eights == count) return;
  [[unroll]] for (uint k = 0; k < 8; k++) {
    cells[k] = 0;
    if (k < count % 8) cells[k] = own[at + places[first + eights + k]] ^ taken;
  }
  add_eight(n, bits, cells);
}

// The word dx words on from the invocation's own, in row r from its first.
uint cell(uint at, uint dx, uint r) {
  const uint row = r + TESSERA_FAR;
  return own[at + dx * p.stride + row % R * (p.stride / R) + row / R - TESSERA_FAR / R];
}

// The same as add_list where the cells are those of one column.
void add_run(inout NUMBER n, uint bits, uint at, uint dx, uint taken) {
  [[unroll]] for (uint i = 0; i < ACROSS; i += 8) {
    uint cells[8];
    [[unroll]] for (uint k = 0; k < 8; k++) {
      cells[k] = 0;
      if (i + k < ACROSS) cells[k] = cell(at, dx, RUN_FIRST - TESSERA_FAR + i + k) ^ taken;
    }
    add_eight(n, bits, cells);
  }
}

uint corner(uint at, uint i, uint row) {
  const uint place = corner_place(i);
  return cell(at, place / 2048 - TESSERA_FAR, place % 2048 - TESSERA_FAR + row);
}

// n += up - down, both of one bit, from bit `first` on: t says whether a carry or, where there is
// none, a borrow goes on.
void move_by(inout NUMBER n, uint first, uint up, uint down) {
  if (first >= GAIN_BITS) return;
  uint t = (up ^ down) & ~(up ^ n[first]);
  n[first] = tessera_xor3(n[first], up, down);
  [[unroll]] for (uint i = first + 1; i < GAIN_BITS; i++) {
    const uint old = n[i];
    n[i] ^= t;
    t &= ~(old ^ up);
  }
}

// What the counts of one row gain becomes that of the next, `row`.
void run_down(inout NUMBER gain, uint at, uint row) {
  const uint minus = TESSERA_MOST_CORNERS;
  [[unroll]] for (uint i = 0; i + 2 <= CORNERS; i += 2) {
    const uint up = add_two(gain, GAIN_BITS, 0, corner(at, i, row), corner(at, i + 1, row));
    const uint a = corner(at, minus + i, row), b = corner(at, minus + i + 1, row);
    const uint down = tessera_maj3(~gain[0], a, b);
    gain[0] = tessera_xor3(gain[0], a, b);
    move_by(gain, 1, up, down);
  }
  if (CORNERS % 2 != 0) move_by(gain, 0, corner(at, CORNERS - 1, row), corner(at, minus + CORNERS - 1, row));
}

// A count += a gain, whose highest bit is its sign.
void add_gain(inout NUMBER n, const NUMBER gain) {
  uint carry = 0;
  [[unroll]] for (uint i = 0; i < COUNT_BITS; i++) {
    const uint bit = gain[min(i, GAIN_BITS - 1)];
    const uint sum = tessera_xor3(n[i], bit, carry);
    carry = tessera_maj3(n[i], bit, carry);
    n[i] = sum;
  }
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

// Bits that are no cells of the grid stay zero.
void write_next(uint at, const NUMBER n, uint inside) {
  const uint alive = own[at];
  uint lives;
  if (TABLE != 0) {
    lives = look_up(n, alive);
  } else {
    lives = lives_of(n, alive);
  }
#ifdef TESSERA_STATES
  const uint plane = (W + 2 * SIDE - 1) * p.stride;
  uint codes[TESSERA_MOST_BIT_PLANES];
  [[unroll]] for (uint n = 0; n < TESSERA_MOST_BIT_PLANES; n++) codes[n] = 0;
  codes[0] = alive;
  [[unroll]] for (uint n = 1; n < BIT_PLANES; n++) codes[n] = own[at + n * plane];
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
  uint at = (SIDE + first) * p.stride + MARGIN / R + rows;

  // Counts of the column on the left of the first.
  uint counts[R][TESSERA_MOST_COUNT_BITS];
  NUMBER n;
  [[unroll]] for (uint i = 0; i < TESSERA_MOST_COUNT_BITS; i++) n[i] = 0;
  const uint left = at - p.stride;
  // Many at a time: lavapipe ends loops after 65,535 rounds, all of an invocation's together.
  const uint many = CELLS / 32 * 32;
  [[dont_unroll]] for (uint i = 0; i < many; i += 32) {
    [[unroll]] for (uint k = 0; k < 32; k += 8) {
      uint cells[8];
      [[unroll]] for (uint e = 0; e < 8; e++) cells[e] = own[left + places[FIRST_CELLS + i + k + e]];
      add_eight(n, COUNT_BITS, cells);
    }
  }
  add_list(n, COUNT_BITS, left, FIRST_CELLS + many, CELLS - many, 0);
  counts[0] = n;
  [[unroll]] for (uint c = 1; c < R; c++) {
    const uint list = FIRST_DOWN + (c - 1) * 2 * DOWN;
    add_number(n, COUNT_BITS, 0u - DOWN);
    add_list(n, COUNT_BITS, left, list, DOWN, 0);
    add_list(n, COUNT_BITS, left, list + DOWN, DOWN, ~0u);
    counts[c] = n;
  }
  [[dont_unroll]] for (uint j = first; j < end; j++) {
    const uint inside = bits_before(p.width, j);
    NUMBER gain;
    if (CORNERS != 0) {
      [[unroll]] for (uint i = 0; i < TESSERA_MOST_COUNT_BITS; i++) gain[i] = spread(0u - ACROSS, i);
      if (RUN != 0) {
        add_run(gain, GAIN_BITS, at, RUN_ENTERS - TESSERA_FAR, 0);
        add_run(gain, GAIN_BITS, at, RUN_LEAVES - TESSERA_FAR, ~0u);
      } else {
        add_list(gain, GAIN_BITS, at, FIRST_ACROSS, ACROSS, 0);
        add_list(gain, GAIN_BITS, at, FIRST_ACROSS + ACROSS, ACROSS, ~0u);
      }
    }
    [[unroll]] for (uint c = 0; c < R; c++) {
      n = counts[c];
      if (CORNERS != 0) {
        if (c > 0) run_down(gain, at, c);
        add_gain(n, gain);
      } else {
        const uint list = FIRST_ACROSS + c * 2 * ACROSS;
        add_number(n, COUNT_BITS, 0u - ACROSS);
        add_list(n, COUNT_BITS, at, list, ACROSS, 0);
        add_list(n, COUNT_BITS, at, list + ACROSS, ACROSS, ~0u);
      }
      counts[c] = n;
      if (y + c < p.height) write_next(at + c * (p.stride / R), n, inside);
    }
    at += p.stride;
  }
}
