// The parameters of kernels, declared once for the host and for the code that is compiled at run
// time. Plain structures of fixed size; pointers are device addresses.
#ifndef TESSERA_CUDA_KERNEL_PARAMS_H
#define TESSERA_CUDA_KERNEL_PARAMS_H

#ifndef __CUDACC__
#include <cstdint>
#endif

namespace tessera::cuda {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
#ifdef __CUDACC__
using u64 = unsigned long long;
using i64 = long long;
#else
using u64 = std::uint64_t;
using i64 = std::int64_t;
#endif

/// The size of a grid and how a layout stores it. Every layout reads what it needs:
///   strips   column-major words; `stride` words per column of words, `above` margin rows before
///            row 0, `units` macro-columns, `last` columns in the last of them;
///   march    row-major words; `stride` words per row, `units` windows, `last` columns in the last;
///   rows     row-major 32-bit words; `stride` words per row, `above` margin rows, `left` margin
///            words;
///   columns  column-major words of 32 or 64 cells; `stride` rows per column, `above` and `left` as
///            before;
///   resident  words of regions; `units` regions side by side, `last` on top of each other, `left`
///            and `above` columns and rows of halo;
///   sums     row-major words of strips; `stride` words per row, `units` columns of a strip, `last`
///            in the first strip that lacks some, `left` columns and `above` rows of margin;
///   bytes    a byte per cell; `stride` bytes per row, a margin of `above` rows and `left` bytes;
///   patches  4x4 cells in 16 bits; `stride` patches per row, a margin of one patch all round.
struct Grid {
  i64 width, height;  ///< cells
  i64 words;          ///< canonical 64-bit words per row
  i64 stride;
  i64 above, left;
  i64 units;
  i64 last;
  i64 storage;  ///< bytes of one buffer
};

/// How a batch of universes lies in 32-bit words. A word has cells of `per_word` universes, in
/// 32 / per_word strips of `columns` columns: bit s * per_word + u of word j is column
/// s * columns + j of universe u of the word. Universes that share words are a set. `rows` rows of
/// a set, `columns` words each, belong to a lane, `lanes` lanes to each of `sets` sets of a warp,
/// and where a set takes several warps, `warps` warps to a set; lanes left over stay empty. Word j
/// of row r of a lane of warp w is word ((w * rows + r) * columns + j) * 32 + lane.
struct BatchGrid {
  i64 width, height;  ///< cells of a universe
  i64 words;          ///< canonical 64-bit words per row
  i64 universes;
  i64 tiles;  ///< warps' worths of words
  u32 per_word, columns, rows, lanes, sets, warps;
};

/// The survey of a universe; xmin > xmax where no cell is alive.
struct BatchFinding {
  u64 hash;
  i64 population;
  i64 xmin, ymin, xmax, ymax;
};

/// The part of a grid that a launch of a kernel of the literature steps: units first .. end - 1. A
/// unit is what a thread, warp or block takes at a time: a cell, word, patch, tile or block. The
/// units of threads lie in lines, which are rows or columns of `units_a_line` units, and a thread's
/// next unit is `stride_lines` and `stride_units` further on.
struct Part {
  i64 first, end;
  i64 units_a_line, stride_lines, stride_units;
};

/// A launch of the strips kernel: a pass of up to T generations over all tiles.
struct StripRun {
  const u32* from;
  u32* to;
  u32 generations;
  u32 tile_rows;    ///< whole tiles in a macro-column
  u32 tile_height;  ///< rows that a whole tile owns
  // The rows left below the whole tiles of several neighbouring macro-columns share a tile; each
  // macro-column has a part of its lanes.
  u32 shared_tiles;  ///< 0 where nothing is left
  u32 shared_by;     ///< macro-columns that share a tile
  u32 shared_lanes;  ///< lanes for each of them
  // Factors that the compiler must not know, so that it keeps the multiplication, which runs on
  // another pipe than addition, shift and logic.
  u32 one, two, minus_two, two31;
  // 2 to the number of cells per word moves a word's first cells into the east halo of the word
  // before it. The high product with 2^32 divided by that moves a word's last cells into the west
  // halo of the word after it.
  u32 to_east, to_west;
  // The places of the columns beside the left and right edge; few words, because every launch
  // fetches them anew.
  u32 west_macro, west_word, west_cell;  ///< of the first column in the west halo of the left edge
  u32 last_count, last_word;  ///< columns of the last macro-column divided by W, and the remainder
  // From here on for bands only (TESSERA_BAND): a pass steps the rows first .. end - 1.
  u32 first, end;  ///< `first` is a multiple of the rows per vector access
  u32 turn;        ///< tile row that comes first in order; those before it come last
  u32 edge_above,
      edge_below;  ///< tile rows at either end whose tiles are edges; shared ones are, too
  u32 odd;         ///< of two rules in turns (TESSERA_TURNS): 1 where the second one steps first
};

/// One end of a band in a launch of the strips kernel, and the band beyond it on another device,
/// whose memory this one reaches. Numbers of exchanges are counted cyclically.
struct StripSide {
  u32* there[2];     ///< the neighbour's two buffers; null: nobody is there
  i64 there_stride;  ///< of its grid
  i64 there_row;     ///< where row 0 would lie in a column of its buffers
  i64 first, end;    ///< the rows that leave
  // Words that the one writes in the other's memory.
  // Two by turns of exchanges, since a neighbour may be one ahead: twice the exchange, plus the
  // buffer to fill.
  const u32* room;     ///< from the neighbour
  u32* room_there;     ///< where it is told the same
  const u32* arrived;  ///< from the neighbour: the last exchange whose rows have all come
  u32* arrived_there;  ///< where it is told the same
  u32* stored;         ///< edge tiles whose rows have left so far
  u32 all_stored;      ///< to which that comes by this launch
};

/// What a pass of a band has to do with its neighbours.
struct StripEdges {
  StripSide sides[2];  ///< above and below
  u32 arrives;         ///< whether edge tiles wait for the rows of exchange `arriving`
  u32 arriving;
  u32 leaves;  ///< whether edge tiles store rows for exchange `leaving` in the neighbours' memory
  u32 leaving;
  u32 buffer;  ///< which of its own two this launch writes
};

/// A launch of the kernel sums: the threads `first` to `end` - 1 of those that step a grid, each a
/// part of `rows` rows of a group of columns, of which there are `groups` side by side. `offsets`
/// has the places of cells, in words from the cell that counts them: the `cells` of all that it
/// counts; `right` that enter the count of the cell on the right of another, and as many that leave
/// it; `down` that enter the count of the cell below another, and as many that leave it. Bit
/// 2 * n + x of `table`, if there is one, says whether a cell lives that counts n, itself included,
/// where x is whether it is alive.
struct SumsRun {
  i64 first, end, groups, rows;
  const i64* offsets;
  const u32* table;
  u32 cells, right, down;
};

/// What the kernel table tells the host: the first generation, as its launches count them, that met
/// a cell of which it does not know the next state, and how many such cells there were.
struct TableNotes {
  u32 stopped, count;
};

/// One of them: UnknownCell of core/stepping/table_device.h.
struct TableCell {
  u32 x, y;
  u32 states[3];
};

/// A launch of the kernel table: the words `first` to `end` - 1 of the grid, row by row, by the
/// graph of `entries` from the node `root` on. `unknown` has room for `most` cells.
struct TableRun {
  i64 first, end;
  const u32* entries;
  TableNotes* notes;
  TableCell* unknown;
  u32 root, generation, most;
};

/// A launch of the kernel march: a pass of up to T generations. march.cu explains the words.
struct MarchRun {
  const u32* from;
  u32* to;
  u32 generations;
  u32 pitch;  ///< bytes from row to row
  u32 warps;
  u32 whole;     ///< windows of which each has warps of its own: all but the last, or all
  u32 segments;  ///< of a window
  u32 ahead;     ///< rows before its first from which a segment starts, a multiple of four
  u32 fours;     ///< times four rows that a warp takes
  u32 wrap;      ///< rows until the same come again: the height, or a multiple of it from four on
  u32 lanes;     ///< that have columns of the last window, or of its halo
  u32 share;     ///< segments of the last window in a warp, where it shares
  // The doors at the left and right edge; `joined` where they open into each other.
  u32 joined;
  u32 west_lane, west_byte;  ///< of the grid's last 32 columns
  u32 east_lane, east_byte;  ///< of the columns beside them
  u32 one, minus_two, two;   ///< factors that the compiler must not know, as in StripRun
};

/// A launch of the kernel cascade: a pass of T generations. cascade.cu explains the words.
struct CascadeRun {
  MarchRun march;  ///< of its words `warps` are blocks; `ahead`, `fours` and `wrap` are not used
  u64 plane;       ///< bytes from a plane to the next
  u32 batches;     ///< of rows that the first warp of a block takes
};

/// A band of a torus that several devices step together by relay.
struct RelayRing {
  u32* left_above;  ///< the memory for rows that are left of the band above
  u32* tells[2];    ///< counters in the memory of the bands above and below
  u32* told;        ///< the own two, which these count in
  u32 before;       ///< to which they come before the launch
  u32 warps;        ///< that count each of them in a pass
};

/// A launch of the kernel relay: passes of T generations each. relay.cu explains the words.
struct RelayRun {
  MarchRun march;   ///< `from`, `to` and what is about the rows of a pass are not used
  u32 *even, *odd;  ///< the cells before passes of even and odd number; pass 0 begins with `even`
  u32* left;        ///< rows that warps leave: 4T for every segment, of `pitch` bytes
  u32* arrivals;    ///< kRelayRing counters of blocks, 0 before the launch
  u32 passes;
  u32 fours;   ///< times four rows of a segment; the first `longer` segments have four more
  u32 longer;  ///< the segments of a warp are all of one length
  u32 chunks;  ///< of a pass
  u32 lag;
  u32 first_row;   ///< of the first segment before the first pass; 0 but in a ring
  RelayRing ring;  ///< not used but in a ring
};

/// Counters of a ring, one a chunk; more than warps can be chunks apart.
constexpr u32 kRelayRing = 32;
/// Segments of the last window in a warp of relay, at most.
constexpr int kRelayShare = 8;
/// Bytes of shared memory that a warp of relay takes: two times four rows, what was left, and
/// doors; and two rows put aside.
constexpr u32 kRelayRoom = 2 * 4 * (2 * 512 + 2 * kRelayShare * 16) + 2 * 512;
/// Bytes that a block takes beside its warps', to meet the others.
constexpr u32 kRelayMeeting = 4 * (kRelayRing + 4);

/// Bytes of shared memory of a block of cascade: two batches of so many rows of every plane between
/// each two warps, and one row less on the way to the first, with what comes through doors.
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr u32
    cascade_room(u32 warps, u32 planes, u32 doors, u32 rows) {
  return 16 * planes * (32 * 2 * rows * (warps - 1) + (32 + doors) * (2 * rows - 1));
}

/// Where a chunk of a pass ends, in fours of rows; `chunk` counts from 1.
#ifdef __CUDACC__
__device__ inline
#else
constexpr
#endif
    u32
    relay_chunk(u32 fours, u32 chunks, u32 chunk) {
  return fours * chunk / chunks;
}

/// A launch of the kernel resident: as many generations as are asked for. resident.cu explains the
/// words and the letters.
struct ResidentRun {
  u32* cells;    ///< the words of all regions
  u32* rows;     ///< letters of rows, twice by turns: four words each
  u64* columns;  ///< letters of columns, likewise
  u32 met;       ///< the mark of the last letters before the launch, counted cyclically
  u32 generations;
  u32 two31;  ///< a factor that the compiler must not know, as in StripRun
};
/// Letters of three words for a row of so many.
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr int
    resident_row_letters(int words) {
  return (words + 2) / 3;
}

/// Bytes of shared memory of a block of resident: for two generations, two columns of words of
/// every warp.
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr int
    resident_room(int rows, int warps) {
  return 2 * warps * 2 * rows * 32 * 4;
}

/// Rows on their way between a band and the one on one side of it, the rows of a column of words
/// side by side.
struct RowWay {
  i64 out_row, in_row;  ///< first of the rows that go out, and of the halo that they come to
  u32* out;             ///< where they are packed; null: nothing goes out
  const u32* in;        ///< from where they come; null: nothing comes in
};

/// Rows of both sides.
struct RowTrade {
  RowWay ways[2];
  i64 rows, columns;  ///< per way; words per row
};

/// A rectangle of cells, in the grid's own coordinates.
struct Box {
  i64 x, y, width, height;
};

/// Cells under a column or a row of pixels; the pixel's side may be longer, where it lies beyond
/// the grid.
struct Span {
  u32 first, count, side;
};

/// The longest ages of live and dead pixels, as in AgeMap of core/pictures/age_map.h.
constexpr int kMostAge = 4095, kTrailAge = 255;

/// What one pass over a box of cells finds.
struct Findings {
  u64 population;
  u64 hash;
  i64 xmin, ymin, xmax, ymax;  ///< inclusive; xmin > xmax when all cells are dead
};

/// Parts of a survey, as bits: SurveyParts of core/stepping/survey.h.
constexpr u32 kFindPopulation = 1, kFindBounds = 2, kFindHash = 4;

/// A tile's neighbours and what the kernels keep about it.
struct TileRecord {
  u32 next[8];  ///< as in core/tiles/tile_table.h
  u32 hold;     ///< the last step that visits it whatever happens
  u32 queued;   ///< step + 1 of the last worklist that it was put on
  u32 frame;  ///< its number in TileRing::frames, kTileCopy, and from kTileNowhere on bits for ways
  u32 epoch;  ///< that in which its cells changed last
  u32 changed;  ///< step + 1 of the last that changed its cells
  u32 unused[3];
};

/// In TileRecord::frame: the number; a tile that repeats others; the ways in which there is
/// nothing.
constexpr u32 kTileFrame = 255, kTileCopy = 256, kTileNowhere = 16;

/// A tile that repeats others, and a part of it: cells of `tile` from (from_x, from_y) on, put at
/// (x, y).
struct TileRepeat {
  u32 tile, first, count;
};
struct TilePart {
  u32 tile;
  u8 from_x, from_y, x, y, width, height, unused[2];
};

/// What the steps of a batch have in common.
struct TileControl {
  u32 counts[3];  ///< tiles on the worklist of step s: [s % 3]
  u32 unused;
  // From here on cleared before every batch.
  u32 stop;     ///< index of the first step that must not be taken; 0: none
  u32 missing;  ///< tiles in TileRing::missing
  u32 shapes;   ///< shapes in TileRing::shapes
  u32 unused_2;
  u64 visits;  ///< tiles visited times generations
};

/// A tile, and bits for those of its neighbours that are not there; or a tile and a shape, as
/// lone_shapes packs it.
struct TileNote {
  u32 tile, what;
};

/// Tiles in the memory of a device. A state is 48 rows of 64 bits, columns in bits 8 .. 55, so that
/// a window takes its own row as it is; state s of tile t is number t * places + s.
struct TileRing {
  u64* cells;
  TileRecord* tiles;
  u32* lists[2];  ///< worklist of step s: [s % 2]
  TileControl* control;
  TileNote* missing;
  TileNote* shapes;
  const TileRepeat* copies;
  const TilePart* parts;
  const u32* frames;  ///< left, right, top, bottom from the lowest byte: cells kept of a window
  u32 end;            ///< tiles 1 .. end - 1, 0 is empty
  u32 places;         ///< states per tile
  u32 most_shapes;
  u32 copy_count;
};

/// A step.
struct TileLaunch {
  u32 step;
  u32 index;  ///< in its batch
  u32 now, after, generations;
  u32 epoch;
  u32 odd;  ///< 1: the first generation is an odd one, where two rules take turns
};

/// What a host changes: rows of cells, and tiles by number. Pointers into staged memory.
struct TileChanges {
  const u32* linked;  ///< tiles, then 9 words each: next and frame
  const u32* drawn;
  const u64* rows;  ///< 48 for each of them, columns from bit 0
  const u32* queued;
  const u32* held;
  u32 linked_count, drawn_count, queued_count, held_count;
  u32 slot, step, hold, epoch;
};

/// Rows of a grid that its tiles take: canonical words, on the device.
struct TileBand {
  const u64* words;
  const u32* tiles;  ///< all of the universe, row by row
  i64 row_words, width, height;
  i64 first, rows;   ///< of the band
  u32 across, down;  ///< tiles
  u32 torus, slot;
};

}  // namespace tessera::cuda

#endif
