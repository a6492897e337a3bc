// counts: live cells of pixels of a few cells, 16 bits each, four in a row to two words of the
// transfer buffer and an invocation: nothing has to be added up. `image_width` counts fours.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"

layout(push_constant) uniform Push { ViewParams p; };
layout(binding = TESSERA_BIND_OWN, std430) readonly buffer Own { uint own[]; };
layout(binding = TESSERA_BIND_OUT, std430) writeonly buffer Transfer { uint transfer[]; };

#include "bit_planes.glsl"

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint py = id / p.image_width, first = 4 * (id % p.image_width);
  if (py >= p.pixel_rows) return;
  const uint y_begin = p.y + py * p.scale, y_end = min(y_begin + p.scale, p.y_end);
  const uint row_begin = y_begin + MARGIN, row_end = y_end + MARGIN;
  // The columns at which the pixels begin, and the end of the last one.
  const uvec4 x_begin =
      min(uvec4(first, first + 1, first + 2, first + 3) * p.scale + p.x, uvec4(p.x_end));
  const uvec4 x_end = min(x_begin + p.scale, uvec4(p.x_end));
  uvec4 live = uvec4(0);
  for (uint macro = x_begin.x / MACRO; macro * MACRO < x_end.w; macro++) {
    const uvec4 base = uvec4(macro * MACRO);
    const uvec4 from = min(max(x_begin, base) - base, uvec4(MACRO));
    const uvec4 to = min(max(x_end, base) - base, uvec4(MACRO));
    for (uint j = 0; j < W; j++) {
      uvec4 bits;
      for (uint k = 0; k < 4; k++) bits[k] = bits_before(to[k], j) & ~bits_before(from[k], j);
      if (bits == uvec4(0)) continue;
      const uint column = (macro * W + j) * p.stride;
      for (uint row = row_begin; row < row_end; row++) {
        live += uvec4(bitCount(live_word(column + row_at(row, p.stride)) & bits));
      }
    }
  }
  transfer[2 * id] = live.x | live.y << 16;
  transfer[2 * id + 1] = live.z | live.w << 16;
}
