// tiles: a subgroup steps the window of a tile, its cells and 8 around, 1 to 8 generations in
// registers; row codes cross lanes by shuffles. Where the outcome is not what the tile was a ring
// of steps ago, the subgroup writes it and puts the tile and those neighbours that see the
// difference on the worklist of the next step, with the workgroups of its dispatch: no host takes
// part in a batch of steps. A step that finds a neighbour missing which the next one would have to
// visit ends the batch. The counterpart of backends/cuda/kernels/tiles.cu.
//
// With TESSERA_PROGRAM, and TESSERA_STATES, it steps rules that do not count their neighbours
// (program.glsl). Only the first plane has neighbours, and a tile differs where any plane does.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "tiles.glsl"
#include "tile_window.glsl"
#ifdef TESSERA_PROGRAM
#include "program.glsl"

// The planes of word h of row i, from what lives there.
void put_word(uint i, uint h, uint lives) {
#ifdef TESSERA_STATES
  uint codes[TESSERA_MOST_BIT_PLANES];
  EACH_PLANE codes[n] = rows[n][i][h];
  codes = next_states(codes, lives);
  EACH_PLANE rows[n][i][h] = codes[n];
#else
  rows[i][h] = lives;
#endif
}

// The next generation; what lies beyond the window counts as anything.
void generation(uint g) {
  uvec2 west[ROWS], east[ROWS];
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    const uvec2 row = ALIVE(i);
    west[i] = uvec2(row.x << 1, row.y << 1 | row.x >> 31);
    east[i] = uvec2(row.x >> 1 | row.y << 31, row.y >> 1);
  }
  const bool odd = TURNS != 0 && (p.odd + g) % 2 != 0;
  [[unroll]] for (uint h = 0; h < 2; h++) {
    // The rows of the lanes above and below, then three rows that move down.
    uint here[SIGNALS] = row_signals(west[0][h], ALIVE(0)[h], east[0][h]);
    uint below[SIGNALS] = row_signals(west[ROWS - 1][h], ALIVE(ROWS - 1)[h], east[ROWS - 1][h]);
    uint above[SIGNALS], end[SIGNALS];
    [[unroll]] for (uint n = 0; n < SIGNALS; n++) {
      above[n] = end[n] = 0;
      if ((ABOVE >> n & 1) != 0) above[n] = subgroupShuffleUp(below[n], 1);
      if ((BELOW >> n & 1) != 0) end[n] = subgroupShuffleDown(here[n], 1);
    }
    [[unroll]] for (uint i = 0; i < ROWS; i++) {
      const uint k = (i + 1) % ROWS;
      below = row_signals(west[k][h], ALIVE(k)[h], east[k][h]);
      if (i + 1 == ROWS) below = end;
      uint lives;
      if (odd) {
        lives = odd_program_of(above, here, below);
      } else {
        lives = program_of(above, here, below);
      }
      put_word(i, h, lives);
      above = here;
      here = below;
    }
  }
}
#else
#include "rule.glsl"

// The next generation; what lies beyond the window counts as anything.
void generation(uint g) {
  uvec2 west[ROWS], east[ROWS];
  uvec2 x[ROWS + 2], m[ROWS + 2];  // row codes, of the rows above and below too
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    const uvec2 row = rows[i];
    west[i] = uvec2(row.x << 1, row.y << 1 | row.x >> 31);
    east[i] = uvec2(row.x >> 1 | row.y << 31, row.y >> 1);
    [[unroll]] for (uint h = 0; h < 2; h++) {
      x[i + 1][h] = tessera_xor3(west[i][h], row[h], east[i][h]);
      m[i + 1][h] = tessera_maj3(west[i][h], row[h], east[i][h]);
    }
  }
  x[0] = subgroupShuffleUp(x[ROWS], 1);
  m[0] = subgroupShuffleUp(m[ROWS], 1);
  x[ROWS + 1] = subgroupShuffleDown(x[1], 1);
  m[ROWS + 1] = subgroupShuffleDown(m[1], 1);
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    [[unroll]] for (uint h = 0; h < 2; h++) {
      rows[i][h] = next_word(x[i][h], m[i][h], x[i + 1][h], m[i + 1][h], west[i][h], rows[i][h],
                             east[i][h], x[i + 2][h], m[i + 2][h]);
    }
  }
}
#endif

// Bits first .. end - 1 of a word; first <= 32.
uint bits_between(uint first, uint end) {
  if (end <= first) return 0;
  return (end >= 32 ? ~0u : (1u << end) - 1) & (first >= 32 ? 0 : ~0u << first);
}

// The cells of a window's row that lie in a frame.
uvec2 framed(uint frame, uint row) {
  const uint left = frame & 255, right = frame >> 8 & 255, top = frame >> 16 & 255, bottom = frame >> 24;
  if (row < top || row >= bottom) return uvec2(0);
  return uvec2(bits_between(min(left, 32), min(right, 32)),
               bits_between(max(left, 32) - 32, max(right, 32) - 32));
}

// The cells outside a bounded plane stay dead in every generation.
void step_window(uint frame) {
  uvec2 kept[ROWS];
  const uint cells = frame == 0 ? 64 << 8 | 64 << 24 : work[TESSERA_WORK_FRAMES + frame];
  [[unroll]] for (uint i = 0; i < ROWS; i++) kept[i] = framed(cells, row_of(i));
  [[dont_unroll]] for (uint g = 0; g < p.generations; g++) {
    generation(g);
    [[unroll]] for (uint i = 0; i < ROWS; i++) EACH_PLANE CELLS(i) &= kept[i];
  }
}

void look_ahead() {
  const uint tile = place() + 1;
  if (tile >= p.end) return;
  load_window(tile);
  step_window(records[TESSERA_TILE_WORDS * tile + TESSERA_TILE_FRAME] & TESSERA_TILE_FRAMES);
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    if (is_own(row_of(i))) EACH_PLANE after[IN_PLANE(place_of(tile, row_of(i)))] = CELLS(i) & OWN;
  }
}

// The first subgroup of a step.
void note_step(uint count) {
  const uint old = head_of(p.step + 2);  // of the step before, and of the one after the next
  work[old] = work[old + 1] = 1;
  work[old + 3] = 0;
  const uint visits = work[TESSERA_WORK_VISITS], sum = visits + count * p.generations;
  work[TESSERA_WORK_VISITS] = sum;
  if (sum < visits) work[TESSERA_WORK_VISITS + 1]++;
}

void main() {
  if (p.what == TESSERA_TILES_AHEAD) {
    look_ahead();
    return;
  }
  if (stopped()) return;
  const uint count = work[head_of(p.step) + 3], at = place();
  if (at == 0 && gl_SubgroupInvocationID == 0) note_step(count);
  if (at >= count) return;
  const uint tile = work[list_of(p.step) + at], record = TESSERA_TILE_WORDS * tile;
  const uint frame = records[record + TESSERA_TILE_FRAME];
  if ((frame & TESSERA_TILE_COPY) != 0) return;
  const bool again = records[record + TESSERA_TILE_HOLD] > p.step;
  load_window(tile);
  step_window(frame & TESSERA_TILE_FRAMES);
  uint ways = 0;
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    const uint row = row_of(i);
    if (!is_own(row)) continue;
    EACH_PLANE {
      const uint at = IN_PLANE(place_of(tile, row));
      const uvec2 next = CELLS(i) & OWN, difference = next ^ after[at];
      if (difference != uvec2(0)) after[at] = next;
      ways |= ways_of(row, difference);
    }
  }
  ways = subgroupOr(ways);
  if (ways != 0 && gl_SubgroupInvocationID == 0) {
    records[record + TESSERA_TILE_EPOCH] = p.epoch;
    records[record + TESSERA_TILE_CHANGED] = p.step + 1;
  }
  if (ways != 0 || again) tell(tile, ways | 1u << 8, frame >> TESSERA_TILE_NOWHERE);
}
