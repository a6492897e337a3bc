// margins: on a torus, makes the rows above and below the grid copies of the rows at its other
// edge. Stepping kernels maintain these copies; this kernel makes them after cells came from
// elsewhere.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "layout.glsl"
#include "transfer.glsl"

void main() {
  const uint id = workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  const uint r = id % (2 * MARGIN), word = id / (2 * MARGIN);
  if (word >= (p.width + MACRO - 1) / MACRO * W) return;
  const uint column = word * p.stride;
  uint to = r, from;
  if (r < MARGIN) {
    const uint above = MARGIN - 1 - r;  // how far above row -1
    from = MARGIN + p.height - 1 - above % p.height;
  } else {
    const uint below = r - MARGIN;
    to = MARGIN + p.height + below;
    from = MARGIN + below % p.height;
  }
  for (uint n = 0; n < BIT_PLANES; n++) {
    const uint plane = n * p.bit_plane + column;
    own[plane + row_at(to, p.stride)] = own[plane + row_at(from, p.stride)];
  }
}
