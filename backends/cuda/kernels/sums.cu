// Rules of longer range by counts that run down the columns, bit-sliced, one generation per launch.
// A thread takes the words of kColumns columns side by side (layout_sums.cuh) and walks down some
// rows. A count is that of the cell above plus the cells that enter the neighbourhood and less
// those that leave it. Where a neighbourhood has few corners, what a count gains that way runs
// along the row in turn: it changes by the cells at the corners alone, four of a square of any size
// (core/rules/count_edges.h). Where the cells that enter and leave are lines of few cells, a thread
// holds them in registers, and where they are fewer, loads the next row's while it counts.
// "rule.cuh" has the gates behind the counts, and says what is compiled (range_header of
// rule_source.h).
#include "layout_sums.cuh"
#include "ptx.cuh"

#define TESSERA_FN __device__ __forceinline__
#define TESSERA_WORD unsigned int
#define TESSERA_LUT3(table, a, b, c) tessera_lut3<table>(a, b, c)
#include "rule.cuh"

using namespace tessera::cuda;

namespace {

constexpr int kBits = TESSERA_BITS;  // of a count
constexpr int kGainBits = TESSERA_GAIN_BITS, kColumns = TESSERA_COLUMNS, kCorners = TESSERA_CORNERS;
constexpr int kParity = 0x96, kMajority = 0xE8;

struct Corner {
  int dx, dy;
};
#if TESSERA_CORNERS
__device__ constexpr Corner kPlus[] = TESSERA_PLUS_CORNERS;
__device__ constexpr Corner kMinus[] = TESSERA_MINUS_CORNERS;
#if TESSERA_LISTED_EDGES
__device__ constexpr Corner kEntering[] = TESSERA_PLUS_EDGES;
__device__ constexpr Corner kLeaving[] = TESSERA_MINUS_EDGES;
#endif
#if TESSERA_LISTED_CELLS
__device__ constexpr Corner kAll[] = TESSERA_ALL_CELLS;
__device__ constexpr Corner kRightEntering[] = TESSERA_PLUS_RIGHT;
__device__ constexpr Corner kRightLeaving[] = TESSERA_MINUS_RIGHT;
#endif
#endif

// n += carry * 2^first; what goes beyond the bits is lost, here and below.
template <int kFirst, int kOf>
__device__ __forceinline__ void add_bit(u32 (&n)[kOf], u32 carry) {
#pragma unroll
  for (int i = kFirst; i < kOf; i++) {
    const u32 sum = n[i] ^ carry;
    carry &= n[i];
    n[i] = sum;
  }
}

// Bit i of n, a and b becomes n; returns the carry.
template <int kOf>
__device__ __forceinline__ u32 add_two(u32 (&n)[kOf], int i, u32 a, u32 b) {
  if (i >= kOf) return 0;
  const u32 carry = tessera_lut3<kMajority>(n[i], a, b);
  n[i] = tessera_lut3<kParity>(n[i], a, b);
  return carry;
}

// n += four bits, or eight, which `cell` gives by their numbers.
template <int kOf, class Cell>
__device__ __forceinline__ void add_four(u32 (&n)[kOf], const Cell& cell) {
  const u32 first = add_two(n, 0, cell(0), cell(1)), second = add_two(n, 0, cell(2), cell(3));
  add_bit<2>(n, add_two(n, 1, first, second));
}
template <int kOf, class Cell>
__device__ __forceinline__ void add_eight(u32 (&n)[kOf], const Cell& cell) {
  u32 twos[4];
#pragma unroll
  for (int k = 0; k < 4; k++) twos[k] = add_two(n, 0, cell(2 * k), cell(2 * k + 1));
  const u32 first = add_two(n, 1, twos[0], twos[1]), second = add_two(n, 1, twos[2], twos[3]);
  add_bit<3>(n, add_two(n, 2, first, second));
}

// n += the cells at `count` places; or with kTaken the number of those that are dead.
template <bool kTaken, int kOf>
__device__ __forceinline__ void add_cells(u32 (&n)[kOf], const u32* at, const i64* offsets,
                                          u32 count) {
  const auto cell = [&](u32 i) { return kTaken ? ~at[offsets[i]] : at[offsets[i]]; };
  u32 i = 0;
#pragma unroll 1
  for (; i + 8 <= count; i += 8) add_eight(n, [&](int k) { return cell(i + k); });
#pragma unroll 1
  for (; i < count; i++) add_bit<0>(n, cell(i));
}

template <int kOf>
__device__ __forceinline__ void set_number(u32 (&n)[kOf], u32 value) {
#pragma unroll
  for (int i = 0; i < kOf; i++) n[i] = value >> i & 1 ? ~0u : 0u;
}

// n += value; a constant where it is called.
template <int kOf>
__device__ __forceinline__ void add_number(u32 (&n)[kOf], u32 value) {
  u32 carry = 0;
#pragma unroll
  for (int i = 0; i < kOf; i++) {
    const u32 bit = value >> i & 1 ? ~0u : 0u, sum = n[i] ^ bit ^ carry;
    carry = tessera_lut3<kMajority>(n[i], bit, carry);
    n[i] = sum;
  }
}

// n += the `count` cells that enter and less as many that leave, which stand behind them.
template <int kOf>
__device__ __forceinline__ void add_edges(u32 (&n)[kOf], const u32* at, const i64* offsets,
                                          u32 count) {
  add_cells<false>(n, at, offsets, count);
  add_cells<true>(n, at, offsets + count, count);
}

// n += up - down, both of one bit, from bit kFirst on: t says whether a carry or, where there is
// none, a borrow goes on.
template <int kFirst, int kOf>
__device__ __forceinline__ void move_by(u32 (&n)[kOf], u32 up, u32 down) {
  if (kFirst >= kOf) return;
  u32 t = tessera_lut3<0x42>(n[kFirst], up, down);
  n[kFirst] = tessera_lut3<kParity>(n[kFirst], up, down);
#pragma unroll
  for (int i = kFirst + 1; i < kOf; i++) {
    const u32 old = n[i];
    n[i] ^= t;
    t = tessera_lut3<0x90>(t, old, up);
  }
}

#if TESSERA_CORNERS
// The same by two cells each, of which the first are counted: `up` is what they carry.
__device__ __forceinline__ void move_by_two(u32 (&gain)[kGainBits], u32 up, u32 minus,
                                            u32 other_minus) {
  const u32 down = tessera_lut3<0x8E>(gain[0], minus, other_minus);  // ~a and one of b, c, or both
  gain[0] = tessera_lut3<kParity>(gain[0], minus, other_minus);
  move_by<1>(gain, up, down);
}

__device__ __forceinline__ u32 cell_at(const u32* at, i64 stride, const Corner& place) {
  return at[place.dy * stride + place.dx * kLanes];
}

#if TESSERA_LISTED_EDGES || TESSERA_LISTED_CELLS
// As add_cells, where the places are constants.
template <bool kTaken, int kCount, int kOf>
__device__ __forceinline__ void add_known(u32 (&n)[kOf], const u32* at, i64 stride,
                                          const Corner (&places)[kCount]) {
  const auto cell = [&](int i) {
    if (i >= kCount) return 0u;
    return kTaken ? ~cell_at(at, stride, places[i]) : cell_at(at, stride, places[i]);
  };
  constexpr int kEights = kCount / 8 * 8;
#pragma unroll
  for (int i = 0; i < kEights; i += 8) add_eight(n, [&](int k) { return cell(i + k); });
#pragma unroll
  for (int i = kEights; i < kCount; i += 4) add_four(n, [&](int k) { return cell(i + k); });
}
#endif

// What the counts of one column gain becomes that of the next, whose word is at `at`.
__device__ __forceinline__ void run_along(u32 (&gain)[kGainBits], const u32* at, i64 stride) {
  const auto word = [&](const Corner& corner) { return cell_at(at, stride, corner); };
#pragma unroll
  for (int i = 0; i + 2 <= kCorners; i += 2) {
    const u32 up = add_two(gain, 0, word(kPlus[i]), word(kPlus[i + 1]));
    move_by_two(gain, up, word(kMinus[i]), word(kMinus[i + 1]));
  }
  if (kCorners % 2) move_by<0>(gain, word(kPlus[kCorners - 1]), word(kMinus[kCorners - 1]));
}
#endif

#if TESSERA_LINES
// The words of a row that a thread's columns see enter, or leave: `from` is that of the first cell.
constexpr int kOfLine = TESSERA_DOWN, kLine = kOfLine + kColumns - 1;
__device__ __forceinline__ void load_line(u32 (&line)[kLine], const u32* from) {
#pragma unroll
  for (int i = 0; i < kLine; i++) line[i] = from[i * kLanes];
}

// What the count of the first column gains: all bits of a weight are summed, three become one and a
// carry of twice the weight. Their sum begins with what is counted of the leaving cells, which are
// those that are dead, too much.
__device__ __forceinline__ void count_lines(u32 (&gain)[kGainBits], const u32 (&enters)[kLine],
                                            const u32 (&leaves)[kLine]) {
  u32 bits[2 * kOfLine];
#pragma unroll
  for (int i = 0; i < kOfLine; i++) bits[i] = enters[i], bits[kOfLine + i] = ~leaves[i];
  set_number(gain, 0u - kOfLine);
  int left = 2 * kOfLine;
#pragma unroll
  for (int e = 0; e < kGainBits; e++) {
    int carries = 0;
#pragma unroll
    for (int i = 0; i < 2 * kOfLine; i += 2) {
      if (i < left) bits[carries++] = add_two(gain, e, bits[i], i + 1 < left ? bits[i + 1] : 0);
    }
    left = carries;
  }
}

// What the counts of column c - 1 gain becomes that of column c.
__device__ __forceinline__ void run_along(u32 (&gain)[kGainBits], const u32 (&enters)[kLine],
                                          const u32 (&leaves)[kLine], int c) {
  const u32 up = add_two(gain, 0, enters[kOfLine - 1 + c], leaves[c - 1]);
  move_by_two(gain, up, enters[c - 1], leaves[kOfLine - 1 + c]);
}
#endif

// A count += a gain, whose highest bit is its sign.
__device__ __forceinline__ void add_gain(u32 (&n)[kBits], const u32 (&gain)[kGainBits]) {
  u32 carry = 0;
#pragma unroll
  for (int i = 0; i < kBits; i++) {
    const u32 bit = gain[i < kGainBits ? i : kGainBits - 1];
    const u32 sum = tessera_lut3<kParity>(n[i], bit, carry);
    carry = tessera_lut3<kMajority>(n[i], bit, carry);
    n[i] = sum;
  }
}

#if TESSERA_TABLE
// What lives, unless it is dying, by a table: two bits for each count, births and survivals.
__device__ __forceinline__ u32 look_up(const u32 (&n)[kBits], u32 x, const u32* table) {
  u32 lives = 0;
#pragma unroll 1
  for (int bit = 0; bit < 32; bit++) {
    u32 at = x >> bit & 1;
#pragma unroll
    for (int i = 0; i < kBits; i++) at |= (n[i] >> bit & 1) << (i + 1);
    lives |= (table[at / 32] >> at % 32 & 1) << bit;
  }
  return lives;
}
#endif

__device__ __forceinline__ void write_next(const Grid& grid, const SumsRun& run,
                                           const u32 (&n)[kBits], const u32* at, u32* to) {
#if TESSERA_TABLE
  const u32 lives = look_up(n, *at, run.table);
#else
  const u32 lives = tessera_lives(n, *at);
#endif
#if TESSERA_PLANES > 1
  const i64 plane = sums_plane(grid);
  u32 now[TESSERA_PLANES], next[TESSERA_PLANES];
#pragma unroll
  for (int p = 0; p < TESSERA_PLANES; p++) now[p] = at[p * plane];
  tessera_states(now, lives, next);
#pragma unroll
  for (int p = 0; p < TESSERA_PLANES; p++) to[p * plane] = next[p];
#else
  *to = lives;
#endif
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128, TESSERA_BLOCKS)
    step(const Grid grid, const u32* __restrict__ from, u32* __restrict__ to, const SumsRun run) {
  wait_for_last_launch();
  const i64 n = run.first + (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= run.end) return;
  const i64 group = n / kLanes, segment = group / run.groups;
  const i64 column = (group - segment * run.groups) * kColumns;
  i64 y = segment * run.rows;
  const i64 end = min(y + run.rows, grid.height), begin = sums_at(grid, column, y) + n % kLanes;
  const i64* const right = run.offsets + run.cells;
  const i64* const down = right + 2 * run.right;
  const u32* at = from + begin;
  to += begin;

  // The counts of the row above the first: of its first column by all cells, then along the row.
  u32 counts[kColumns][kBits];
  set_number(counts[0], 0);
#if TESSERA_LISTED_CELLS
  add_known<false>(counts[0], at - grid.stride, grid.stride, kAll);
#else
  add_cells<false>(counts[0], at - grid.stride, run.offsets, run.cells);
#endif
#pragma unroll
  for (int c = 1; c < kColumns; c++) {
#pragma unroll
    for (int i = 0; i < kBits; i++) counts[c][i] = counts[c - 1][i];
    add_number(counts[c], 0u - TESSERA_RIGHT);
#if TESSERA_LISTED_CELLS
    add_known<false>(counts[c], at - grid.stride + c * kLanes, grid.stride, kRightEntering);
    add_known<true>(counts[c], at - grid.stride + c * kLanes, grid.stride, kRightLeaving);
#else
    add_edges(counts[c], at - grid.stride + c * kLanes, right, run.right);
#endif
  }
#if TESSERA_LINES
  const i64 entering = TESSERA_ENTERS_Y * grid.stride + TESSERA_LINE_X * kLanes;
  const i64 leaving = TESSERA_LEAVES_Y * grid.stride + TESSERA_LINE_X * kLanes;
  u32 enters[kLine], leaves[kLine];
#if TESSERA_AHEAD
  load_line(enters, at + entering);
  load_line(leaves, at + leaving);
#endif
#pragma unroll 1
  for (; y < end; y++) {
#if TESSERA_AHEAD
    // Behind the last row the same is loaded once more.
    u32 next_enters[kLine], next_leaves[kLine];
    const u32* const below = y + 1 < end ? at + grid.stride : at;
    load_line(next_enters, below + entering);
    load_line(next_leaves, below + leaving);
#else
    load_line(enters, at + entering);
    load_line(leaves, at + leaving);
#endif
    u32 gain[kGainBits];
    count_lines(gain, enters, leaves);
#pragma unroll
    for (int c = 0; c < kColumns; c++) {
      if (c > 0) run_along(gain, enters, leaves, c);
      add_gain(counts[c], gain);
      write_next(grid, run, counts[c], at + c * kLanes, to + c * kLanes);
    }
    at += grid.stride;
    to += grid.stride;
#if TESSERA_AHEAD
#pragma unroll
    for (int i = 0; i < kLine; i++) enters[i] = next_enters[i], leaves[i] = next_leaves[i];
#endif
  }
#else
#pragma unroll 1
  for (; y < end; y++) {
#if TESSERA_CORNERS
    u32 gain[kGainBits];
    set_number(gain, 0u - TESSERA_DOWN);
#if TESSERA_LISTED_EDGES
    add_known<false>(gain, at, grid.stride, kEntering);
    add_known<true>(gain, at, grid.stride, kLeaving);
#else
    add_edges(gain, at, down, run.down);
#endif
#endif
#pragma unroll
    for (int c = 0; c < kColumns; c++) {
#if TESSERA_CORNERS
      if (c > 0) run_along(gain, at + c * kLanes, grid.stride);
      add_gain(counts[c], gain);
#else
      add_number(counts[c], 0u - TESSERA_DOWN);
      add_edges(counts[c], at + c * kLanes, down, run.down);
#endif
      write_next(grid, run, counts[c], at + c * kLanes, to + c * kLanes);
    }
    at += grid.stride;
    to += grid.stride;
  }
#endif
}

namespace {

// The cell of column x, of a torus any.
__device__ inline u32 cell_of(const Grid& grid, const u32* row, i64 x) {
  if (x < 0) x += grid.width;
  if (x >= grid.width) x -= grid.width;
  if (x < 0 || x >= grid.width) x = (x % grid.width + grid.width) % grid.width;
  const i64 strip = grid.width >> 31 ? x / grid.units : (i64)((u32)x / (u32)grid.units);
  return row[(x - strip * grid.units) * kLanes + strip % kLanes] >> (strip / kLanes) & 1;
}

// Word `lane` of column j of the margin, or of padding, from the cells of `row`. What lies farther
// from the grid than any cell sees is anything.
__device__ inline u32 margin_word(const Grid& grid, const u32* row, i64 j, int lane, int whole) {
  const i64 width = grid.units;
  i64 turns = j < 0 ? -1 : j < width ? 0 : 1;  // strips further on
  i64 own = j - turns * width;
  if (own < 0 || own >= width) {
    turns = j / width - (j % width < 0);
    own = j - turns * width;
  }
  // Beyond, nothing lies on the grid.
  const int strip = lane + (int)min(max(turns, (i64)(-40 * kLanes)), (i64)(40 * kLanes));
  const int by = (strip + 64 * kLanes) / kLanes - 64, from = strip - by * kLanes;
  const u32 word = row[own * kLanes + from];
  if (TESSERA_TORUS && whole == 32 * kLanes && by > -32 && by < 32)
    return __funnelshift_r(word, word, by & 31);
  // Bits from `low` up to `high` are cells of the grid.
  const int past = whole + (own < grid.last) - from;
  const int low = min(max(-by, 0), 32);
  const int high = min(max((past + 65 * kLanes - 1) / kLanes - 64 - by, low), 32);
  u32 out = 0;
  if (high > low) out = (by < 0 ? word << -by : word >> by) & ~0u << low & ~0u >> (32 - high);
  if (!TESSERA_TORUS) return out;
  const i64 pitch = kLanes * width, first = lane * width + j;
  for (int bit = low - 1; bit >= 0 && first + bit * pitch >= -grid.left; bit--)
    out |= cell_of(grid, row, first + bit * pitch) << bit;
  for (int bit = high; bit < 32 && first + bit * pitch < grid.width + grid.left; bit++)
    out |= cell_of(grid, row, first + bit * pitch) << bit;
  return out;
}

#if TESSERA_TORUS
// The margins of all rows of the grid where every strip has all columns: beyond a strip's end lies
// the next one. Four rows at a time, so that their words are under way together.
__device__ inline void fill_sides(const Grid& grid, u32* cells) {
  const u32 words = (u32)((2 * grid.left - 1) * kLanes);  // of a row
  const i64 items = (grid.height + 3) / 4 * words;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < items;
       i += (i64)gridDim.x * blockDim.x) {
    const i64 four = items >> 32 ? i / words : (i64)((u32)i / words), y = 4 * four;
    const int n = (int)(i - four * words), lane = n % kLanes;
    const i64 from_left = n / kLanes;
    const bool after = from_left >= grid.left;
    const i64 own = after ? from_left - grid.left : from_left + grid.units - grid.left;
    const int strip = lane + (after ? 1 : -1), by = strip < 0 ? -1 : strip == kLanes ? 1 : 0;
    u32* const row = cells + sums_at(grid, 0, y);
    const u32* const read = row + own * kLanes + (strip - by * kLanes);
    u32* const write = row + (after ? own + grid.units : own - grid.units) * kLanes + lane;
    u32 word[4];
#pragma unroll
    for (int k = 0; k < 4; k++) word[k] = y + k < grid.height ? read[k * grid.stride] : 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (y + k < grid.height) write[k * grid.stride] = __funnelshift_r(word[k], word[k], by & 31);
    }
  }
}
#endif

}  // namespace

// Writes what plane 0 shows beyond its cells: rows above and below, and in each row the columns on
// either side and `padded` columns that the last strips lack. `whole` strips have all columns.
extern "C" __global__ void fill_margins(const Grid grid, u32* cells, i64 padded, int whole) {
  wait_for_last_launch();
  const i64 reach = grid.left - 1, all = grid.left + grid.units + reach;
  i64 inside = grid.height;  // rows of the grid that are still to do
#if TESSERA_TORUS
  if (whole == 32 * kLanes && grid.left <= grid.units) {
    fill_sides(grid, cells);
    inside = 0;
  }
#endif
  for (i64 r = blockIdx.x; r < grid.left + inside + reach; r += gridDim.x) {
    const i64 y = r < grid.left ? r - grid.left : r - grid.left + grid.height - inside;
    const bool outside = y < 0 || y >= grid.height;
    const i64 source = outside ? (y % grid.height + grid.height) % grid.height : y;
    u32* const row = cells + sums_at(grid, 0, y);
    const u32* const own = cells + sums_at(grid, 0, source);
    const i64 columns = outside ? all : grid.left + padded + reach;
    for (i64 n = threadIdx.x; n < columns * kLanes; n += blockDim.x) {
      i64 j = n / kLanes - grid.left;
      if (!outside && j >= padded) {
        j += grid.units - padded;
      } else if (!outside && j >= 0) {
        j += grid.last;
        if (j >= grid.units) j -= grid.units;
      }
      const int lane = (int)(n % kLanes);
      row[j * kLanes + lane] =
          outside && !TESSERA_TORUS ? 0 : margin_word(grid, own, j, lane, whole);
    }
  }
}
