// cascade: for large grids and rules of several states. Rows stream through stages in registers, and
// from the last stage of a subgroup to the first of the next, so that all bit planes are read and
// written once in many generations, and no tile loses rows to a halo of its own. The counterpart of
// backends/cuda/kernels/cascade.cu.
//
// Windows. A lane has 64 columns in two words, as a macro-column has them (layout.glsl), and a
// subgroup LANES times as many beside each other. Its first and last 32 columns are the halo, from
// which wrong cells come nearer by a column a generation, so that T is 32 at most. So a lane's columns
// are the second half of a macro-column and the first half of the next one. Where the last window has
// few macro-columns, a workgroup takes several of its segments beside each other.
//
// Subgroups. The K subgroups of a workgroup have S = T / K stages each, one after the other. In each
// round a subgroup takes two rows that the one before has left in shared memory, and leaves those
// that it makes of them. All share in loading rows for the first, and in storing those of the last. A
// round meets twice: when all rows have been left, and when all have been taken.
//
// Stages. A stage keeps of its generation what the program reads of the last two rows (program.glsl),
// and the other planes of the last. Given the next row, it makes the row above that of the next
// generation. The two rows of a round pass through the stages one behind the other, so that a lane has
// something to do while it waits; and rows of two parities are unrolled, so that no registers are
// moved.
//
// Segments. A window is cut into segments of tile_height rows. One begins T rows above its first row
// and ends T rows below its last. What its stages make of rows that they have not been given is
// wrong, and comes to one row less with each stage; nobody stores it. All subgroups step in all
// rounds nevertheless: where a compiler does not see that lanes branch together, a stage takes half as
// many instructions more.
//
// Tori of a width that is no multiple of 64 are joined at the seam as words are loaded (RAGGED).
// Beyond the edges of a plane nothing is alive in any stage.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "layout.glsl"
#include "neighbours.glsl"
#include "parities.glsl"

layout(constant_id = TESSERA_SPEC_SUBGROUP_SIZE) const uint LANES = 32;
#ifdef TESSERA_STATES
layout(constant_id = TESSERA_SPEC_BIT_PLANES) const uint BIT_PLANES = 2;
#else
const uint BIT_PLANES = 1;
#endif
layout(constant_id = TESSERA_SPEC_STAGES) const uint S = 4;
layout(constant_id = TESSERA_SPEC_SOME) const uint SOME = 0;  // 1: passes of fewer generations than T
layout(constant_id = TESSERA_SPEC_RAGGED) const uint RAGGED = 0;
layout(constant_id = TESSERA_SPEC_SUMS) const uint SUMS = 0;

#define PROGRAM_PARITY(a, b, c, majority) ((SUMS & TESSERA_SUM_PROGRAM) != 0 ? parity_of(a, sum_of(b, c), majority) : a ^ b ^ c)
#include "program.glsl"

const uint ROUND = 2, K = gl_WorkGroupSize.x / LANES, OWNED = LANES - 1;
#define EACH_PLANE [[unroll]] for (uint n = 0; n < BIT_PLANES; n++)
#define EACH_ROW [[unroll]] for (uint u = 0; u < ROUND; u++)
#define EACH_WORD [[unroll]] for (uint j = 0; j < 2; j++)

// The same memory in macro-columns. Not `readonly`, so that loads before a barrier stay there and
// rows have arrived when the round ends: a compiler moves others to where they are used.
layout(binding = TESSERA_BIND_OWN, std430) buffer Own2 { uvec2 own2[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Out2 { uvec2 next2[]; };

// Rows for each subgroup, plane by plane, then twice those that the last one has made, so that they
// can be stored while it makes the next.
const uint PLANES_OF_ROUND = ROUND * BIT_PLANES, LINK = PLANES_OF_ROUND * LANES;
shared uvec2 links[(K + 2) * LINK];
// Planes of rows that a subgroup loads and stores in a round, and their numbers.
const uint SHARE = (PLANES_OF_ROUND + K - 1) / K;
#define EACH_SHARED [[unroll]] for (uint m = 0; m < SHARE; m++)
#define SHARED_PLANE (m * K + subgroup)

// Every second cell from column x on, as far as they lie in one word and before the seam: the word
// and the bit of the first, and how many there are.
uvec3 run_from(uint x) { return uvec3(2 * (x >> 6) + (x & 1), x >> 1 & 31, min((63 - x % 64) / 2, (p.width - 1 - x) / 2) + 1); }

// The upper half of one word and the lower half of the next.
uvec2 halves(uvec2 a, uvec2 b) { return a >> 16 | b << 16; }

void main() {
  const uint tile = p.first_tile + workgroup(), subgroup = gl_SubgroupID, lane = gl_SubgroupInvocationID;
  if (tile >= p.end_tile) return;
  const uint macros = (p.width + 63) / 64, window = tile % p.columns;
  uint segment = tile / p.columns, place = lane;
  bool idle = false;
  if (window + 1 == p.columns) {
    // Lanes of a segment of the last window.
    const uint lanes = macros - window * OWNED + 1, share = LANES / lanes, group = place / lanes;
    if (segment * share >= p.rows) return;
    if (share > 1) {
      segment = segment * share + group;
      place -= group * lanes;
      idle = group >= share;
    }
    idle = idle || segment >= p.rows;
  }
  const uint depth = SOME != 0 ? p.generations : K * S, before = min(subgroup * S, depth);
  const int height = int(p.height);
  const int begin = int(min(segment * p.tile_height, p.height)), end = min(begin + int(p.tile_height), height);
  // The macro-column whose first half the lane has; those beyond the halo see the halo's.
  const uint macro = min(window * OWNED + place, macros);
  const bool stores = !idle && place < OWNED && macro < macros;
  uint inside[2], keep[2];  // the cells of the grid: of the macro-column, and on a plane of the lane
  EACH_WORD {
    inside[j] = bits_before(p.width - macro * 64, j);
    keep[j] = bits_before(uint(max(int(p.width) + 32 - int(macro * 64), 0)), j) & (macro == 0 ? 0xFFFF0000 : ~0u);
  }

  // Where the lane's words lie in a row: the macro-columns of their halves, or three runs of each
  // word, which are enough around a torus of 32 columns.
  uint west_at, east_at;
  uvec3 runs[2][3];
  if (RAGGED != 0) {
    EACH_WORD {
      uint x = (macro * 64 + j + p.width - 32) % p.width;
      [[unroll]] for (uint r = 0; r < 3; r++) {
        runs[j][r] = run_from(x);
        x = (x + 2 * runs[j][r].z) % p.width;
      }
    }
  } else if (PLANE != 0) {
    west_at = macro == 0 ? 0 : macro - 1;
    east_at = min(macro, macros - 1);
  } else {
    west_at = (macro + macros - 1) % macros;
    east_at = macro % macros;
  }
  const uint plane_words = (p.height + 1) * ROW_WORDS;  // as the host lays them out

  // Loads the subgroup's share of the next round, and leaves it in shared memory.
  int next_y[SHARE];
  uvec2 loaded[SHARE], loaded_east[SHARE], loaded_third[SHARE];
  EACH_SHARED {
    next_y[m] = begin - int(depth) + int(min(SHARED_PLANE, PLANES_OF_ROUND - 1) / BIT_PLANES);
    if (PLANE == 0) next_y[m] = (next_y[m] + int((depth + p.height - 1) / p.height * p.height)) % height;
  }
  const int step = PLANE != 0 ? int(ROUND) : int(ROUND) % height;
#define RUNS(r) uvec2(own[at + runs[0][r].x], own[at + runs[1][r].x])
#define LOAD_ROWS \
  EACH_SHARED { \
    const uint plane = min(SHARED_PLANE, PLANES_OF_ROUND - 1) % BIT_PLANES; \
    const uint at = uint(PLANE != 0 ? clamp(next_y[m], 0, height - 1) : next_y[m]) * ROW_WORDS + plane * plane_words; \
    if (RAGGED != 0) { \
      loaded[m] = RUNS(0); \
      loaded_east[m] = RUNS(1); \
      loaded_third[m] = RUNS(2); \
    } else { \
      loaded[m] = own2[at / 2 + west_at]; \
      loaded_east[m] = own2[at / 2 + east_at]; \
    } \
    next_y[m] += step; \
    if (PLANE == 0 && next_y[m] >= height) next_y[m] -= height; \
  }
#define LEAVE_ROWS \
  EACH_SHARED { \
    uvec2 cells = loaded[m]; \
    if (RAGGED != 0) { \
      EACH_WORD { \
        const uint second = runs[j][0].z, third = second + runs[j][1].z; \
        cells[j] >>= runs[j][0].y; \
        if (second < 32) cells[j] |= loaded_east[m][j] << second; \
        if (third < 32) cells[j] |= loaded_third[m][j] << third; \
      } \
    } else { \
      cells = halves(cells, loaded_east[m]); \
    } \
    if (SHARED_PLANE < PLANES_OF_ROUND) links[SHARED_PLANE * LANES + lane] = cells; \
  }

  // By the parity of rows.
  uint codes[2][S][2][SIGNALS], others[S][2][BIT_PLANES];
  [[unroll]] for (uint t = 0; t < S; t++) {
    EACH_WORD {
      [[unroll]] for (uint n = 0; n < SIGNALS; n++) codes[0][t][j][n] = codes[1][t][j][n] = 0;
      EACH_PLANE others[t][j][n] = 0;
    }
  }

  const uint rounds = (p.tile_height + 2 * depth + ROUND - 1) / ROUND + K;  // until the last subgroup's have been stored
  const uint mine = subgroup * LINK + lane;
  // The first rows of a round: that the subgroup is given, and that are stored.
  int given = begin - int(depth + before + subgroup * ROUND), made = begin - int(2 * depth + K * ROUND);
  LOAD_ROWS
  LEAVE_ROWS
  [[dont_unroll]] for (uint round = 0; round < rounds; round++, given += int(ROUND), made += int(ROUND)) {
    barrier();
    uint c[ROUND][2][BIT_PLANES];
    EACH_ROW {
      EACH_PLANE {
        const uvec2 cells = links[mine + (u * BIT_PLANES + n) * LANES];
        c[u][0][n] = cells.x;
        c[u][1][n] = cells.y;
      }
    }
    LOAD_ROWS
    barrier();
    [[unroll]] for (uint k = 0; k < S + ROUND - 1; k++) {
      [[unroll]] for (uint u = 0; u < ROUND; u++) {
        const uint t = k - u, parity = u % 2;
        if (t >= S || (SOME != 0 && before + t >= depth)) continue;
        if (PLANE != 0) {
          const bool outside = uint(given + int(u) - int(t)) >= p.height;
          EACH_WORD c[u][j][0] = outside ? 0 : c[u][j][0] & keep[j];
        }
        const uint west = c[u][1][0] << 1 | subgroupShuffleUp(c[u][1][0], 1) >> 31;
        const uint east = c[u][0][0] >> 1 | subgroupShuffleDown(c[u][0][0], 1) << 31;
        const uint row[4] = uint[](west, c[u][0][0], c[u][1][0], east);
        EACH_WORD {
          const uint below[SIGNALS] = row_signals(row[j], row[j + 1], row[j + 2]);
          const uint lives = program_of(codes[parity][t][j], codes[1 - parity][t][j], below);
#ifdef TESSERA_STATES
          uint states[TESSERA_MOST_BIT_PLANES];
          [[unroll]] for (uint n = 0; n < TESSERA_MOST_BIT_PLANES; n++) states[n] = 0;
          states[0] = codes[1 - parity][t][j][CENTRE];
          [[unroll]] for (uint n = 1; n < BIT_PLANES; n++) {
            states[n] = others[t][j][n];
            others[t][j][n] = c[u][j][n];
          }
          states = next_states(states, lives);
          EACH_PLANE c[u][j][n] = states[n];
#else
          c[u][j][0] = lives;
#endif
          codes[parity][t][j] = below;
        }
      }
    }
    // Both rows of a round or none, so that there is one branch. Behind the last row of a grid is room
    // for one more.
    uvec2 stored[SHARE];
    const uint turn = round % 2 * LINK;
    EACH_SHARED {
      const uint from = K * LINK + turn + min(SHARED_PLANE, PLANES_OF_ROUND - 1) * LANES + lane;
      stored[m] = halves(links[from], links[from + (lane + 1 < LANES ? 1 : 0)]);
    }
    if (stores && made >= begin && made < end) {
      EACH_SHARED {
        const uint id = min(SHARED_PLANE, PLANES_OF_ROUND - 1);
        const uint at = (uint(made) + id / BIT_PLANES) * ROW_WORDS + id % BIT_PLANES * plane_words;
        next2[at / 2 + macro] = uvec2(stored[m].x & inside[0], stored[m].y & inside[1]);
      }
    }
    const uint leave = mine + LINK + (subgroup + 1 == K ? LINK - turn : 0);
    EACH_ROW {
      EACH_PLANE links[leave + (u * BIT_PLANES + n) * LANES] = uvec2(c[u][0][n], c[u][1][n]);
    }
    LEAVE_ROWS
  }
}
