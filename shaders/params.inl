// What C++ and GLSL share: push constants, specialization constants, bindings. Included by both;
// `uint` is a 32-bit unsigned number. Only plain scalars, so that the layouts are the same.

// Specialization constants, by number.
#define TESSERA_SPEC_GROUP_SIZE 0     // invocations per workgroup
#define TESSERA_SPEC_SUBGROUP_SIZE 1  // invocations per subgroup
#define TESSERA_SPEC_WORDS 2          // W: words per row of a macro-column
// Cells per word: 32, or in strips 32 - 2M, where M bits on each side are halo.
#define TESSERA_SPEC_BITS 3
#define TESSERA_SPEC_MARGIN 4      // rows above and below the grid, whole accesses of the kernel
#define TESSERA_SPEC_ROWS 5        // R: rows per lane
#define TESSERA_SPEC_TILE_WORDS 6  // words per row of a tile, for the kernels over plain words
#define TESSERA_SPEC_PLANE 7       // 1: everything outside the grid is dead; 0: a torus
#define TESSERA_SPEC_REDUCE 8      // parts that reduce.comp finds
#define TESSERA_SPEC_LIFE 9        // 1: B3/S23 has its own circuit
#define TESSERA_SPEC_GATES 10      // gates of the rule's tail
#define TESSERA_SPEC_GATE 11       // 11 .. 17: one gate each, see rule.glsl
#define TESSERA_SPEC_CUT 18        // 1: the grid is cut into several chunks
#define TESSERA_SPEC_THIN 19       // 1: a torus narrower than the halo, W columns
#define TESSERA_SPEC_ACCESS 20     // rows per memory access, V in layout.glsl
#define TESSERA_SPEC_PLANES 21     // planes a column of words is stored in
#define TESSERA_SPEC_SUMS 22       // parities of strips that are sums: TESSERA_SUM_*
// Lanes at either end of a subgroup in strips that copy rows of the next subgroup in their tile.
#define TESSERA_SPEC_OVERLAP 23
#define TESSERA_SPEC_ALL_GIVE 24  // 1: all lanes write what is copied, where there is memory for it
// Of strips for a rule that is a program: what it reads of the rows above and below, bit n for
// signal n of row_signals.
#define TESSERA_SPEC_ABOVE 25
#define TESSERA_SPEC_BELOW 26
// Bit planes that hold a cell's code, and those of its state in the transfer buffer.
#define TESSERA_SPEC_BIT_PLANES 27
#define TESSERA_SPEC_STATE_PLANES 28
// Of strips by addresses: macro-columns side by side whose tiles are taken row by row.
#define TESSERA_SPEC_STRIPE 29
// Of whole: lanes and subgroups of a universe, universes of a word.
#define TESSERA_SPEC_LANES 30
#define TESSERA_SPEC_SUBGROUPS 31
#define TESSERA_SPEC_PER_WORD 32
#define TESSERA_SPEC_TURNS 33  // of strips for programs: 1 where two rules take turns
// Of sums: bits of a count and of what it gains from a column to the next; cells that enter the
// neighbourhood from a column to the next, and from a row to the next; corners where gains run down
// rows by them, or 0; cells that count; 1 where counts are looked up; columns of margin in front.
#define TESSERA_SPEC_COUNT_BITS 34
#define TESSERA_SPEC_GAIN_BITS 35
#define TESSERA_SPEC_ACROSS 36
#define TESSERA_SPEC_DOWN 37
#define TESSERA_SPEC_CORNERS 38
#define TESSERA_SPEC_CELLS 39
#define TESSERA_SPEC_TABLE 40
#define TESSERA_SPEC_SIDE 41
// Where the cells that enter and leave are those of two columns: 1, then how far right these are
// and the first row, each plus TESSERA_FAR.
#define TESSERA_SPEC_RUN 42
#define TESSERA_SPEC_RUN_ENTERS 43
#define TESSERA_SPEC_RUN_LEAVES 44
#define TESSERA_SPEC_RUN_FIRST 45
// 46 .. 61: places of cells that gains gain down rows, 62 .. 77: that they lose, as
// 2048 (dx + TESSERA_FAR) + dy + TESSERA_FAR.
#define TESSERA_SPEC_CORNER 46
// Whether all cells of a square count; words from a column to the next; whether lines are loaded a
// word before they are counted.
#define TESSERA_SPEC_SQUARE 78
#define TESSERA_SPEC_STRIDE 79
#define TESSERA_SPEC_AHEAD 80
// Of table: 1 where an empty cell among others stays so; states; 83 .. 91: the cells that are read,
// each a place, row by row from the upper left one, and TESSERA_SEEN_ENDS where a node of the graph
// has been read with it. TESSERA_SPEC_CELLS of them.
#define TESSERA_SPEC_QUIET 81
#define TESSERA_SPEC_STATES 82
#define TESSERA_SPEC_SEEN 83
#define TESSERA_SPEC_COUNT 92

#define TESSERA_SEEN_PLACE 15u
#define TESSERA_SEEN_ENDS 16u

#define TESSERA_FAR 1024
#define TESSERA_MOST_CORNERS 16
#define TESSERA_MOST_COUNT_BITS 20

// Functions of a word and its two neighbours that a program may have computed once per row.
#define TESSERA_ROW_FUNCTIONS 16
// Bit planes that a rule may have in strips, and planes of a state.
#define TESSERA_MOST_BIT_PLANES 16
#define TESSERA_MOST_STATE_PLANES 8

#define TESSERA_SUM_ROWS 0xFFu  // bit r: those of rows r, r + 8 ... of a lane
#define TESSERA_SUM_T0 0x100u   // those of the row codes, see core/rules/circuit.inl
#define TESSERA_SUM_U0 0x200u
#define TESSERA_SUM_PROGRAM 0x400u  // those of a rule that is a program

#define TESSERA_MAX_GATES 7

#define TESSERA_CEILING_GATES 128  // operations per round of ceiling.comp

// Parts of a survey, as bits.
#define TESSERA_REDUCE_POPULATION 1u
#define TESSERA_REDUCE_BOUNDS 2u
#define TESSERA_REDUCE_HASH 4u
// Words of a result: population and hash (low, high), then xmin, ymin, xmax, ymax; only those that
// were asked for are written.
#define TESSERA_REDUCE_WORDS 8

// Bindings of every kernel.
#define TESSERA_BIND_OWN 0   // the chunk itself
#define TESSERA_BIND_WEST 1  // the chunk to its west, around the torus
#define TESSERA_BIND_EAST 2  // the chunk to its east
#define TESSERA_BIND_OUT 3   // the chunk's next generation, or the transfer buffer

// Of what moves cells or reduces them, instead of the chunk's western neighbour: the code of every
// state, then the state of every code. Only where there are several bit planes.
#define TESSERA_BIND_TABLES 1

// Of sums, instead of the chunk's western neighbour: the table of counts where there is one, then
// how many words on neighbours are (backends/vulkan/sums_rule.h).
#define TESSERA_BIND_PLACES 1
// Of strips that take many passes in one dispatch, instead of the chunk's western neighbour.
#define TESSERA_BIND_TURNS 1
// What is bound there, in words: not zero where somebody waited in vain, tiles taken so far, and
// from here on how many tiles of each row have been completed.
#define TESSERA_TURNS_STUCK 0
#define TESSERA_TURNS_TAKEN 1
#define TESSERA_TURNS_COMPLETED 2
// And of sums by addresses, instead of the eastern one: the chunk's address.
#define TESSERA_BIND_ADDRESS 2

// Of table, instead of the chunk's neighbours: the graph's entries, and notes for the host.
#define TESSERA_BIND_GRAPH 1
#define TESSERA_BIND_NOTES 2

// Notes, in words: the first generation that met a cell whose next state is not known, how many
// cells there were, then as many of them as there is room for: x, y, and the states that it sees,
// four to a word, or the state that it shall have.
#define TESSERA_NOTES_STOPPED 0
#define TESSERA_NOTES_COUNT 1
#define TESSERA_NOTES_CELLS 2
#define TESSERA_NOTES_CELL 5

#define TESSERA_TABLE_STEP 0
#define TESSERA_TABLE_PUT 1  // states from the notes

// Bindings of pixels.comp, instead of the chunk's neighbours.
#define TESSERA_BIND_AGES 1
#define TESSERA_BIND_PLAN 2

#define TESSERA_AGE_MOST 4095  // as AgeMap has them
#define TESSERA_AGE_TRAIL 255
#define TESSERA_PIXELS_GREYS 0    // looks at the cells; bytes into the transfer buffer
#define TESSERA_PIXELS_ADD 1      // looks at the cells for the ages
#define TESSERA_PIXELS_COLOURS 2  // bytes of ages into the transfer buffer
#define TESSERA_PIXELS_PUT 3      // ages from the transfer buffer, 16 bits each
#define TESSERA_PIXELS_TAKE 4     // and into it
#define TESSERA_PIXELS_PLAN 5     // the plan from the transfer buffer
#define TESSERA_PIXELS_GROUP 64   // invocations per workgroup

#define TESSERA_EDGE_WEST 1u  // there are live cells west of the chunk
#define TESSERA_EDGE_EAST 2u
#define TESSERA_EDGE_COPIES 4u  // stepping kernels write the margins

// Steps one chunk.
struct StepParams {
  uint width;       // cells of the chunk
  uint west_width;  // cells of the chunks next to it
  uint east_width;
  uint height;       // rows of the grid
  uint stride;       // rows that a column of words takes in memory, margins included
  uint edges;        // TESSERA_EDGE_*
  uint generations;  // to step, at most the kernel's T
  uint columns;      // tiles side by side in the whole chunk
  uint rows;         // tiles below each other
  uint tile_height;  // rows of a tile that a launch completes
  uint first_tile;   // tiles of this dispatch: first .. end-1
  uint end_tile;
  // Only strips reads the rest. Factors that a compiler does not know stay multiplications.
  uint one;
  uint minus_two;
  uint two_bits;   // 2 to the cells per word
  uint last_word;  // the column after its last cell: word and bit
  uint last_bit;
  uint west_macro;  // the column M * W before the western chunk's end, around a thin torus:
                    // macro-column, word and bit
  uint west_word;
  uint west_bit;
  uint odd;  // 1: the first generation is an odd one, where two rules take turns
  // Of many passes in one dispatch.
  uint each;     // generations of a pass
  uint second;   // words between the cells of the two generations
  uint present;  // 1: the second ones are those to begin with
  uint reach;    // rows of tiles above and below that a tile reads
};

// Steps words of a grid under a rule of a file, see table.comp.
struct TableParams {
  uint width;  // cells
  uint height;
  uint stride;     // rows that a column of words takes in memory
  uint bit_plane;  // words of a bit plane
  uint first;      // words, or notes: first .. end-1
  uint end;
  uint what;        // TESSERA_TABLE_*
  uint generation;  // in its batch
  uint root;        // the graph's first node
  uint most;        // cells that notes have room for
};

// Moves cells between a chunk and rows of canonical words in the transfer buffer, one plane of
// states behind the other, or reduces them into it. Columns are the chunk's own.
struct CellsParams {
  uint width;   // cells of the chunk
  uint height;  // rows of the grid
  uint stride;  // rows that a column of words takes in memory
  uint x;       // rectangle of cells
  uint y;
  uint columns;
  uint rows;
  uint first_bit;   // transfer: the bit of a row that belongs to x; reduce: the first result
  uint row_words;   // transfer: 32-bit words per row
  uint items;       // reduce: number of all threads
  uint key_column;  // hash: word column of the chunk's first word
  uint key_row;     // hash: row of the grid's first row
  uint bit_plane;   // words of a bit plane of the chunk
};

// Looks at pixels: view counts the live cells of one slab of rows of one pixel per thread, counts
// those of four pixels in a row and reads x, x_end, y, y_end, scale, pixel_rows and image_width.
struct ViewParams {
  uint width;
  uint height;
  uint stride;
  uint x;  // the first pixel's first column in this chunk, and the one after its last
  uint split;
  uint x_end;  // columns of the rectangle end here
  uint y;      // the first pixel row's first row
  uint y_end;
  uint scale;   // cells per side of a pixel
  uint pixels;  // pixels side by side
  uint pixel_rows;
  uint slabs;  // slabs per pixel
  uint slab_rows;
  uint
      first_pixel;  // where pixels go: a row of the image begins at first_pixel + row * image_width
  uint image_width;
  uint bit_plane;  // words of a bit plane of the chunk
};

// Looks at the pixels of a picture, see pixels.comp.
struct PixelsParams {
  uint what;  // TESSERA_PIXELS_*
  uint stride;
  uint columns;  // pixels
  uint rows;
  uint generations;  // since the last look
  uint items;        // invocations with work
  uint bit_plane;    // words of a bit plane of the chunk
};

// Makes canonical words of a soup.
struct SoupParams {
  uint seed_low;
  uint seed_high;
  uint density;    // in 65536ths, 1 .. 65536
  uint index_low;  // index of the first word of the first row
  uint index_high;
  uint words;  // 64-bit words per row in the transfer buffer
  uint rows;
  uint grid_words_low;  // 64-bit words per row of the whole grid
  uint grid_words_high;
  uint states;  // live cells have states from 1 to this less 1
};

// Measures the device's peak rates.
struct CeilingParams {
  uint rounds;  // of TESSERA_CEILING_GATES selections; 0: copy instead
  uint items;   // of 16 bytes, to copy
};

// Tiles (shaders/tiles.glsl). A tile's record, in words: TESSERA_TILE_NEXT + d is its neighbour in
// way d.
#define TESSERA_TILE_NEXT 0
#define TESSERA_TILE_HOLD 8      // the last step that visits it whatever happens
#define TESSERA_TILE_QUEUED 9    // step + 1 of the last worklist that it was put on
#define TESSERA_TILE_FRAME 10    // its frame, whether it repeats others, ways with nothing in them
#define TESSERA_TILE_EPOCH 11    // that in which its cells changed last
#define TESSERA_TILE_CHANGED 12  // step + 1 of the last that changed its cells
#define TESSERA_TILE_WORDS 16

// In TESSERA_TILE_FRAME: the number; a tile that repeats others; where the ways begin.
#define TESSERA_TILE_FRAMES 255u
#define TESSERA_TILE_COPY 256u
#define TESSERA_TILE_NOWHERE 16

// The work buffer, in words. First for each step s, at 4 (s % 3): workgroups of its dispatch in x,
// y and z, and the tiles on its worklist. Then what is cleared before every batch of steps, shapes
// of two words, frames, and from TESSERA_WORK_LISTS on two worklists, missing tiles of two words,
// all of `room` tiles, copies of three words and their parts of three words.
#define TESSERA_WORK_STOP 12     // index of the first step that must not be taken; 0: none
#define TESSERA_WORK_MISSING 13  // missing tiles
#define TESSERA_WORK_SHAPES 14   // shapes
#define TESSERA_WORK_VISITS 15   // tiles visited times generations: low, high
#define TESSERA_WORK_HEAD 32
#define TESSERA_MOST_SHAPES 4096
#define TESSERA_WORK_FRAMES (TESSERA_WORK_HEAD + 2 * TESSERA_MOST_SHAPES)
#define TESSERA_MOST_FRAMES 256
#define TESSERA_WORK_LISTS (TESSERA_WORK_FRAMES + TESSERA_MOST_FRAMES)

// Bindings where tiles are stepped: states in the present slot and in the one that is written. Then
// what the host does: the work buffer or a slot's states, a slot's states, and the transfer buffer.
#define TESSERA_BIND_NOW 0
#define TESSERA_BIND_AFTER 1
#define TESSERA_BIND_RECORDS 2
#define TESSERA_BIND_WORK 3
#define TESSERA_BIND_OTHER 0
#define TESSERA_BIND_SLOT 1
#define TESSERA_BIND_TRANSFER 3

#define TESSERA_TILES_STEP 0   // the tiles on the worklist
#define TESSERA_TILES_AHEAD 1  // all tiles, without a worklist
#define TESSERA_TILES_RENEW 2  // copies of what has changed in this step
#define TESSERA_TILES_ALL 3    // all copies
#define TESSERA_TILES_LINKS 4  // from here on for the host: other neighbours
#define TESSERA_TILES_DRAW 5   // other cells
#define TESSERA_TILES_HOLD 6
#define TESSERA_TILES_QUEUE 7
#define TESSERA_TILES_LOOK 8    // facts of tiles
#define TESSERA_TILES_FOLD 9    // whether one more slot has live cells, into the facts
#define TESSERA_TILES_TAKE 10   // cells
#define TESSERA_TILES_BEGIN 11  // a ring
#define TESSERA_TILES_BAND 12   // cells of a grid
#define TESSERA_TILES_GROUP 64  // invocations per workgroup for the host

// At the beginning of the transfer buffer, with rows of a grid whose canonical words `other` holds:
// cells a side, the first row, tiles a side, 1 for a torus, and words of 32 bits per row. All tiles
// of the universe follow, row by row.
#define TESSERA_BAND_WIDTH 0
#define TESSERA_BAND_HEIGHT 1
#define TESSERA_BAND_FIRST 2
#define TESSERA_BAND_ACROSS 3
#define TESSERA_BAND_DOWN 4
#define TESSERA_BAND_TORUS 5
#define TESSERA_BAND_WORDS 6
#define TESSERA_BAND_TILES 7

// What is done with tiles.
struct TilesParams {
  uint what;   // TESSERA_TILES_*
  uint step;   // since the ring was begun
  uint index;  // in its batch
  uint generations;
  uint epoch;
  uint end;          // tiles 1 .. end - 1, 0 is empty
  uint room;         // tiles that worklists have room for
  uint copies;       // tiles that repeat others
  uint most_groups;  // workgroups per dimension of a dispatch
  uint tiles_per_group;
  uint first;  // host: the first tile; shapes: cells that they have
  uint count;  // host: items
  uint until;  // held: the last step; looks: 1 where all that lives counts as changed
  uint odd;    // 1: the first generation is an odd one, where two rules take turns
};

// A batch's part: universes in words as backends/gpu/batch_fit.h has them. Word j of row r of a
// lane of tile t is word ((t * rows + r) * columns + j) * all_lanes + lane.
#define TESSERA_BATCH_PACK 0          // canonical words of some universes become the part's
#define TESSERA_BATCH_UNPACK 1        // and back
#define TESSERA_BATCH_GROUP 64        // invocations per workgroup, also of sliced
#define TESSERA_BATCH_SLICED_ROWS 16  // that an invocation of sliced steps
struct BatchParams {
  uint width;  // cells of a universe
  uint height;
  uint row_words;  // canonical 32-bit words of a row
  uint columns;
  uint rows;
  uint all_lanes;
  uint sets;
  uint first;        // tile, workgroup of sliced, or universe
  uint end;          // and the one after the last
  uint generations;  // whole
  uint items;        // invocations with work, but in whole
  uint first_word;   // pack: of those that the universes have cells in
  uint what;         // TESSERA_BATCH_*
};
