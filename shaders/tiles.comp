// tiles: a subgroup steps the window of a tile, its cells and 8 around, 1 to 8 generations in
// registers; row codes cross lanes by shuffles. Where the outcome is not what the tile was a ring
// of steps ago, the subgroup writes it and puts the tile and those neighbours that see the
// difference on the worklist of the next step, with the workgroups of its dispatch: no host takes
// part in a batch of steps. A step that finds a neighbour missing which the next one would have to
// visit ends the batch. The counterpart of backends/cuda/kernels/tiles.cu.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "tiles.glsl"
#include "tile_window.glsl"
#include "rule.glsl"

// The next generation; what lies beyond the window counts as anything.
void generation() {
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
    generation();
    [[unroll]] for (uint i = 0; i < ROWS; i++) rows[i] &= kept[i];
  }
}

void look_ahead() {
  const uint tile = place() + 1;
  if (tile >= p.end) return;
  load_window(tile);
  step_window(records[TESSERA_TILE_WORDS * tile + TESSERA_TILE_FRAME] & TESSERA_TILE_FRAMES);
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    if (is_own(row_of(i))) after[place_of(tile, row_of(i))] = rows[i] & OWN;
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
    const uvec2 next = rows[i] & OWN, difference = next ^ after[place_of(tile, row)];
    if (difference != uvec2(0)) after[place_of(tile, row)] = next;
    ways |= ways_of(row, difference);
  }
  ways = subgroupOr(ways);
  if (ways != 0 && gl_SubgroupInvocationID == 0) {
    records[record + TESSERA_TILE_EPOCH] = p.epoch;
    records[record + TESSERA_TILE_CHANGED] = p.step + 1;
  }
  if (ways != 0 || again) tell(tile, ways | 1u << 8, frame >> TESSERA_TILE_NOWHERE);
}
