// A grid in chunks that no binding holds together, as strips.comp reads and writes it by addresses:
// a table has the address of every macro-column, so that one dispatch steps all of them.
//
// A place is a macro-column (x), a word of it (y), a bit plane (z) and a row in memory (w). The
// address of the row is computed once in 64 bits; the rest, the same for all lanes, is one number
// of words from there. A chunk has 2^30 words at most, so 32 bits hold it.

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

// Of every macro-column: its address (low, high) and the words between its bit planes. The present
// generation's and the next one's.
layout(binding = TESSERA_BIND_OWN, std430) restrict readonly buffer Columns { uvec4 columns[]; };
layout(binding = TESSERA_BIND_OUT, std430) restrict readonly buffer NextColumns { uvec4 next_columns[]; };

// Memory in single rows, and in rows of two and four.
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Rows { uint rows[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Rows2 { uvec2 rows[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Rows4 { uvec4 rows[]; };

layout(constant_id = TESSERA_SPEC_STRIPE) const uint STRIPE = 64;

#define PLACE uvec4
#define WORDS(n) uvec4(0, n, 0, 0)
#define ROW(n) uvec4(0, 0, 0, n)
#define NEXT_MACRO uvec4(1, 0, 0, 0)
#define STRIDE uvec4(0, p.stride, 0, 0)
#define LOAD_INNER(at) load_from(own_column, at)
#define LOAD_INNER_WEST(at) load_from(west_column, at)
#define LOAD_INNER_EAST(at) load_from(east_column, at)
#define STORE_ROWS(at, cells) store_rows(from_row(next_column, (at).w), at, cells)
#define STORE_WORD(at, word) store_word(from_row(next_column, (at).w), at, word)

// The row and the macro-column of inner tile `n` of a grid of `inner` macro-columns between the
// edges. A GPU keeps the translations of the addresses of so many pages only, and a row of tiles of a
// large grid touches every page there is. So tiles are taken by stripes of STRIPE macro-columns, one
// after the other, row by row.
uvec2 inner_tile(uint n, uint inner) {
  const uint stripe = n / (STRIPE * p.rows), first = stripe * STRIPE, width = min(STRIPE, inner - first);
  const uint rest = n - first * p.rows, row = rest / width;
  return uvec2(row, 1 + first + (rest - row * width));
}

// A column from one of its rows on.
uvec4 from_row(uvec4 column, uint row) {
  uint carry;
  column.x = uaddCarry(column.x, row << 2, carry);
  column.y += carry;
  return column;
}
uvec4 column_at(uint macro, uint row) { return from_row(columns[macro], row); }

uint word_of(uvec4 column, uvec4 at) { return at.z * column.z + at.y; }

// V rows of a place in the column that column_at has found for it.
uvec4 load_from(uvec4 column, uvec4 at) {
  const uint word = word_of(column, at);
  if (V == 4) return Rows4(column.xy).rows[word >> 2];
  if (V == 2) return uvec4(Rows2(column.xy).rows[word >> 1], 0, 0);
  return uvec4(Rows(column.xy).rows[word], 0, 0, 0);
}
// The grid is its own neighbour.
uvec4 load_own(uvec4 at) { return load_from(column_at(at.x, at.w), at); }
uvec4 load_west(uvec4 at, bool next_door) { return load_own(at); }
uvec4 load_east(uvec4 at, bool next_door) { return load_own(at); }

void store_rows(uvec4 column, uvec4 at, uvec4 cells) {
  const uint word = word_of(column, at);
  if (V == 4) Rows4(column.xy).rows[word >> 2] = cells;
  if (V == 2) Rows2(column.xy).rows[word >> 1] = cells.xy;
  if (V == 1) Rows(column.xy).rows[word] = cells.x;
}
void store_word(uvec4 column, uvec4 at, uint word) { Rows(column.xy).rows[word_of(column, at)] = word; }
