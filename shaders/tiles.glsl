// Tiles of 48 x 48 cells on a plane of which only what moves is stepped (core/tiles/tile_device.h).
// A state is 48 rows of 64 bits, low word first, columns in bits 8 .. 55, so that a window takes
// its own row as it is. With TESSERA_STATES it is as many rows of each of BIT_PLANES bit planes, one
// plane behind the other. Every slot of the ring is a buffer of its own, and tile 0 is empty.

#extension GL_EXT_control_flow_attributes : require

#include "params.inl"

layout(local_size_x_id = TESSERA_SPEC_GROUP_SIZE, local_size_y = 1, local_size_z = 1) in;

layout(push_constant) uniform Push { TilesParams p; };

const uint TILE_ROWS = 48;

// Where there is one plane, nothing of it reaches the compiler.
#ifdef TESSERA_STATES
layout(constant_id = TESSERA_SPEC_BIT_PLANES) const uint BIT_PLANES = 1;
#define EACH_PLANE [[unroll]] for (uint n = 0; n < BIT_PLANES; n++)
#define IN_PLANE(at) ((at) + n * TILE_ROWS)  // within EACH_PLANE
const uint STATE_ROWS = BIT_PLANES * TILE_ROWS;
#else
#define EACH_PLANE
#define IN_PLANE(at) (at)
const uint STATE_ROWS = TILE_ROWS;
#endif

// The position of this invocation's workgroup in a dispatch that may be folded into two dimensions.
uint workgroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// What the work buffer holds of a step, and its worklist.
uint head_of(uint step) { return step % 3 * 4; }
uint list_of(uint step) { return TESSERA_WORK_LISTS + (step & 1) * p.room; }

// The workgroups that the tiles of a worklist need.
uint groups_for(uint tiles) { return (tiles + p.tiles_per_group - 1) / p.tiles_per_group; }
