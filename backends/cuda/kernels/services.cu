// What a backend does on the device besides stepping, for every layout: filling, cutting out,
// counting, hashing, viewing. "layout.cuh" is the layout's own header; it defines
//
//   u64  layout_word(grid, cells, i, y)    canonical word i of row y, padding zero
//   i64  layout_pieces(grid, box)          storage words that hold cells of `box`
//   void layout_paste(grid, cells, box, piece, staged, staged_words)
//                                          fills one of them from canonical words
//   kRowsFirst                             neighbouring threads should take neighbouring rows
//
// and where it can do better than by canonical words, layout_count (below) and the macro
// TESSERA_LAYOUT_COUNTS, layout_own_word and the macro TESSERA_LAYOUT_OWN_ROWS.
//
// A layout may hold the state of a cell in several planes (TESSERA_PLANES). Then layout_word has
// the cells whose state is not 0, layout_paste and layout_plane_word (TESSERA_LAYOUT_PLANE_WORD)
// are about one plane, and `recode` turns the codes of the planes into states and back.
#include "kernel_params.h"
#include "layout.cuh"
#include "ptx.cuh"
#include "soup.cuh"

using namespace tessera::cuda;

namespace {

#ifndef TESSERA_LAYOUT_PLANE_WORD
__device__ __forceinline__ u64 layout_plane_word(const Grid& grid, const void* cells, i64 i,
                                                 i64 y) {
  return layout_word(grid, cells, i, y);
}
#endif

__device__ __forceinline__ i64 thread_index() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 thread_count() { return (i64)gridDim.x * blockDim.x; }

// Thread number n of words x rows, in the layout's preferred order.
__device__ __forceinline__ void split(i64 n, i64 words, i64 rows, i64& i, i64& y) {
  if (kRowsFirst) {
    i = n / rows, y = n - i * rows;
  } else {
    y = n / words, i = n - y * words;
  }
}

}  // namespace

// The soup's words from `first` on, in canonical order; the padding is not cleared.
extern "C" __global__ void make_soup(u64* staged, u64 first, i64 count, u64 seed, u32 density) {
  for (i64 n = thread_index(); n < count; n += thread_count())
    staged[n] = soup_word(first + (u64)n, seed, density);
}

// Writes canonical words, `staged_words` per row, into the cells of `box`.
extern "C" __global__ void paste(const Grid grid, void* cells, const Box box, const u64* staged,
                                 i64 staged_words) {
  const i64 pieces = layout_pieces(grid, box);
  for (i64 n = thread_index(); n < pieces; n += thread_count())
    layout_paste(grid, cells, box, n, staged, staged_words);
}

#ifdef TESSERA_LAYOUT_OWN_ROWS
namespace {

// Copies `rows` words, four at a time where both places allow it; by a warp.
__device__ __forceinline__ void copy_column(u32* to, const u32* from, i64 rows, int lane) {
  const bool fours = (((u64)to | (u64)from) & 15) == 0;
  const i64 quads = fours ? rows / 4 : 0;
  for (i64 n = lane; n < quads; n += 32) ((uint4*)to)[n] = ((const uint4*)from)[n];
  for (i64 n = 4 * quads + lane; n < rows; n += 32) to[n] = from[n];
}

}  // namespace

// Rows in the layout's own form on their way to a grid of the same layout: `columns` times as many
// words as rows, which lie side by side in memory.
extern "C" __global__ void pack_rows(const Grid grid, void* cells, i64 y, i64 rows, i64 columns,
                                     u32* packed) {
  for (i64 column = blockIdx.x; column < columns; column += gridDim.x) {
    for (i64 row = threadIdx.x; row < rows; row += blockDim.x)
      packed[column * rows + row] = layout_own_word(grid, cells, column, y, rows)[row];
  }
}

extern "C" __global__ void unpack_rows(const Grid grid, void* cells, i64 y, i64 rows, i64 columns,
                                       const u32* packed) {
  for (i64 column = blockIdx.x; column < columns; column += gridDim.x) {
    for (i64 row = threadIdx.x; row < rows; row += blockDim.x)
      layout_own_word(grid, cells, column, y, rows)[row] = packed[column * rows + row];
  }
}

// Both sides at once: packs the rows that leave, or unpacks those that have come.
extern "C" __global__ void trade_rows(const Grid grid, void* cells, const RowTrade trade) {
  const i64 warps = thread_count() / 32, warp = thread_index() / 32;
  const int lane = (int)(threadIdx.x & 31);
  wait_for_last_launch();
  for (int side = 0; side < 2; side++) {
    const RowWay& way = trade.ways[side];
    for (i64 column = warp; column < trade.columns; column += warps) {
      if (way.out) {
        copy_column(way.out + column * trade.rows,
                    layout_own_word(grid, cells, column, way.out_row, trade.rows), trade.rows,
                    lane);
      }
      if (way.in) {
        copy_column(layout_own_word(grid, cells, column, way.in_row, trade.rows),
                    way.in + column * trade.rows, trade.rows, lane);
      }
    }
  }
}
#endif

// Tells the devices of the bands above and below that what was queued before this is done, and
// waits until they tell the same; null where nobody is. By one warp. Every device must run its own
// at the same time.
extern "C" __global__ void meet(u32* above, u32* below, const u32* from_above,
                                const u32* from_below, u32 meeting) {
  wait_for_last_launch();
  if (threadIdx.x == 0) {
    if (above) store_release(above, meeting);
    if (below) store_release(below, meeting);
  }
  __syncwarp();
  if (from_above) await(from_above, meeting, true);
  if (from_below) await(from_below, meeting, true);
}

// Reads the cells of `box` as canonical words, `staged_words` per row, padding zero.
extern "C" __global__ void cut_out(const Grid grid, const void* cells, const Box box, u64* staged,
                                   i64 staged_words) {
  for (i64 n = thread_index(); n < staged_words * box.height; n += thread_count()) {
    i64 i, y;
    split(n, staged_words, box.height, i, y);
    const i64 x = box.x + 64 * i, word = x / 64;
    const int shift = (int)(x % 64);
    u64 bits = layout_plane_word(grid, cells, word, box.y + y) >> shift;
    if (shift > 0 && word + 1 < grid.words)
      bits |= layout_plane_word(grid, cells, word + 1, box.y + y) << (64 - shift);
    const i64 left = box.width - 64 * i;
    if (left < 64) bits &= (1ull << left) - 1;
    staged[y * staged_words + i] = bits;
  }
}

#if TESSERA_PLANES > 1
// Gives the soup's live cells, which are plane 0 of the words from `first` on, states from 1 to
// `states` - 1: plane p of them begins at word p * words.
extern "C" __global__ void soup_states(u64* staged, u64 first, i64 words, u64 seed, u32 states,
                                       u32 planes) {
  for (i64 n = thread_index(); n < words; n += thread_count()) {
    u64 out[8] = {};
    for (u64 rest = staged[n]; rest != 0; rest &= rest - 1) {
      const int bit = __ffsll((long long)rest) - 1;
      const u64 cell = 64 * (first + (u64)n) + (u64)bit;
      const u64 drawn = mix(seed + 16 * 0xD1342543DE82EF95ull + (cell + 1) * 0x9E3779B97F4A7C15ull);
      const u64 state = 1 + ((states - 1) * (drawn >> 32) >> 32);
      for (int p = 0; p < 8; p++) out[p] |= (state >> p & 1) << bit;
    }
    for (int p = 0; p < 8; p++) {
      if (p < planes) staged[p * words + n] = out[p];
    }
  }
}

// Turns the values that the bits of `from` planes make into those of `to` planes, `words` words
// each, in place: plane p begins at word p * words.
extern "C" __global__ void recode(u64* staged, i64 words, u32 from, u32 to, const u16* values) {
  for (i64 n = thread_index(); n < words; n += thread_count()) {
    constexpr u32 kMost = 16;  // kMostPlanes of the host
    u64 in[kMost], out[kMost];
    for (u32 p = 0; p < kMost; p++) {
      in[p] = p < from ? staged[p * words + n] : 0;
      out[p] = 0;
    }
    for (int bit = 0; bit < 64; bit++) {
      u32 value = 0;
      for (u32 p = 0; p < from; p++) value |= (u32)(in[p] >> bit & 1) << p;
      value = values[value];
      for (u32 p = 0; p < to; p++) out[p] |= (u64)(value >> p & 1) << bit;
    }
    for (u32 p = 0; p < to; p++) staged[p * words + n] = out[p];
  }
}

// The state hash of canonical planes, `row_words` words per row; `first` masks the first word of
// each row.
extern "C" __global__ void hash_planes(const u64* staged, i64 row_words, i64 rows, u32 planes,
                                       u64 first, i64 column0, i64 row0, Findings* out) {
  u64 hash = 0;
  const i64 words = row_words * rows;
  for (i64 n = thread_index(); n < words; n += thread_count()) {
    const i64 y = n / row_words, i = n - y * row_words;
    const u64 place =
        mix(((u64)(column0 + i) & 0xffffffffull) << 32 | ((u64)(row0 + y) & 0xffffffffull));
    for (u32 p = 0; p < planes; p++) {
      const u64 word = staged[p * words + n] & (i == 0 ? first : ~0ull);
      if (word != 0) hash += mix(word ^ place ^ p * 0xD1342543DE82EF95ull);
    }
  }
  if (hash != 0) atomicAdd(&out->hash, hash);
}
#endif

// Population, state hash and bounds of `box` in one pass, those of them that `parts` names; `out`
// starts as nothing found.
extern "C" __global__ void survey(const Grid grid, const void* cells, const Box box, u32 parts,
                                  i64 column0, i64 row0, Findings* out) {
  const i64 first = box.x / 64, last = (box.x + box.width - 1) / 64, words = last - first + 1;
  const u64 from = ~0ull << box.x % 64, to = ~0ull >> (63 - (box.x + box.width - 1) % 64);
  u64 population = 0, hash = 0;
  i64 xmin = 0x7fffffffffffffffll, ymin = xmin, xmax = -1, ymax = -1;
  for (i64 n = thread_index(); n < words * box.height; n += thread_count()) {
    i64 i, y;
    split(n, words, box.height, i, y);
    i += first, y += box.y;
    const u64 word =
        layout_word(grid, cells, i, y) & (i == first ? from : ~0ull) & (i == last ? to : ~0ull);
    if (word == 0) continue;
    population += __popcll(word);
    if (parts & kFindHash) {
      hash += mix(word ^ mix(((u64)(column0 + i) & 0xffffffffull) << 32 |
                             ((u64)(row0 + y) & 0xffffffffull)));
    }
    if (parts & kFindBounds) {
      xmin = min(xmin, 64 * i + __ffsll((i64)word) - 1);
      xmax = max(xmax, 64 * i + 63 - __clzll((i64)word));
      ymin = min(ymin, y);
      ymax = max(ymax, y);
    }
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    population += __shfl_down_sync(~0u, population, apart);
    hash += __shfl_down_sync(~0u, hash, apart);
    xmin = min(xmin, __shfl_down_sync(~0u, xmin, apart));
    ymin = min(ymin, __shfl_down_sync(~0u, ymin, apart));
    xmax = max(xmax, __shfl_down_sync(~0u, xmax, apart));
    ymax = max(ymax, __shfl_down_sync(~0u, ymax, apart));
  }
  if ((threadIdx.x & 31) != 0 || population == 0) return;
  atomicAdd(&out->population, population);
  if (parts & kFindHash) atomicAdd(&out->hash, hash);
  if (!(parts & kFindBounds)) return;
  atomicMin(&out->xmin, xmin);
  atomicMin(&out->ymin, ymin);
  atomicMax(&out->xmax, xmax);
  atomicMax(&out->ymax, ymax);
}

// Counts the live cells of the pixels that cover the rows of `box`. A thread takes the width of one
// canonical word in up to 32 rows of one row of pixels, pixel by pixel.
extern "C" __global__ void count_pixels(const Grid grid, const void* cells, const Box box,
                                        i64 scale, i64 pixel_words, u64* counts) {
  const i64 first = box.x / 64, words = (box.x + box.width - 1) / 64 - first + 1;
  const i64 run = scale < 32 ? scale : 32, runs_a_pixel = (scale + run - 1) / run;
  const i64 pixel_rows = (box.height - 1) / scale + 1, runs = runs_a_pixel * pixel_rows;
  for (i64 n = thread_index(); n < words * runs; n += thread_count()) {
    i64 i, r;
    split(n, words, runs, i, r);
    const i64 py = r / runs_a_pixel;
    const i64 top = py * scale + (r - py * runs_a_pixel) * run;
    const i64 bottom = min(min(top + run, (py + 1) * scale), box.height);
    i64 x = max(64 * (first + i) - box.x, 0ll);
    const i64 end = min(64 * (first + i + 1) - box.x, box.width);
    while (x < end) {
      const i64 px = x / scale, next = min((px + 1) * scale, end);
      const int bit = (int)(box.x + x - 64 * (first + i)), length = (int)(next - x);
      const u64 mask = (length == 64 ? ~0ull : (1ull << length) - 1) << bit;
      u64 live = 0;
      for (i64 y = top; y < bottom; y++)
        live += __popcll(layout_word(grid, cells, first + i, box.y + y) & mask);
      if (live > 0) atomicAdd(&counts[py * pixel_words + px], live);
      x = next;
    }
  }
}

namespace {

#ifndef TESSERA_LAYOUT_COUNTS
// Live cells in `rows` rows from y on, in `columns` columns from x on.
__device__ inline u32 layout_count(const Grid& grid, const void* cells, i64 x, i64 columns, i64 y,
                                   i64 rows) {
  u32 live = 0;
  for (i64 i = x / 64; 64 * i < x + columns; i++) {
    const i64 begin = max(x - 64 * i, 0ll), end = min(x + columns - 64 * i, 64ll);
    const u64 mask = (end == 64 ? ~0ull : (1ull << end) - 1) & ~0ull << begin;
    for (i64 r = 0; r < rows; r++) live += (u32)__popcll(layout_word(grid, cells, i, y + r) & mask);
  }
  return live;
}
#endif

}  // namespace

// Greys of pixels of up to 64 cells per side, as density_grey defines them: `spans` holds the cells
// under each column of the picture, then under each row.
extern "C" __global__ void shade_spans(const Grid grid, const void* cells, const Span* spans,
                                       i64 columns, i64 rows, u8* pixels) {
  for (i64 n = thread_index(); n < columns * rows; n += thread_count()) {
    const i64 py = n / columns;
    const Span across = spans[n - py * columns], down = spans[columns + py];
    const u32 live = layout_count(grid, cells, across.first, across.count, down.first, down.count);
    const u32 area = across.side * down.side;
    pixels[n] = (u8)(live == 0 ? 0 : max((live * 255 + area / 2) / area, 1u));
  }
}

// Updates the ages of the same pixels, `generations` after the last look, like AgeMap::add of
// core/pictures/age_map.h.
extern "C" __global__ void age_pixels(const Grid grid, const void* cells, const Span* spans,
                                      i64 columns, i64 rows, i64 generations, short* ages) {
  for (i64 n = thread_index(); n < columns * rows; n += thread_count()) {
    const i64 py = n / columns;
    const Span across = spans[n - py * columns], down = spans[columns + py];
    const bool alive =
        layout_count(grid, cells, across.first, across.count, down.first, down.count) > 0;
    const i64 age = ages[n];
    i64 next = 0;
    if (alive) {
      next = age > 0 ? min(age + generations, (i64)kMostAge) : 1;
    } else if (age > 0) {
      next = -1;
    } else if (age < 0 && age - generations >= -kTrailAge) {
      next = age - generations;
    }
    ages[n] = (short)next;
  }
}

// Bytes of ages; `colours` begins with that of the oldest trail.
extern "C" __global__ void colour_ages(const short* ages, i64 count, const u8* colours,
                                       u8* pixels) {
  for (i64 n = thread_index(); n < count; n += thread_count())
    pixels[n] = colours[ages[n] + kTrailAge];
}
