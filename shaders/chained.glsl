// Many passes of strips.comp in one dispatch. A workgroup takes the next tile of all passes, waits until the tiles around it have
// completed the pass before, steps it and says so. Tiles of several passes are under way at once, and no barrier of the whole
// device stands between two passes. A workgroup waits only for tiles that were taken before its own, whose workgroups run already:
// so all of them go on where a workgroup that has begun goes on, too.
//
// The cells of both generations lie in one buffer, `second` words apart.

// Volatile, because what the device's other multiprocessors write has to be seen.
layout(binding = TESSERA_BIND_OWN, std430) volatile buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_OWN, std430) volatile buffer Own2 { uvec2 own2[]; };
layout(binding = TESSERA_BIND_OWN, std430) volatile buffer Own4 { uvec4 own4[]; };
// TESSERA_TURNS_*.
layout(binding = TESSERA_BIND_TURNS, std430) volatile buffer Turns {
  uint stuck;
  uint taken;
  uint completed[];
};

// Of main in strips.comp: where the half begins that a pass reads, and the one that it writes.
#define HERE here_at
#define THERE there_at

// V rows from word `at` of memory on. The grid is its own neighbour.
uvec4 load_own(uint at) {
  if (V == 4) return own4[at >> 2];
  if (V == 2) return uvec4(own2[at >> 1], 0, 0);
  return uvec4(own[at], 0, 0, 0);
}
uvec4 load_west(uint at, bool next_door) { return load_own(at); }
uvec4 load_east(uint at, bool next_door) { return load_own(at); }
void store_rows(uint at, uvec4 cells) {
  if (V == 4) own4[at >> 2] = cells;
  if (V == 2) own2[at >> 1] = cells.xy;
  if (V == 1) own[at] = cells.x;
}
void store_word(uint at, uint word) { own[at] = word; }

// Looks at a row's tiles before a wait is given up: seconds.
const uint MOST_LOOKS = 1 << 23;

shared uint turn;

// Takes a tile of a pass.
void take_turn(out uint pass, out uint tile_row, out uint macro) {
  if (gl_LocalInvocationIndex == 0) turn = atomicAdd(taken, 1);
  barrier();
  const uint tiles = p.rows * p.columns;
  pass = turn / tiles;
  const uint tile = turn - pass * tiles, row = tile / p.columns;
  macro = tile - row * p.columns;
  // Each pass begins some rows further down, because the first row of tiles looks at the last ones of the pass before, around a
  // torus.
  tile_row = (row + pass * p.reach) % p.rows;
}

void wait_for_neighbours(uint pass, uint tile_row) {
  for (uint n = gl_LocalInvocationIndex; n <= 2 * p.reach; n += gl_WorkGroupSize.x) {
    const uint row = (tile_row + p.rows - p.reach + n) % p.rows, needed = pass * p.columns;
    // What comes of the loop is used: NVIDIA's compiler leaves out a loop that does nothing but look.
    bool ready = false;
    for (uint looks = 0; !ready && looks < MOST_LOOKS; looks++) ready = completed[row] >= needed;
    if (!ready) stuck = 1;
  }
  barrier();
}

void complete(uint tile_row) {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex == 0) atomicAdd(completed[tile_row], 1);
}
