// ages: for how many generations the pixels of a picture have been alive or dead, four pixels in reading order an invocation.
// Bound are the chunk, the ages, the plan and the transfer buffer. The plan holds the first cell and the number of cells under
// each column of pixels, then under each row, then the bytes for the ages -TESSERA_AGE_TRAIL to TESSERA_AGE_MOST.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

layout(push_constant) uniform Push { AgesParams p; };
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_AGES, std430) buffer Ages { int ages[]; };
layout(binding = TESSERA_BIND_PLAN, std430) buffer Plan { uint plan[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

bool alive(uint pixel) {
  const uint column = 2 * (pixel % p.columns), row = 2 * (p.columns + pixel / p.columns);
  const uint x_begin = plan[column], x_end = x_begin + plan[column + 1];
  const uint row_begin = plan[row] + MARGIN, row_end = row_begin + plan[row + 1];
  for (uint macro = x_begin / MACRO; macro * MACRO < x_end; macro++) {
    const uint base = macro * MACRO, from = max(x_begin, base) - base, to = min(x_end - base, MACRO);
    for (uint j = 0; j < W; j++) {
      const uint bits = bits_before(to, j) & ~bits_before(from, j);
      if (bits == 0) continue;
      for (uint y = row_begin; y < row_end; y++) {
        if ((own[(macro * W + j) * p.stride + row_at(y, p.stride)] & bits) != 0) return true;
      }
    }
  }
  return false;
}

// As AgeMap::add of core/age_map.h.
int next_age(int age, bool now) {
  if (now) return age > 0 ? min(age + int(p.generations), TESSERA_AGE_MOST) : 1;
  if (age >= 0) return age > 0 ? -1 : 0;
  return age - int(p.generations) < -TESSERA_AGE_TRAIL ? 0 : age - int(p.generations);
}

uint colour(int age) {
  const uint at = uint(age + TESSERA_AGE_TRAIL);
  return plan[2 * (p.columns + p.rows) + at / 4] >> (at % 4 * 8) & 0xFF;
}

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (p.what == TESSERA_AGES_PLAN) {
    if (id < p.items) plan[id] = transfer[id];
    return;
  }
  const uint pixels = p.columns * p.rows;
  if (4 * id >= pixels) return;
  uint bytes = 0;
  for (uint k = 0; k < 4; k++) {
    const uint pixel = 4 * id + k;
    if (pixel >= pixels) break;
    if (p.what == TESSERA_AGES_ADD) {
      ages[pixel] = next_age(ages[pixel], alive(pixel));
    } else if (p.what == TESSERA_AGES_PUT) {
      ages[pixel] = bitfieldExtract(int(transfer[pixel / 2]), int(pixel % 2 * 16), 16);
    } else if (p.what == TESSERA_AGES_TAKE) {
      const uint half_word = uint(ages[pixel]) & 0xFFFF;
      transfer[pixel / 2] = k % 2 == 0 ? half_word : transfer[pixel / 2] | half_word << 16;
    } else {
      bytes |= colour(ages[pixel]) << (8 * k);
    }
  }
  if (p.what == TESSERA_AGES_SHOW) transfer[id] = bytes;
}
