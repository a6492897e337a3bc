// tile_host: what the host changes and looks at, through the transfer buffer. One invocation per
// item; needs no subgroups.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "tiles.glsl"

layout(binding = TESSERA_BIND_OTHER, std430) buffer Other { uint other[]; };
layout(binding = TESSERA_BIND_SLOT, std430) buffer Slot { uvec2 slot[]; };
layout(binding = TESSERA_BIND_RECORDS, std430) buffer Records { uint records[]; };
layout(binding = TESSERA_BIND_TRANSFER, std430) buffer Transfer { uint transfer[]; };

// Ten words each: the tile, its neighbours, its frame.
void link(uint id) {
  const uint from = 10 * id, record = TESSERA_TILE_WORDS * transfer[from];
  for (uint d = 0; d < 8; d++) records[record + TESSERA_TILE_NEXT + d] = transfer[from + 1 + d];
  records[record + TESSERA_TILE_FRAME] = transfer[from + 9];
}

// One row of the tiles that the first words name; their rows follow, columns from bit 0.
void draw(uint id) {
  const uint tile = transfer[id / TILE_ROWS], from = p.count / TILE_ROWS + 2 * id;
  const uint low = transfer[from], high = transfer[from + 1];
  slot[tile * TILE_ROWS + id % TILE_ROWS] = uvec2(low << 8, high << 8 | low >> 24);
  if (id % TILE_ROWS == 0) records[TESSERA_TILE_WORDS * tile + TESSERA_TILE_EPOCH] = p.epoch;
}

// Here `other` is the work buffer.
void queue(uint tile) {
  const uint stamp = p.step + 1, head = head_of(p.step);
  if (atomicExchange(records[TESSERA_TILE_WORDS * tile + TESSERA_TILE_QUEUED], stamp) == stamp) return;
  const uint at = atomicAdd(other[head + 3], 1), groups = groups_for(at + 1);
  atomicMax(other[head], min(groups, p.most_groups));
  atomicMax(other[head + 1], (groups + p.most_groups - 1) / p.most_groups);
  other[list_of(p.step) + at] = tile;
}

// Facts of a tile: see TileFacts. Here `other` holds the states of the last look.
void look(uint id) {
  const uint tile = p.first + id, record = TESSERA_TILE_WORDS * tile;
  uint live = 0, moved = p.until;
  for (uint row = 0; row < TILE_ROWS; row++) {
    const uint at = tile * TILE_ROWS + row;
    const uvec2 cells = slot[at];
    live += bitCount(cells.x) + bitCount(cells.y);
    moved |= (cells.x ^ other[2 * at]) | (cells.y ^ other[2 * at + 1]);
  }
  const bool changed = moved != 0 || records[record + TESSERA_TILE_EPOCH] == p.epoch;
  const bool quiet = records[record + TESSERA_TILE_QUEUED] != p.step + 1;
  transfer[id] = live | uint(changed) << 15 | uint(quiet) << 14;
}

void fold(uint id) {
  uint lived = 0;
  for (uint row = 0; row < TILE_ROWS && lived == 0; row++) {
    const uvec2 cells = slot[(p.first + id) * TILE_ROWS + row];
    lived = cells.x | cells.y;
  }
  if (lived != 0) transfer[id] = transfer[id] & ~(1u << 14) | 1u << 13;
}

// One row of the tiles that the first words name, behind them.
void take(uint id) {
  const uvec2 cells = slot[transfer[id / TILE_ROWS] * TILE_ROWS + id % TILE_ROWS];
  const uint to = p.count / TILE_ROWS + 2 * id;
  transfer[to] = cells.x >> 8 | cells.y << 24;
  transfer[to + 1] = cells.y >> 8;
}

// The first state of a ring stands in the slot. Copies begin empty: when they are made anew, they
// wake those who see them.
void begin(uint tile) {
  const uint record = TESSERA_TILE_WORDS * tile;
  records[record + TESSERA_TILE_HOLD] = 0;
  records[record + TESSERA_TILE_QUEUED] = 0;
  records[record + TESSERA_TILE_EPOCH] = 0;
  records[record + TESSERA_TILE_CHANGED] = 0;
  if ((records[record + TESSERA_TILE_FRAME] & TESSERA_TILE_COPY) == 0) return;
  for (uint row = 0; row < TILE_ROWS; row++) slot[tile * TILE_ROWS + row] = uvec2(0);
}

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (id >= p.count) return;
  if (p.what == TESSERA_TILES_LINKS) link(id);
  if (p.what == TESSERA_TILES_DRAW) draw(id);
  if (p.what == TESSERA_TILES_HOLD) records[TESSERA_TILE_WORDS * transfer[id] + TESSERA_TILE_HOLD] = p.until;
  if (p.what == TESSERA_TILES_QUEUE) queue(transfer[id]);
  if (p.what == TESSERA_TILES_LOOK) look(id);
  if (p.what == TESSERA_TILES_FOLD) fold(id);
  if (p.what == TESSERA_TILES_TAKE) take(id);
  if (p.what == TESSERA_TILES_BEGIN) begin(id);
}
