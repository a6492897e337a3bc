#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/spaces/space.h"

namespace tessera {

/// How a universe holds its cells: in whatever way pays, as one grid, or as tiles.
enum class SpaceChoice { automatic, grid, tiles };

/// "auto", "grid" or "tiles" as a choice; throws InputError, naming `what`, for anything else.
SpaceChoice parse_space(const std::string& what, const std::string& text);

/// Whether the factory's kernels can hold this universe as tiles (TiledSpace). Throws what the
/// factory throws, but for UnsupportedError.
bool has_tiles(const RuleSpec& spec, const BackendFactory& factory, std::int64_t max_memory);

/// An empty space. `automatic` takes tiles on the infinite plane where there are some, and a grid
/// otherwise. Throws what the constructors of FixedSpace, GrowingSpace and TiledSpace throw.
std::unique_ptr<Space> make_space(const RuleSpec& spec, BackendFactory factory,
                                  std::int64_t max_memory, SpaceChoice choice);

}  // namespace tessera
