// reduce: population, bounding box and state hash of a rectangle of a chunk in one pass, those of
// them that REDUCE names. Every workgroup leaves one result of eight words in the transfer buffer;
// the host adds them up.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "transfer.glsl"
#include "wide.glsl"

layout(constant_id = TESSERA_SPEC_REDUCE) const uint REDUCE = TESSERA_REDUCE_POPULATION;
const bool POPULATION = (REDUCE & TESSERA_REDUCE_POPULATION) != 0;
const bool BOUNDS = (REDUCE & TESSERA_REDUCE_BOUNDS) != 0;
const bool HASH = (REDUCE & TESSERA_REDUCE_HASH) != 0;

shared uvec2 populations[gl_WorkGroupSize.x];
shared uvec2 hashes[gl_WorkGroupSize.x];
shared uvec4 boxes[gl_WorkGroupSize.x];  // xmin, ymin, xmax, ymax

uvec2 population = uvec2(0), hash = uvec2(0);
uvec4 box = uvec4(~0u, ~0u, 0, 0);

uvec4 around(uvec4 a, uvec4 b) { return uvec4(min(a.xy, b.xy), max(a.zw, b.zw)); }

// The bits of word j of a macro-column that lie in the rectangle.
uint wanted(uint macro, uint j) {
  const uint base = macro * MACRO, end = p.x + p.columns;
  if (p.x <= base && end >= min(base + MACRO, p.width)) return ~0u;
  return bits_before(min(end - base, MACRO), j) & ~bits_before(max(p.x, base) - base, j);
}

// A word as it is stored.
void take_word(uint column, uint y) {
  const uint macro = p.x / MACRO + column / W, j = column % W;
  const uint row = row_at(y + MARGIN, p.stride);
  const uint cells = live_word((macro * W + j) * p.stride + row) & wanted(macro, j);
  if (POPULATION) population = wide_add(population, uvec2(bitCount(cells), 0));
  if (!BOUNDS || cells == 0) return;
  const uint x = macro * MACRO + j;
  box = around(box, uvec4(x + (findLSB(cells) - M) * W, y, x + (findMSB(cells) - M) * W, y));
}

// Of 32 cells from column `at` on, those in the rectangle.
uint inside(uint at) {
  uint cells = ~0u;
  const uint end = p.x + p.columns;
  if (at < p.x) cells &= p.x - at < 32 ? ~0u << (p.x - at) : 0;
  if (at + 32 > end) cells &= end > at ? ~0u >> (at + 32 - end) : 0;
  return cells;
}

// 64 cells in canonical form, which the hash is made of.
void take_canonical(uint column, uint y) {
  const uint x = 64 * column;
  const uint west[TESSERA_MOST_STATE_PLANES] = canonical(x, y);
  const uint east[TESSERA_MOST_STATE_PLANES] = canonical(x + 32, y);
  const uvec2 seen = uvec2(inside(x), inside(x + 32));
  uvec2 cells = uvec2(0);
  for (uint n = 0; n < STATE_PLANES; n++) cells |= uvec2(west[n], east[n]) & seen;
  if (cells == uvec2(0)) return;
  const uvec2 key = wide_mix(uvec2(p.key_row + y, p.key_column + column));
  for (uint n = 0; n < STATE_PLANES; n++) {
    const uvec2 states = uvec2(west[n], east[n]) & seen;
    if (states == uvec2(0)) continue;
    const uvec2 stream = wide_multiply(uvec2(n, 0), uvec2(0xDE82EF95u, 0xD1342543u));
    hash = wide_add(hash, wide_mix(states ^ key ^ stream));
  }
  if (POPULATION) {
    population = wide_add(population, uvec2(bitCount(cells.x) + bitCount(cells.y), 0));
  }
  if (!BOUNDS) return;
  const uint low = cells.x != 0 ? findLSB(cells.x) : 32 + findLSB(cells.y);
  const uint high = cells.y != 0 ? 32 + findMSB(cells.y) : findMSB(cells.x);
  box = around(box, uvec4(x + low, y, x + high, y));
}

void main() {
  const uint end = p.x + p.columns;
  const uint columns = HASH ? (end + 63) / 64 - p.x / 64
                            : ((end + MACRO - 1) / MACRO - p.x / MACRO) * W;
  // Rows run fastest; a thread stays in its row block, so that no index needs 64 bits.
  const uint first = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint total = columns * p.rows;
  for (uint i = first; i < total; i += p.items) {
    const uint column = i / p.rows, y = p.y + i % p.rows;
    if (HASH) {
      take_canonical(p.x / 64 + column, y);
    } else {
      take_word(column, y);
    }
    if (total - i <= p.items) break;
  }
  const uint me = gl_LocalInvocationID.x;
  if (POPULATION) populations[me] = population;
  if (HASH) hashes[me] = hash;
  if (BOUNDS) boxes[me] = box;
  for (uint half_size = gl_WorkGroupSize.x / 2; half_size > 0; half_size /= 2) {
    memoryBarrierShared();
    barrier();
    if (me >= half_size) continue;
    const uint other = me + half_size;
    if (POPULATION) populations[me] = wide_add(populations[me], populations[other]);
    if (HASH) hashes[me] = wide_add(hashes[me], hashes[other]);
    if (BOUNDS) boxes[me] = around(boxes[me], boxes[other]);
  }
  if (me != 0) return;
  const uint at = TESSERA_REDUCE_WORDS * (p.first_bit + workgroup());
  if (POPULATION) transfer[at] = populations[0].x, transfer[at + 1] = populations[0].y;
  if (HASH) transfer[at + 2] = hashes[0].x, transfer[at + 3] = hashes[0].y;
  if (!BOUNDS) return;
  for (uint k = 0; k < 4; k++) transfer[at + 4 + k] = boxes[0][k];
}
