// strips: a subgroup keeps a tile of one macro-column in registers, R rows of W words per lane, and
// steps it T generations; layout.glsl explains strips, which need no shifts between neighbouring
// words. Row codes cross lanes by shuffles. On load, the M lowest and highest bits are filled from
// the neighbouring strips: a halo of M * W columns, enough for T <= M * W. Where M > 1 there are
// three macro-columns or more.
//
// The subgroups of a workgroup may lie below each other in one tile. Then OVERLAP lanes at either
// end of a subgroup hold copies of rows that the next one owns. After as many generations as the
// copies last, they are renewed through shared memory. So only the ends of the whole tile are lost
// to its halo, and T may be large.
//
// The tiles at the left and right edge come first: they take longer, and the end of a dispatch
// should not wait for them. Where a device's multipliers are separate from its logic, parities are
// sums less twice the majority, a^b^c = a+b+c - 2*maj(a,b,c), in every bit and so for whole words
// including carries.
//
// With TESSERA_PROGRAM it steps rules that do not count their neighbours (program.glsl). What those
// read in the rows above and below crosses lanes by shuffles. With TESSERA_STATES, too, a cell's code
// has BIT_PLANES planes (bit_planes.glsl): all are loaded with their halos and stored, and only the
// first has neighbours.
//
// With TESSERA_ADDRESSED it steps all chunks of a grid in one dispatch (addressed.glsl), and with
// TESSERA_CHAINED it takes many passes in one (chained.glsl).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "layout.glsl"
#include "neighbours.glsl"
#ifndef TESSERA_PROGRAM
#include "rule.glsl"
#endif

#ifdef TESSERA_ADDRESSED
#include "addressed.glsl"
#else
#ifdef TESSERA_CHAINED
#include "chained.glsl"
#else
// The same memory in rows of two and four.
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Own2 { uvec2 own2[]; };
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Own4 { uvec4 own4[]; };
layout(binding = TESSERA_BIND_WEST, std430) restrict readonly buffer West2 { uvec2 west2[]; };
layout(binding = TESSERA_BIND_WEST, std430) restrict readonly buffer West4 { uvec4 west4[]; };
layout(binding = TESSERA_BIND_EAST, std430) restrict readonly buffer East2 { uvec2 east2[]; };
layout(binding = TESSERA_BIND_EAST, std430) restrict readonly buffer East4 { uvec4 east4[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out2 { uvec2 next2[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out4 { uvec4 next4[]; };
#endif

// A place in memory is the number of a word of the chunk. addressed.glsl has other ones.
#define PLACE uint
#define WORDS(n) n
#define ROW(n) n
#define NEXT_MACRO W * p.stride
#define STRIDE p.stride
// An inner tile's cells, and those to its west and east.
#define LOAD_INNER(at) load_own(at)
#define LOAD_INNER_WEST(at) load_own(at - macro_words)
#define LOAD_INNER_EAST(at) load_own(at + macro_words)
#define STORE_ROWS(at, cells) store_rows(at, cells)
#define STORE_WORD(at, word) store_word(at, word)
#endif

// Where the present cells and the next ones begin.
#ifndef TESSERA_CHAINED
#define HERE WORDS(0)
#define THERE WORDS(0)
#endif

layout(constant_id = TESSERA_SPEC_SUBGROUP_SIZE) const uint LANES = 32;
layout(constant_id = TESSERA_SPEC_ROWS) const uint R = 8;
layout(constant_id = TESSERA_SPEC_CUT) const uint CUT = 1;

layout(constant_id = TESSERA_SPEC_THIN) const uint THIN = 0;
layout(constant_id = TESSERA_SPEC_SUMS) const uint SUMS = 0;
layout(constant_id = TESSERA_SPEC_OVERLAP) const uint OVERLAP = 0;
layout(constant_id = TESSERA_SPEC_ALL_GIVE) const uint ALL_GIVE = 0;

// A tile's cells, in each bit plane. Where there is one, nothing of it reaches the compiler.
#ifdef TESSERA_STATES
layout(constant_id = TESSERA_SPEC_BIT_PLANES) const uint BIT_PLANES = 2;
#define EACH_PLANE [[unroll]] for (uint n = 0; n < BIT_PLANES; n++)
#define CELLS s[n]  // within EACH_PLANE
#define ALIVE s[0]
#ifndef TESSERA_ADDRESSED
#define IN_PLANE(at, plane) ((at) + n * (plane))
#else
#define IN_PLANE(at, plane) ((at) + uvec4(0, 0, n, 0))
#endif
#define TILE_WORDS (BIT_PLANES * W * R)
#define NTH_WORD(j, r) ((n * W + j) * R + r)
#else
#define EACH_PLANE
#define CELLS s
#define ALIVE s
#define IN_PLANE(at, plane) at
#define TILE_WORDS W * R
#define NTH_WORD(j, r) (j * R + r)
#endif

const uint SUBGROUPS = OVERLAP == 0 ? 1 : gl_WorkGroupSize.x / LANES;  // of a tile
const uint OWNED = LANES - 2 * OVERLAP;  // lanes of a subgroup that copy nothing
const uint TILE_ROWS = (SUBGROUPS * OWNED + 2 * OVERLAP) * R;
const uint COPIES_LAST = OVERLAP == 0 ? 1 : OVERLAP * R;  // generations

// The copied rows, one slot for each lane that gives some, alternating between two halves, so that
// one barrier is enough. Where there is enough memory, all lanes give rows, and those that copy
// from no other get their own back. Elsewhere the other lanes write to one extra slot that nobody
// reads, and keep their rows. There is never a branch: lanes that diverge need not be together
// again at the next shuffle, and on an H100 loops after a branch are slower.
const uint SLOTS = ALL_GIVE != 0 ? LANES * SUBGROUPS : 2 * OVERLAP * SUBGROUPS + 1;
const uint HALF = OVERLAP == 0 ? 1 : SLOTS * TILE_WORDS;
shared uint copied[2 * HALF];

#if !defined(TESSERA_ADDRESSED) && !defined(TESSERA_CHAINED)
// V rows from word `at` of memory on.
uvec4 load_own(uint at) {
  if (V == 4) return own4[at >> 2];
  if (V == 2) return uvec4(own2[at >> 1], 0, 0);
  return uvec4(own[at], 0, 0, 0);
}
// The same from the neighbouring chunk; a grid of one chunk is its own neighbour.
uvec4 load_west(uint at, bool next_door) {
  if (CUT == 0 || !next_door) return load_own(at);
  if (V == 4) return west4[at >> 2];
  if (V == 2) return uvec4(west2[at >> 1], 0, 0);
  return uvec4(west[at], 0, 0, 0);
}
uvec4 load_east(uint at, bool next_door) {
  if (CUT == 0 || !next_door) return load_own(at);
  if (V == 4) return east4[at >> 2];
  if (V == 2) return uvec4(east2[at >> 1], 0, 0);
  return uvec4(east[at], 0, 0, 0);
}
void store_rows(uint at, uvec4 cells) {
  if (V == 4) next4[at >> 2] = cells;
  if (V == 2) next2[at >> 1] = cells.xy;
  if (V == 1) next[at] = cells.x;
}
void store_word(uint at, uint word) { next[at] = word; }
#endif

uvec4 rows_of(uint column[R], uint r) {
  uvec4 rows = uvec4(column[r], 0, 0, 0);
  if (V > 1) rows.y = column[r + 1];
  if (V > 2) rows.zw = uvec2(column[r + 2], column[r + 3]);
  return rows;
}

// Equals (x << BITS) + y.
uvec4 add_times_2_bits(uvec4 x, uvec4 y) { return x * p.two_bits + y; }

// a + b and a + b - 2m by multiplications.
uint sum_of(uint a, uint b) { return a * p.one + b; }
uint parity_of(uint a, uint b, uint majority) { return majority * p.minus_two + sum_of(a, b); }

#ifdef TESSERA_PROGRAM
#define PROGRAM_PARITY(a, b, c, majority) ((SUMS & TESSERA_SUM_PROGRAM) != 0 ? parity_of(a, sum_of(b, c), majority) : a ^ b ^ c)
#include "program.glsl"
#else
bool by_sum(uint row) { return (SUMS >> row % 8 & 1) != 0; }

// The next state of a row of words from the row codes above, of itself and below, its cells and
// their neighbours; `sides` is left + right.
uint next_of(uint row, uint xa, uint ma, uint xb, uint mb, uint left, uint centre, uint right, uint sides, uint xc,
             uint mc) {
  if (LIFE != 0) {
    if (!by_sum(row)) return tessera_life_sides(xa, ma, left, centre, right, xc, mc);
    const uint q = tessera_maj3(xa, left, right);
    return tessera_life_end(parity_of(xa, sides, q), q, ma, centre, xc, mc);
  }
  const uint k = tessera_k(xa, xb, xc), u1 = tessera_u1(ma, mb, mc);
  uint t0 = tessera_t0(xa, xb, xc), u0 = tessera_u0(ma, mb, mc);
  // Two rows share the sum of the codes between them.
  const bool odd = row % 2 != 0;
  if ((SUMS & TESSERA_SUM_T0) != 0) t0 = odd ? parity_of(xc, sum_of(xa, xb), k) : parity_of(xa, sum_of(xb, xc), k);
  if ((SUMS & TESSERA_SUM_U0) != 0) u0 = odd ? parity_of(mc, sum_of(ma, mb), u1) : parity_of(ma, sum_of(mb, mc), u1);
  return rule_tail(t0, k, u0, u1, centre);
}
#endif

// The bit of word j that follows its last cell in the last macro-column.
uint bit_after_last(uint j) { return p.last_bit + (j < p.last_word ? 1 : 0); }

void main() {
  const bool tile_of_many = OVERLAP != 0;
#ifdef TESSERA_CHAINED
  uint pass, macro, tile_row;
  take_turn(pass, tile_row, macro);
  const uint before = pass * p.each;
  if (before >= p.generations) return;
  const uint generations = min(p.each, p.generations - before), odd = p.odd + before;
  const bool in_second = (p.present + pass) % 2 != 0;
  const uint here_at = in_second ? p.second : 0, there_at = in_second ? 0 : p.second;
  wait_for_neighbours(pass, tile_row);
#else
  const uint generations = p.generations, odd = p.odd;
  const uint tile = p.first_tile + (tile_of_many ? workgroup() : workgroup() * (gl_WorkGroupSize.x / LANES) + gl_SubgroupID);
  if (tile >= p.end_tile) return;
  const uint sides = min(p.columns, 3u), inner = p.columns - sides;
  uint macro, tile_row;
  if (tile < sides * p.rows) {
    const uint which = tile / p.rows;
    tile_row = tile - which * p.rows;
    macro = which == 0 ? 0 : p.columns - which;
  } else {
    const uint left = tile - sides * p.rows;
#ifdef TESSERA_ADDRESSED
    const uvec2 at = inner_tile(left, inner);
    tile_row = at.x;
    macro = at.y;
#else
    tile_row = left / inner;
    macro = 1 + left - tile_row * inner;
#endif
  }
#endif
  const bool is_first = macro == 0, is_last = macro + 1 == p.columns, is_last_but_one = macro + 2 == p.columns;
  // In the tile.
  const uint lane = gl_SubgroupInvocationID, subgroup = tile_of_many ? gl_SubgroupID : 0;
  const uint r0 = (subgroup * OWNED + lane) * R;
  const bool copies_above = tile_of_many && lane < OVERLAP && subgroup != 0;
  const bool copies_below = tile_of_many && lane >= LANES - OVERLAP && subgroup + 1 != SUBGROUPS;
  const uint row = tile_row * p.tile_height + r0;  // in memory, before planes
  const int y0 = int(row) - int(MARGIN);
  const PLACE macro_words = NEXT_MACRO, plane = WORDS(p.stride / PLANES), at_row = HERE + ROW(row / PLANES);
  const PLACE base = macro * macro_words + at_row;

#ifdef TESSERA_STATES
#ifndef TESSERA_ADDRESSED
  // Words of a bit plane of this chunk and its neighbours.
  const uint own_plane = p.columns * macro_words;
  const uint west_plane = is_first ? (p.west_width + MACRO - 1) / MACRO * macro_words : own_plane;
  const uint next_plane = (p.east_width + MACRO - 1) / MACRO * macro_words;
#endif
  uint s[BIT_PLANES][W][R];
#else
  uint s[W][R];
#endif
  if (!is_first && !is_last && !is_last_but_one) {
#ifdef TESSERA_ADDRESSED
    const uvec4 west_column = column_at(macro - 1, at_row.w), own_column = column_at(macro, at_row.w),
                east_column = column_at(macro + 1, at_row.w);
#endif
    EACH_PLANE [[unroll]] for (uint j = 0; j < W; j++) {
      [[unroll]] for (uint r = 0; r < R; r += V) {
        const PLACE at = IN_PLANE(base + j * STRIDE + r / V * plane, own_plane);
        const uvec4 l = LOAD_INNER_WEST(at), e = LOAD_INNER_EAST(at);
        const uvec4 cells = add_times_2_bits(e, LOAD_INNER(at)) + (l >> BITS);
        CELLS[j][r] = cells.x;
        if (V > 1) CELLS[j][r + 1] = cells.y;
        if (V > 2) CELLS[j][r + 2] = cells.z, CELLS[j][r + 3] = cells.w;
      }
    }
  } else {
    // The halo bits come from the places of the wrapped columns. In the first macro-column the
    // western ones may be cut in two by a macro-column's end, and in the last but one the eastern
    // ones by the end of the last. Written without branches, so that all loads are under way before
    // the first is waited for.
    const PLACE west_from = is_first ? p.west_macro * macro_words + at_row : base - macro_words;
    const uint west_word = is_first ? p.west_word : 0, west_bit = is_first ? p.west_bit : BITS;
    const uint west_mask = is_first && !has_west() ? 0 : (1u << M) - 1;
    [[unroll]] for (uint j = 0; j < W; j++) {
      uint west_j = west_word + j;
      const uint carry = west_j >= W ? 1 : 0;
      west_j -= carry * W;
      uint from_bit = west_bit + carry;
      const uint left = M + BITS - from_bit;  // cells of this strip before its macro-column's end
      const bool beyond = M == 1 && left == 0;
      if (beyond) from_bit = M;
      if (THIN != 0 && is_first) west_j = (west_word + j) % p.west_width, from_bit = M;
      const PLACE west_at = west_from + west_j * STRIDE + (beyond ? macro_words : WORDS(0));
      // What follows the last cell of the last macro-column begins among the first columns.
      const uint end = bit_after_last(j);
      uint wrapped_j = j + (j < p.last_word ? W : 0) - p.last_word;
      if (THIN != 0) wrapped_j %= p.east_width;
      const PLACE wrapped_at = wrapped_j * STRIDE + at_row;
      const uint wrapped_mask = has_east() ? ~0u : 0;
      const bool wraps = is_last || (M == 1 && is_last_but_one && end == M);
      const PLACE east_at = wraps ? wrapped_at : base + macro_words + j * STRIDE;
      const uint east_mask = wraps ? wrapped_mask : ~0u;
      const uint to_bit = is_last ? end : 32 - M;
      // The second part of a field that is cut.
      const bool west_cut = M > 1 && is_first && left < M, east_cut = M > 1 && is_last_but_one && end < 2 * M;
      const PLACE part_at = west_cut ? west_at + macro_words : wrapped_at;
      const uint part_bit = west_cut ? left : east_cut ? BITS + end : 0;
      const uint part_mask = west_cut ? west_mask : east_cut ? wrapped_mask : 0;
      EACH_PLANE [[unroll]] for (uint r = 0; r < R; r += V) {
        const PLACE offset = r / V * plane;
        const uvec4 l = load_west(IN_PLANE(west_at + offset, west_plane), is_first),
                    e = load_east(IN_PLANE(east_at + offset, wraps ? next_plane : own_plane), wraps);
        uvec4 cells = load_own(IN_PLANE(base + j * STRIDE + offset, own_plane)) | (l >> from_bit & west_mask) |
                      (e >> M & east_mask) << to_bit;
        if (M > 1) {
          const uvec4 part = west_cut ? load_west(IN_PLANE(part_at + offset, west_plane), true)
                                      : load_east(IN_PLANE(part_at + offset, next_plane), true);
          cells |= part >> M << part_bit & part_mask;
        }
        CELLS[j][r] = cells.x;
        if (V > 1) CELLS[j][r + 1] = cells.y;
        if (V > 2) CELLS[j][r + 2] = cells.z, CELLS[j][r + 3] = cells.w;
      }
    }
  }

  // On a plane, a tile that reaches beyond the border kills what is born there, every generation.
  const bool west_border = is_first && !has_west();
  const bool east_border = (is_last || is_last_but_one) && !has_east();
  const bool masked = PLANE != 0 && (west_border || east_border || !rows_inside(y0 - int(r0), int(TILE_ROWS), 0));

  uint give_at = subgroup * LANES + lane, take_at = give_at, take_mask = ~0u;
  if (ALL_GIVE != 0) {
    // Lane 0 of a subgroup holds the rows of lane OWNED of the one above.
    take_at += (copies_below ? LANES - OWNED : 0) - (copies_above ? LANES - OWNED : 0);
  } else {
    const bool gives = lane - OVERLAP < OVERLAP || lane - OWNED < OVERLAP;
    const uint first_slot = subgroup * 2 * OVERLAP;
    give_at = !gives ? SLOTS - 1 : first_slot + (lane < 2 * OVERLAP ? lane - OVERLAP : lane - OWNED + OVERLAP);
    take_at = copies_above   ? first_slot - OVERLAP + lane
              : copies_below ? first_slot + 2 * OVERLAP + lane - (LANES - OVERLAP)
                             : SLOTS - 1;
    take_mask = copies_above || copies_below ? ~0u : 0;
  }
  uint t = 0, half_in_use = 0;
  for (;;) {
    // The loop of generations contains nothing else, so that it is scheduled well.
    const uint end = tile_of_many ? min(t + COPIES_LAST, generations) : generations;
    [[dont_unroll]] for (; t < end; t++) {
      // The old word to the left; the old word 0 as the right neighbour of word W-1.
      uint left[R], seam[R];
      [[unroll]] for (uint r = 0; r < R; r++) {
        left[r] = ALIVE[W - 1][r] << 1;
        seam[r] = ALIVE[0][r] >> 1;
      }
#ifdef TESSERA_PROGRAM
      [[unroll]] for (uint j = 0; j < W; j++) {
        // Rows -1 and R of this column of words, then three rows that move down it.
        uint here[SIGNALS] = row_signals(left[0], ALIVE[j][0], j == W - 1 ? seam[0] : ALIVE[(j + 1) % W][0]);
        uint below[SIGNALS] =
            row_signals(left[R - 1], ALIVE[j][R - 1], j == W - 1 ? seam[R - 1] : ALIVE[(j + 1) % W][R - 1]);
        uint above[SIGNALS], end[SIGNALS];
        [[unroll]] for (uint n = 0; n < SIGNALS; n++) {
          above[n] = end[n] = 0;
          if ((ABOVE >> n & 1) != 0) above[n] = subgroupShuffleUp(below[n], 1);
          if ((BELOW >> n & 1) != 0) end[n] = subgroupShuffleDown(here[n], 1);
        }
        [[unroll]] for (uint r = 0; r < R; r++) {
          const uint k = (r + 1) % R;  // the row below but for the last one's
          below = row_signals(left[k], ALIVE[j][k], j == W - 1 ? seam[k] : ALIVE[(j + 1) % W][k]);
          if (r + 1 == R) below = end;
          uint cells;
          if (TURNS != 0 && (odd + t) % 2 != 0) {
            cells = odd_program_of(above, here, below);
          } else {
            cells = program_of(above, here, below);
          }
          left[r] = here[CENTRE];
#ifdef TESSERA_STATES
          uint codes[TESSERA_MOST_BIT_PLANES];
          EACH_PLANE codes[n] = s[n][j][r];
          codes = next_states(codes, cells);
          EACH_PLANE s[n][j][r] = codes[n];
#else
          s[j][r] = cells;
#endif
          above = here;
          here = below;
        }
      }
#else
      [[unroll]] for (uint j = 0; j < W; j++) {
        uint x[R + 2], m[R + 2], sides[R];  // row codes of rows -1 .. R of this column of words
        [[unroll]] for (uint r = 0; r < R; r++) {
          const uint right = j == W - 1 ? seam[r] : s[(j + 1) % W][r];
          m[r + 1] = tessera_maj3(left[r], s[j][r], right);
          sides[r] = sum_of(left[r], right);
          x[r + 1] = by_sum(r) ? parity_of(s[j][r], sides[r], m[r + 1]) : tessera_xor3(left[r], s[j][r], right);
        }
        x[0] = subgroupShuffleUp(x[R], 1);
        m[0] = subgroupShuffleUp(m[R], 1);
        x[R + 1] = subgroupShuffleDown(x[1], 1);
        m[R + 1] = subgroupShuffleDown(m[1], 1);
        [[unroll]] for (uint r = 0; r < R; r++) {
          const uint centre = s[j][r];
          const uint right = j == W - 1 ? seam[r] : s[(j + 1) % W][r];
          s[j][r] = next_of(r, x[r], m[r], x[r + 1], m[r + 1], left[r], centre, right, sides[r], x[r + 2], m[r + 2]);
          left[r] = centre;
        }
      }
#endif
      // The other planes stay empty out there, where nothing is alive that could change.
      if (masked) {
        [[unroll]] for (uint j = 0; j < W; j++) {
          uint may_live = ~0u;
          if (west_border) may_live &= ~((1u << M) - 1);
          if (east_border) {
            const uint end = bit_after_last(j) + (is_last ? 0 : BITS);
            if (end < 32) may_live &= (1u << end) - 1;
          }
          [[unroll]] for (uint r = 0; r < R; r++) ALIVE[j][r] &= uint(y0 + int(r)) < p.height ? may_live : 0;
        }
      }
    }
    if (!tile_of_many || t == generations) break;
    EACH_PLANE [[unroll]] for (uint j = 0; j < W; j++) {
      [[unroll]] for (uint r = 0; r < R; r++) copied[half_in_use + give_at + NTH_WORD(j, r) * SLOTS] = CELLS[j][r];
    }
    barrier();
    EACH_PLANE [[unroll]] for (uint j = 0; j < W; j++) {
      [[unroll]] for (uint r = 0; r < R; r++) {
        const uint other = copied[half_in_use + take_at + NTH_WORD(j, r) * SLOTS];
        CELLS[j][r] = ALL_GIVE != 0 ? other : (other & take_mask) | (CELLS[j][r] & ~take_mask);
      }
    }
    half_in_use = HALF - half_in_use;
  }
#ifndef TESSERA_CHAINED
  if (copies_above || copies_below) return;
#endif

  // Rows near the edges of a torus are written once more, where the margin copies them; one code
  // for both, since what only a few tiles execute is fetched anew in every dispatch and holds up
  // its end.
  const int copy_by = margin_copy(y0, int(R)), height = int(p.height);
  const bool whole_rows = V == 1 || p.height % V == 0;
#ifdef TESSERA_ADDRESSED
  const uvec4 next_column = next_columns[macro];
#endif
  uint cells[W];
  [[unroll]] for (uint j = 0; j < W; j++) {
    cells[j] = is_last ? (1u << bit_after_last(j)) - (1u << M) : INNER;
  }
  [[dont_unroll]] for (int by = 0;; by = copy_by) {
#ifdef TESSERA_CHAINED
    if (copies_above || copies_below) break;
#endif
    [[unroll]] for (uint r = 0; r < R; r += V) {
      const int y = y0 + int(r);
      if (r0 + r < MARGIN || r0 + r >= MARGIN + p.tile_height || y >= height) continue;
      if (whole_rows || (by == 0 && y + int(V) <= height)) {
        if (by != 0 && !in_margin(y + by)) continue;
        const PLACE to = THERE + macro * macro_words + ROW(row_at(uint(y + by + int(MARGIN)), p.stride));
        EACH_PLANE [[unroll]] for (uint j = 0; j < W; j++)
          STORE_ROWS(IN_PLANE(to + j * STRIDE, own_plane), rows_of(CELLS[j], r) & cells[j]);
      } else {
        [[unroll]] for (uint k = 0; k < V; k++) {
          const int yk = y + int(k);
          if (yk >= height || (by != 0 && !in_margin(yk + by))) continue;
          const PLACE to = THERE + macro * macro_words + ROW(row_at(uint(yk + by + int(MARGIN)), p.stride));
          EACH_PLANE [[unroll]] for (uint j = 0; j < W; j++)
            STORE_WORD(IN_PLANE(to + j * STRIDE, own_plane), CELLS[j][r + k] & cells[j]);
        }
      }
    }
    if (by == copy_by) break;
  }
#ifdef TESSERA_CHAINED
  complete(tile_row);
#endif
}
