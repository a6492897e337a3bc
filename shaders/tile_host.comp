// tile_host: what the host changes and looks at, through the transfer buffer. One invocation per
// item; needs no subgroups.
#version 450
#extension GL_GOOGLE_include_directive : require
#define TESSERA_STATES 1
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

// One row of a plane of the tiles that the first words name; their rows follow, plane after plane,
// columns from bit 0.
void draw(uint id) {
  const uint tile = transfer[id / STATE_ROWS], from = p.count / STATE_ROWS + 2 * id;
  const uint low = transfer[from], high = transfer[from + 1];
  slot[tile * STATE_ROWS + id % STATE_ROWS] = uvec2(low << 8, high << 8 | low >> 24);
  if (id % STATE_ROWS == 0) records[TESSERA_TILE_WORDS * tile + TESSERA_TILE_EPOCH] = p.epoch;
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
    uvec2 alive = uvec2(0);
    EACH_PLANE {
      const uint at = IN_PLANE(tile * STATE_ROWS + row);
      const uvec2 cells = slot[at];
      alive |= cells;
      moved |= (cells.x ^ other[2 * at]) | (cells.y ^ other[2 * at + 1]);
    }
    live += bitCount(alive.x) + bitCount(alive.y);
  }
  const bool changed = moved != 0 || records[record + TESSERA_TILE_EPOCH] == p.epoch;
  const bool quiet = records[record + TESSERA_TILE_QUEUED] != p.step + 1;
  transfer[id] = live | uint(changed) << 15 | uint(quiet) << 14;
}

void fold(uint id) {
  uint lived = 0;
  for (uint row = 0; row < STATE_ROWS && lived == 0; row++) {
    const uvec2 cells = slot[(p.first + id) * STATE_ROWS + row];
    lived = cells.x | cells.y;
  }
  if (lived != 0) transfer[id] = transfer[id] & ~(1u << 14) | 1u << 13;
}

// One row of a plane of the tiles that the first words name, behind them.
void take(uint id) {
  const uvec2 cells = slot[transfer[id / STATE_ROWS] * STATE_ROWS + id % STATE_ROWS];
  const uint to = p.count / STATE_ROWS + 2 * id;
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
  for (uint row = 0; row < STATE_ROWS; row++) slot[tile * STATE_ROWS + row] = uvec2(0);
}

// Columns x .. x + 47 of a row of a grid; those beyond its edge are dead, or on a torus its first
// ones.
uvec2 columns_of(uint row, uint x) {
  const uint width = transfer[TESSERA_BAND_WIDTH], at = row * transfer[TESSERA_BAND_WORDS];
  uvec2 bits = uvec2(0);
  if (x + 48 <= width) {
    const uint low = other[at + x / 32], high = other[at + x / 32 + 1];
    return x % 32 == 0 ? uvec2(low, high & 0xFFFF) : uvec2(low >> 16 | high << 16, high >> 16);
  }
  for (uint i = 0; i < 48; i++) {
    if (x + i >= width && transfer[TESSERA_BAND_TORUS] == 0) break;
    const uint column = (x + i) % width;
    bits[i / 32] |= (other[at + column / 32] >> column % 32 & 1) << i % 32;
  }
  return bits;
}

// The cells of a band of a grid, in `other`, become those of a row of its tiles, of one plane.
void take_band(uint id) {
  const uint across = transfer[TESSERA_BAND_ACROSS], row = id / across, x = id % across;
  const uvec2 bits = columns_of(row, 48 * x);
  const uint end = TILE_ROWS * transfer[TESSERA_BAND_DOWN];
  for (uint y = transfer[TESSERA_BAND_FIRST] + row; y < end; y += transfer[TESSERA_BAND_HEIGHT]) {
    const uint tile = transfer[TESSERA_BAND_TILES + y / TILE_ROWS * across + x];
    slot[tile * TILE_ROWS + y % TILE_ROWS] = uvec2(bits.x << 8, bits.y << 8 | bits.x >> 24);
    if (transfer[TESSERA_BAND_TORUS] == 0) break;
  }
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
  if (p.what == TESSERA_TILES_BAND) take_band(id);
}
