// pixels: a picture by spans of cells, either greys or ages, that is for how many generations its
// pixels have been alive or dead. One pixel in reading order per invocation, so that neighbours
// read the same words. The bindings are the chunk, the ages, the plan and the transfer buffer. The
// plan holds three numbers for each column of pixels, then for each row: the first cell under it,
// the number of cells, and the pixel's side in cells, which is longer beyond the grid; then the
// bytes for the ages -TESSERA_AGE_TRAIL to TESSERA_AGE_MOST.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "grey.glsl"
#include "layout.glsl"

layout(push_constant) uniform Push { PixelsParams p; };
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_AGES, std430) buffer Ages { int ages[]; };
layout(binding = TESSERA_BIND_PLAN, std430) buffer Plan { uint plan[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

#include "bit_planes.glsl"

// The lowest n bits that are cells.
uint first_bits(uint n) { return n >= BITS ? INNER : ((1u << n) - 1) << M; }

// Live cells between two rows and two columns of cells of a macro-column whose words begin at
// `words`. Column c is bit c / W of word c % W.
uint live_in_macro(uint words, uint y_begin, uint y_end, uint from, uint to) {
  const uint first_word = from % W, first_bit = from / W + M;
  uint live = 0;
  if (2 * (to - from) < W) {
    for (uint y = y_begin; y < y_end; y++) {
      uint word = first_word, bit = first_bit, at = words + word * p.stride + row_at(y, p.stride);
      for (uint cell = from; cell < to; cell++) {
        live += live_word(at) >> bit & 1;
        at += p.stride;
        if (++word < W) continue;
        word = 0;
        bit++;
        at -= W * p.stride;
      }
    }
    return live;
  }
  // Reads all words, so that neighbours read the same ones. The first words have one more cell
  // before an edge.
  const uint last_word = to % W, from_here = ~first_bits(from / W), from_next = ~first_bits(from / W + 1),
             to_here = first_bits(to / W), to_next = first_bits(to / W + 1);
  for (uint y = y_begin; y < y_end; y++) {
    uint at = words + row_at(y, p.stride);
#ifndef TESSERA_WIDE  // W is small
    [[unroll]]
#endif
    for (uint j = 0; j < W; j++) {
      live += bitCount(live_word(at) & (j < first_word ? from_next : from_here) & (j < last_word ? to_next : to_here));
      at += p.stride;
    }
  }
  return live;
}

uint live_cells(uint across, uint down) {
  const uint x_begin = plan[across], x_end = x_begin + plan[across + 1];
  const uint y_begin = plan[down] + MARGIN, y_end = y_begin + plan[down + 1];
  uint live = 0;
  for (uint macro = x_begin / MACRO; macro * MACRO < x_end; macro++) {
    const uint base = macro * MACRO;
    live += live_in_macro(macro * W * p.stride, y_begin, y_end, max(x_begin, base) - base, min(x_end - base, MACRO));
  }
  return live;
}

// Like AgeMap::add of core/pictures/age_map.h.
int next_age(int age, bool now) {
  if (now) return age > 0 ? min(age + int(p.generations), TESSERA_AGE_MOST) : 1;
  if (age >= 0) return age > 0 ? -1 : 0;
  return age - int(p.generations) < -TESSERA_AGE_TRAIL ? 0 : age - int(p.generations);
}

uint colour(int age) {
  const uint at = uint(age + TESSERA_AGE_TRAIL);
  return plan[3 * (p.columns + p.rows) + at / 4] >> (at % 4 * 8) & 0xFF;
}

// The results of the workgroup's invocations, until some of them pack the bytes into words of the
// transfer buffer.
shared uint values[TESSERA_PIXELS_GROUP];

void main() {
  const uint local = gl_LocalInvocationID.x, first = workgroup() * TESSERA_PIXELS_GROUP, id = first + local;
  if (p.what == TESSERA_PIXELS_PLAN) {
    if (id < p.items) plan[id] = transfer[id];
    return;
  }
  uint value = 0;
  if (id < p.items) {
    const uint across = 3 * (id % p.columns), down = 3 * (p.columns + id / p.columns);
    if (p.what == TESSERA_PIXELS_GREYS) {
      value = grey(live_cells(across, down), plan[across + 2] * plan[down + 2]);
    } else if (p.what == TESSERA_PIXELS_ADD) {
      ages[id] = next_age(ages[id], live_cells(across, down) > 0);
    } else if (p.what == TESSERA_PIXELS_COLOURS) {
      value = colour(ages[id]);
    } else if (p.what == TESSERA_PIXELS_PUT) {
      ages[id] = bitfieldExtract(int(transfer[id / 2]), int(id % 2 * 16), 16);
    } else {
      value = uint(ages[id]) & 0xFFFF;
    }
  }
  if (p.what == TESSERA_PIXELS_ADD || p.what == TESSERA_PIXELS_PUT) return;
  values[local] = value;
  barrier();
  const uint a_word = p.what == TESSERA_PIXELS_TAKE ? 2 : 4, begin = local * a_word;
  if (begin >= TESSERA_PIXELS_GROUP || first + begin >= p.items) return;
  uint word = 0;
  for (uint k = 0; k < a_word; k++) word |= values[begin + k] << (32 / a_word * k);
  transfer[(first + begin) / a_word] = word;
}
