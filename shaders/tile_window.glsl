// A tile's window in the registers of a subgroup of any size, 64 rows of two words, and what
// becomes of a tile that differs from what it was a ring of steps ago.

layout(binding = TESSERA_BIND_NOW, std430) readonly buffer Now { uvec2 now[]; };
layout(binding = TESSERA_BIND_AFTER, std430) buffer After { uvec2 after[]; };
layout(binding = TESSERA_BIND_RECORDS, std430) buffer Records { uint records[]; };
layout(binding = TESSERA_BIND_WORK, std430) buffer Work { uint work[]; };

layout(constant_id = TESSERA_SPEC_SUBGROUP_SIZE) const uint LANES = 32;
const uint ROWS = 64 / LANES;  // of a window, per lane

// Of a tile's row: its own columns, and those that the tiles to its left and right see.
const uvec2 OWN = uvec2(0xFFFFFF00u, 0x00FFFFFFu);
const uint LEFT_LOW = 0x0000FF00u, RIGHT_HIGH = 0x00FF0000u;
const uint MARGIN = 8;

// Within EACH_PLANE row i of a plane, and of the one that has neighbours.
#ifdef TESSERA_STATES
uvec2 rows[BIT_PLANES][ROWS];
#define CELLS(i) rows[n][i]
#define ALIVE(i) rows[0][i]
#else
uvec2 rows[ROWS];
#define CELLS(i) rows[i]
#define ALIVE(i) rows[i]
#endif

// The subgroup's place in the dispatch.
uint place() { return workgroup() * (gl_WorkGroupSize.x / LANES) + gl_SubgroupID; }
// The window's row that is row i of this lane, and whether it is one of the tile's own.
uint row_of(uint i) { return gl_SubgroupInvocationID * ROWS + i; }
bool is_own(uint row) { return row >= MARGIN && row < MARGIN + TILE_ROWS; }
// The place of that row in a slot.
uint place_of(uint tile, uint row) { return tile * STATE_ROWS + row - MARGIN; }

// Takes the window of a tile.
void load_window(uint tile) {
  const uint record = TESSERA_TILE_WORDS * tile;
  uint west, centre, east, at;
  [[unroll]] for (uint i = 0; i < ROWS; i++) {
    const uint row = row_of(i);
    // With few rows a lane's all lie in the same tiles.
    if (i == 0 || ROWS > MARGIN) {
      const bool above = row < MARGIN, own = is_own(row);
      west = records[record + (above ? 0 : own ? 3 : 5)];
      centre = own ? tile : records[record + (above ? 1 : 6)];
      east = records[record + (above ? 2 : own ? 4 : 7)];
      at = above ? TILE_ROWS - MARGIN + row : own ? row - MARGIN : row - MARGIN - TILE_ROWS;
    } else {
      at++;
    }
    EACH_PLANE {
      CELLS(i) = now[IN_PLANE(centre * STATE_ROWS + at)];
      CELLS(i).x |= now[IN_PLANE(west * STATE_ROWS + at)].y >> 16;
      CELLS(i).y |= now[IN_PLANE(east * STATE_ROWS + at)].x << 16;
    }
  }
}

// Bits of a difference in the tile's own row `row` of a window: d for the neighbour in way d, 8 for
// the tile itself.
uint ways_of(uint row, uvec2 difference) {
  if (difference == uvec2(0)) return 0;
  uint middle = 1, ways = 0;
  if ((difference.x & LEFT_LOW) != 0) middle |= 2;
  if ((difference.y & RIGHT_HIGH) != 0) middle |= 4;
  if (row < 2 * MARGIN) ways |= (middle >> 1 & 1) | (middle & 1) << 1 | (middle >> 2 & 1) << 2;
  if (row >= TILE_ROWS) ways |= (middle >> 1 & 1) << 5 | (middle & 1) << 6 | (middle >> 2 & 1) << 7;
  return ways | (middle >> 1 & 1) << 3 | (middle >> 2 & 1) << 4 | 1u << 8;
}

// Puts on the worklist of the next step whom the bits of ways_of name, the tile itself for bit 8.
// `nowhere`: ways in which there is nothing.
void tell(uint tile, uint ways, uint nowhere) {
  const uint stamp = p.step + 2, list = list_of(p.step + 1), head = head_of(p.step + 1);
  uint missing = 0;
  [[unroll]] for (uint base = 0; base < 9; base += LANES) {
    const uint d = base + gl_SubgroupInvocationID;
    bool wanted = d < 9 && (ways >> d & 1) != 0;
    const uint other = d < 8 && wanted ? records[TESSERA_TILE_WORDS * tile + TESSERA_TILE_NEXT + d]
                                       : tile;
    if (wanted && other == 0) missing |= 1u << d;
    if (wanted) {
      // Whoever stamps it first puts it on the list. Most have been stamped: a look is cheaper.
      const uint queued = TESSERA_TILE_WORDS * other + TESSERA_TILE_QUEUED;
      wanted = other != 0 && records[queued] != stamp && atomicExchange(records[queued], stamp) != stamp;
    }
    const uvec4 fresh = subgroupBallot(wanted);
    const uint count = subgroupBallotBitCount(fresh);
    uint at = 0;
    if (count > 0 && subgroupElect()) {
      at = atomicAdd(work[head + 3], count);
      const uint groups = groups_for(at + count);
      if (groups > groups_for(at)) {
        atomicMax(work[head], min(groups, p.most_groups));
        atomicMax(work[head + 1], (groups + p.most_groups - 1) / p.most_groups);
      }
    }
    at = subgroupBroadcastFirst(at);
    if (wanted) work[list + at + subgroupBallotExclusiveBitCount(fresh)] = other;
  }
  missing = subgroupOr(missing) & ~nowhere;
  if (missing == 0 || gl_SubgroupInvocationID != 0) return;
  const uint note = TESSERA_WORK_LISTS + 2 * p.room + 2 * atomicAdd(work[TESSERA_WORK_MISSING], 1);
  work[note] = tile;
  work[note + 1] = missing;
  work[TESSERA_WORK_STOP] = p.index + 1;
}

// A step after one that found neighbours missing is not taken.
bool stopped() {
  const uint stop = work[TESSERA_WORK_STOP];
  return stop != 0 && stop <= p.index;
}
