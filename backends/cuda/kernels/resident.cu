// The grid stays in the registers of the device for a whole launch, as many generations as are
// asked for. For grids that fit there.
//
// Regions. All blocks are on the device at once. Each holds a region: a rectangle of the grid that
// is its own, and halos of T cells around it. It steps T generations without looking, in which what
// is wrong comes in from the region's edges by a cell a generation, and then meets its eight
// neighbours: that is a round. The own rectangles of regions side by side differ by a cell at most,
// and regions are of one size, so that any grid is cut; what lies beyond a halo is never used. On a
// plane, regions at the border end where the plane does, and have no halo there.
//
// Layout. A region has 32 strips of N columns: bit s of word j of a row is its column s*N + j, and
// neighbours of word j are words j - 1 and j + 1. At the ends of a row they are the words of the
// other end, of the next strip: shifted by one bit. A block's warps lie side by side, W words of
// every row each, and a lane has R rows. So a generation needs no shift but of two words of a row;
// the words beside a warp's own come through shared memory, with one barrier a generation, and the
// codes of the rows above and below a lane's own by shuffles. Nothing is computed twice.
//
// Meeting. A block leaves letters and takes those of its neighbours: of every warp's words the rows
// at the region's upper and lower edges, and of the columns at its other edges a bit a row. A
// letter carries the number of its round. So nobody waits for more than what he needs, each warp
// for itself; there is no flag, no fence and no barrier. Letters are kept twice by turns. Who
// leaves a round's letters has taken letters of all his neighbours of the round before, which they
// left after a barrier behind which they had taken what is overwritten.
#include "layout_resident.cuh"
#include "ptx.cuh"
#include "row_codes.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = TESSERA_W, R = TESSERA_R, K = TESSERA_WARPS, N = kRegionWords;
constexpr int kRowLetters = resident_row_letters(W);
static_assert(R < 32, "a bit a row in a word");

// Rows of an access to shared memory.
constexpr int V = R % 4 == 0 ? 4 : R % 2 == 0 ? 2 : 1;
struct alignas(4 * V) Rows {
  u32 row[V];
};

// Words beside a warp's own, of one generation: [warp][0: the first column, for the warp before; 1:
// the last, for the warp after][row / V][lane][row % V].
constexpr int kSideRows = R / V * 32, kEdgeRows = K * 2 * kSideRows;
static_assert(2 * kEdgeRows * V * 4 == resident_room(R, K), "as the host knows it");

// What a warp knows of its place among others.
struct Place {
  u32 lane;
  bool first;  // of its row
  // Factors in registers, of which one, in the last warp, shifts a word by one, and the other is
  // the first warp's for a shift to the other side: not on the pipe of the gates.
  u32 to_next_strip, two31;
};

// The rows r .. r + V - 1 for the neighbours. The last warp's words come to the first by the next
// strip.
__device__ __forceinline__ void leave_edges(const u32 (&s)[R][W], int r, Rows* first,
                                            const Place& place) {
  Rows east, west;
#pragma unroll
  for (int v = 0; v < V; v++) {
    east.row[v] = s[r + v][0];
    if (place.first) east.row[v] = multiply_high(east.row[v], place.two31);
    west.row[v] = multiply(s[r + v][W - 1], place.to_next_strip);
  }
  first[r / V * 32] = east;
  first[kSideRows + r / V * 32] = west;
}

// The codes of a row's words.
struct Codes {
  RowCodes word[W];
};
__device__ __forceinline__ Codes codes_of_row(const u32 (&row)[W], u32 west, u32 east) {
  Codes codes;
#pragma unroll
  for (int w = 0; w < W; w++) {
    codes.word[w] = codes_of(w == 0 ? west : row[(w + W - 1) % W], row[w],
                             w == W - 1 ? east : row[(w + 1) % W]);
  }
  return codes;
}
__device__ __forceinline__ void step_row(u32 (&row)[W], const Codes& above, const Codes& here,
                                         const Codes& below) {
#pragma unroll
  for (int w = 0; w < W; w++) row[w] = next_of(above.word[w], here.word[w], row[w], below.word[w]);
}

// One generation in place, a row after the other: the first and the last at the end, when the codes
// of other lanes have come. Leaves what the neighbours need in the next.
__device__ __forceinline__ void step_rows(u32 (&s)[R][W], const Rows* from_west,
                                          const Rows* from_east, Rows* next, const Place& place) {
  u32 west[R], east[R];
  const auto codes = [&](int r) { return codes_of_row(s[r], west[r], east[r]); };
  const auto fetch = [&](int n) {
    const Rows a = from_west[n * 32], b = from_east[n * 32];
#pragma unroll
    for (int v = 0; v < V; v++) west[n * V + v] = a.row[v], east[n * V + v] = b.row[v];
  };
  fetch(R / V - 1);
#pragma unroll
  for (int n = 0; n < R / V - 1; n++) fetch(n);
  const Codes bottom = codes(R - 1), top = codes(0);
  Codes up, down;
#pragma unroll
  for (int w = 0; w < W; w++) {
    up.word[w] = codes_above(bottom.word[w]);
    down.word[w] = codes_below(top.word[w]);
#if !TESSERA_TORUS
    // Beyond the border; of other regions it does not matter.
    if (place.lane == 0) up.word[w] = codes_of(0, 0, 0);
    if (place.lane == 31) down.word[w] = codes_of(0, 0, 0);
#endif
  }
  Codes above = top, here = codes(1);
  const Codes second = here;
#pragma unroll
  for (int r = 1; r + 1 < R; r++) {
    const Codes below = r + 2 == R ? bottom : codes(r + 1);
    step_row(s[r], above, here, below);
    above = here, here = below;
    if (r % V == V - 1 && r >= V) leave_edges(s, r - V + 1, next, place);
  }
  step_row(s[R - 1], above, bottom, down);
  if (R > V) leave_edges(s, R - V, next, place);
  step_row(s[0], up, top, second);
  leave_edges(s, 0, next, place);
}

// The region of a block, and those around it. Places are in the words of all regions.
struct Region {
  int i, k;
  Extent columns, rows;
};

// The number of the region before or after number `i` of n.
__device__ __forceinline__ int neighbour(int i, int n, int step) {
  const int next = i + step;
  return next < 0 ? n - 1 : next == n ? 0 : next;
}
// Whether there is one.
__device__ __forceinline__ bool has_neighbour(int i, int n, int step) {
#if TESSERA_TORUS
  return true;
#else
  return step < 0 ? i > 0 : i + 1 < n;
#endif
}

// The column in word j of so many columns from `start` on, at most N; or none.
struct Column {
  int at;
  bool has;
  __device__ Column(int j, int start, int count) {
    at = start + (j - start % N + N) % N;
    has = at < start + count;
  }
};

// The letters of a round.
struct Letters {
  Letter* rows;
  ShortLetter* columns;
  int across, halo;  // regions side by side; rows, and columns, of a halo
  u32 mark;

  // Rows of a warp's words: [region][0: the first rows of its own, 1: the last][warp][three
  // words][row].
  __device__ __forceinline__ Letter* row(int i, int k, int edge, u32 warp) const {
    return rows + (((i64)k * across + i) * 2 + edge) * (K * kRowLetters * halo) +
           (i64)warp * (kRowLetters * halo);
  }
  // Columns: [region][0: the first of its own, 1: the last][column][lane].
  __device__ __forceinline__ u32 column(int i, int k, int side, int n) const {
    return (u32)((((k * across + i) * 2 + side) * halo + n) * 32);
  }
};

__device__ __forceinline__ bool below(int n, int count) { return (u32)n < (u32)count; }

// Leaves what neighbours need.
__device__ __forceinline__ void leave_frame(const u32 (&s)[R][W], const Letters& letters,
                                            const Region& own, u32 warp, u32 lane) {
  const int halo = letters.halo;
#pragma unroll
  for (int w = 0; w < W; w++) {
    const int j = (int)warp * W + w;
#pragma unroll
    for (int side = 0; side < 2; side++) {
      const int start = own.columns.lead + (side == 0 ? 0 : own.columns.own - halo);
      const Column column(j, start, halo);
      if (!column.has) continue;
      const u32 to_top = 1u << (31 - column.at / N);
      u32 bits = 0;
#pragma unroll
      for (int r = R - 1; r >= 0; r--) bits = __funnelshift_l(multiply(s[r][w], to_top), bits, 1);
      send(letters.columns + (letters.column(own.i, own.k, side, column.at - start) + lane), bits,
           letters.mark);
    }
  }
#pragma unroll
  for (int edge = 0; edge < 2; edge++) {
    const int first = (int)lane * R - own.rows.lead - (edge == 0 ? 0 : own.rows.own - halo);
    Letter* const to = letters.row(own.i, own.k, edge, warp) + first;
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int q = 0; q < kRowLetters; q++) {
        u32 words[3] = {};
#pragma unroll
        for (int w = 3 * q; w < W && w < 3 * q + 3; w++) words[w - 3 * q] = s[r][w];
        send(to + q * halo + r, words, letters.mark, below(first + r, halo));
      }
    }
  }
}

// Takes the halo from what the neighbours leave. A lane has rows of one halo at most, because no
// region is lower than its rows.
__device__ __forceinline__ void take_halo(u32 (&s)[R][W], const Letters& letters, const Grid& grid,
                                          const Region& own, u32 warp, u32 lane) {
  const int across = (int)grid.units, down = (int)grid.last, halo = letters.halo;
  const int row = (int)lane * R - own.rows.lead;
  const bool over = row < 0;
  // The lane's first row as a row of the halo, and of the region from which that comes.
  const int first = over ? row + halo : row - own.rows.own;
  const int k = neighbour(own.k, down, over ? -1 : 1);
  const bool outside = has_neighbour(own.k, down, over ? -1 : 1) && first > -R && first < halo;
  const Letter* const rows = letters.row(own.i, k, over ? 1 : 0, warp) + first;
  // Which of the lane's rows come from there; and the two lanes that have a bit of each.
  const int edge = over ? min(R, -row) : max(0, -first);
  const u32 before = (1u << edge) - 1, rows_outside = !outside ? 0 : over ? before : ~before;
  const Extent from = rows_of(grid, k);
  const int there = first + from.lead + (over ? from.own - halo : 0);
  const int lane_there = (there + R) / R - 1, by = there - lane_there * R;

  struct HaloColumn {
    int bit;
    bool has;
  } place[2][W];
  u32 beside[2][W], corner[2][W];  // places of letters
#pragma unroll
  for (int side = 0; side < 2; side++) {
    const int i = neighbour(own.i, across, 2 * side - 1);
    const int start = own.columns.lead + (side == 0 ? -halo : own.columns.own);
#pragma unroll
    for (int w = 0; w < W; w++) {
      const Column column((int)warp * W + w, start, halo);
      place[side][w] = {column.at / N, column.has && has_neighbour(own.i, across, 2 * side - 1)};
      beside[side][w] = letters.column(i, own.k, 1 - side, column.at - start) + lane;
      corner[side][w] = letters.column(i, k, 1 - side, column.at - start) + (u32)lane_there;
    }
  }

  // All that is needed, again and again until all of it has come.
  u32 bits[2][W], near[2][W], far[2][W];
  Patience patience;
  while (true) {
    u32 missing = 0;
#pragma unroll
    for (int side = 0; side < 2; side++) {
#pragma unroll
      for (int w = 0; w < W; w++) {
        const bool has = place[side][w].has;
        const auto take_one = [&](u32& word, u32 at, bool takes) {
          u32 mark = letters.mark;
          word = 0;
          take(word, mark, letters.columns + (i64)(int)at, takes);
          missing |= mark ^ letters.mark;
        };
        take_one(bits[side][w], beside[side][w], has);
        take_one(near[side][w], corner[side][w], has && outside && lane_there >= 0);
        take_one(far[side][w], corner[side][w] + 1, has && outside && lane_there < 31);
      }
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int q = 0; q < kRowLetters; q++) {
        u32 words[3] = {}, mark = letters.mark;
#pragma unroll
        for (int w = 3 * q; w < W && w < 3 * q + 3; w++) words[w - 3 * q] = s[r][w];
        take(words, mark, rows + q * halo + r, outside && below(first + r, halo));
        missing |= mark ^ letters.mark;
#pragma unroll
        for (int w = 3 * q; w < W && w < 3 * q + 3; w++) s[r][w] = words[w - 3 * q];
      }
    }
    if (patience.over(missing == 0)) break;
  }

#pragma unroll
  for (int side = 0; side < 2; side++) {
#pragma unroll
    for (int w = 0; w < W; w++) {
      if (!place[side][w].has) continue;
      const u32 up = (u32)place[side][w].bit & 31, mask = 1u << up;
      const u32 outer = near[side][w] >> by | far[side][w] << (R - by);
      const u32 column = (bits[side][w] & ~rows_outside) | (outer & rows_outside);
      u32 turned = __funnelshift_l(column, column, up);
#pragma unroll
      for (int r = 0; r < R; r++) {
        s[r][w] = (s[r][w] & ~mask) | (turned & mask);
        turned = __funnelshift_r(turned, turned, 1);
      }
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(32 * K, 1)
    resident(const Grid grid, const ResidentRun run) {
  TESSERA_DYNAMIC_SHARED(room);
  Rows* const edges = (Rows*)room;
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  Region own;
  own.k = (int)(blockIdx.x / (u32)grid.units);
  own.i = (int)(blockIdx.x - (u32)own.k * (u32)grid.units);
  own.columns = columns_of(grid, own.i);
  own.rows = rows_of(grid, own.k);
  u32* const words =
      run.cells + region_place(grid, own.i, own.k) + (i64)warp * (W * kColumnWords) + lane;

  u32 s[R][W];
#pragma unroll
  for (int n = 0; n < R * W; n++) s[n / W][n % W] = words[n % W * kColumnWords + n / W * 32];
  Place at{lane, warp == 0, warp == K - 1 ? 2u : 1u,
           // Not as a constant, which would be fetched again and again.
           __shfl_sync(~0u, run.two31, 0)};
  forget(at.to_next_strip);
  Rows* const own_edges = edges + warp * (2 * kSideRows) + lane;
  const Rows* const from_west = edges + ((warp + K - 1) % K * 2 + 1) * kSideRows + lane;
  const Rows* const from_east = edges + (warp + 1) % K * 2 * kSideRows + lane;
  u32 left = run.generations, mark = run.met, turn = 0;
#pragma unroll 1
  while (left > 0) {
    mark++;
    const int halo = (int)grid.left;
    const i64 regions = (i64)grid.units * grid.last * (mark % 2);
    const Letters letters{(Letter*)run.rows + regions * (2 * K * kRowLetters * halo),
                          run.columns + regions * (2 * 32 * halo), (int)grid.units, halo, mark};
    leave_frame(s, letters, own, warp, lane);
    take_halo(s, letters, grid, own, warp, lane);
#pragma unroll
    for (int r = 0; r < R; r += V) leave_edges(s, r, own_edges + turn, at);
    const u32 now = min(left, (u32)halo);
#pragma unroll 1
    for (u32 g = 0; g < now; g++) {
      __syncthreads();
      // The next generation's go to the other half, so that one barrier is enough.
      const u32 next = kEdgeRows - turn;
      step_rows(s, from_west + turn, from_east + turn, own_edges + next, at);
      turn = next;
    }
    left -= now;
  }
#pragma unroll
  for (int n = 0; n < R * W; n++) words[n % W * kColumnWords + n / W * 32] = s[n / W][n % W];
}
