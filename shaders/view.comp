// view: live cells under every pixel, as 64-bit counts (low, high) in the transfer buffer. One slab
// of rows of one pixel per invocation; within a macro-column a run of columns is a run of bits of
// each word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

layout(push_constant) uniform Push { ViewParams p; };
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_OUT, std430) buffer Transfer { uint transfer[]; };

#include "bit_planes.glsl"

uint live_cells(uint x_begin, uint x_end, uint y) {
  const uint row = row_at(y + MARGIN, p.stride);
  uint count = 0;
  for (uint macro = x_begin / MACRO; macro * MACRO < x_end; macro++) {
    const uint base = macro * MACRO;
    const uint from = max(x_begin, base) - base, to = min(x_end - base, MACRO);
    for (uint j = 0; j < W; j++) {
      const uint bits = bits_before(to, j) & ~bits_before(from, j);
      if (bits != 0) count += bitCount(live_word((macro * W + j) * p.stride + row) & bits);
    }
  }
  return count;
}

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint px = id % p.pixels, rest = id / p.pixels, py = rest % p.pixel_rows, slab = rest / p.pixel_rows;
  if (slab >= p.slabs) return;
  const uint x_begin = px == 0 ? p.x : p.split + (px - 1) * p.scale;
  const uint x_end = min(px == 0 ? p.split : p.split + px * p.scale, p.x_end);
  const uint pixel_y = p.y + py * p.scale;
  const uint y_begin = pixel_y + slab * p.slab_rows;
  const uint y_end = min(min(y_begin + p.slab_rows, pixel_y + p.scale), p.y_end);
  uvec2 count = uvec2(0);
  for (uint y = y_begin; y < y_end; y++) {
    const uint row = live_cells(x_begin, x_end, y);
    count.x += row;
    if (count.x < row) count.y++;
  }
  const uint at = 2 * (p.first_pixel + py * p.image_width + px);
  if (count.x != 0) {
    const uint before = atomicAdd(transfer[at], count.x);
    if (before + count.x < before) count.y++;
  }
  if (count.y != 0) atomicAdd(transfer[at + 1], count.y);
}
