// ceiling: the peak rates of a device. Either only selections by bits, an operation of three inputs
// that is one instruction on GPUs, in eight independent chains per invocation; or a copy from one
// buffer to another.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.inl"

layout(local_size_x_id = TESSERA_SPEC_GROUP_SIZE, local_size_y = 1, local_size_z = 1) in;
layout(push_constant) uniform Parameters {
  CeilingParams p;
};
layout(set = 0, binding = TESSERA_BIND_OWN) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = TESSERA_BIND_OUT) writeonly buffer To { uvec4 to[]; };

void main() {
  const uint items = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  const uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (p.rounds == 0) {
    for (uint i = first; i < p.items; i += items) to[i] = from[i];
    return;
  }
  uint a[8];
  [[unroll]] for (uint i = 0; i < 8; i++) a[i] = (first + 1) * (2654435761u + i);
  [[dont_unroll]] for (uint t = 0; t < p.rounds; t++) {
    [[unroll]] for (uint k = 0; k < TESSERA_CEILING_GATES; k++) {
      const uint s = a[k % 8], x = a[(k + 1) % 8], y = a[(k + 3) % 8];
      a[k % 8] = (s & x) | (~s & y);
    }
  }
  to[first] = uvec4(a[0] ^ a[1], a[2] ^ a[3], a[4] ^ a[5], a[6] ^ a[7]);
}
