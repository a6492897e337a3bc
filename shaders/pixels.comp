// pixels: a picture by spans of cells, greys or for how many generations its pixels have been alive or dead; four pixels in
// reading order an invocation. Bound are the chunk, the ages, the plan and the transfer buffer. The plan holds three numbers for
// each column of pixels, then for each row: the first cell under it, the number of cells, and the pixel's side in cells, which is
// longer beyond the grid; then the bytes for the ages -TESSERA_AGE_TRAIL to TESSERA_AGE_MOST.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "grey.glsl"
#include "layout.glsl"

layout(push_constant) uniform Push { PixelsParams p; };
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_AGES, std430) buffer Ages { int ages[]; };
layout(binding = TESSERA_BIND_PLAN, std430) buffer Plan { uint plan[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

uint live_cells(uint across, uint down) {
  const uint x_begin = plan[across], x_end = x_begin + plan[across + 1];
  const uint row_begin = plan[down] + MARGIN, row_end = row_begin + plan[down + 1];
  uint live = 0;
  for (uint macro = x_begin / MACRO; macro * MACRO < x_end; macro++) {
    const uint base = macro * MACRO, from = max(x_begin, base) - base, to = min(x_end - base, MACRO);
    for (uint j = 0; j < W; j++) {
      const uint bits = bits_before(to, j) & ~bits_before(from, j);
      if (bits == 0) continue;
      const uint column = (macro * W + j) * p.stride;
      for (uint row = row_begin; row < row_end; row++) live += bitCount(own[column + row_at(row, p.stride)] & bits);
    }
  }
  return live;
}

// As AgeMap::add of core/age_map.h.
int next_age(int age, bool now) {
  if (now) return age > 0 ? min(age + int(p.generations), TESSERA_AGE_MOST) : 1;
  if (age >= 0) return age > 0 ? -1 : 0;
  return age - int(p.generations) < -TESSERA_AGE_TRAIL ? 0 : age - int(p.generations);
}

uint colour(int age) {
  const uint at = uint(age + TESSERA_AGE_TRAIL);
  return plan[3 * (p.columns + p.rows) + at / 4] >> (at % 4 * 8) & 0xFF;
}

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (p.what == TESSERA_PIXELS_PLAN) {
    if (id < p.items) plan[id] = transfer[id];
    return;
  }
  const uint pixels = p.columns * p.rows;
  if (4 * id >= pixels) return;
  uint bytes = 0;
  for (uint k = 0; k < 4; k++) {
    const uint pixel = 4 * id + k;
    if (pixel >= pixels) break;
    const uint across = 3 * (pixel % p.columns), down = 3 * (p.columns + pixel / p.columns);
    if (p.what == TESSERA_PIXELS_GREYS) {
      bytes |= grey(live_cells(across, down), plan[across + 2] * plan[down + 2]) << (8 * k);
    } else if (p.what == TESSERA_PIXELS_ADD) {
      ages[pixel] = next_age(ages[pixel], live_cells(across, down) > 0);
    } else if (p.what == TESSERA_PIXELS_COLOURS) {
      bytes |= colour(ages[pixel]) << (8 * k);
    } else if (p.what == TESSERA_PIXELS_PUT) {
      ages[pixel] = bitfieldExtract(int(transfer[pixel / 2]), int(pixel % 2 * 16), 16);
    } else {
      const uint half_word = uint(ages[pixel]) & 0xFFFF;
      transfer[pixel / 2] = k % 2 == 0 ? half_word : transfer[pixel / 2] | half_word << 16;
    }
  }
  if (p.what == TESSERA_PIXELS_GREYS || p.what == TESSERA_PIXELS_COLOURS) transfer[id] = bytes;
}
