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

/// What `choice` means where kernels are timed against each other: a bounded universe stays a grid
/// then unless tiles are named, because what has come to rest says nothing about a kernel.
SpaceChoice timed_choice(const RuleSpec& spec, SpaceChoice choice = SpaceChoice::automatic);

/// Whether the factory's kernels can hold this universe as tiles (TiledSpace). Throws what the
/// factory throws, but for UnsupportedError.
bool has_tiles(const RuleSpec& spec, const BackendFactory& factory, std::int64_t max_memory);

/// An empty space. `automatic` is an AdaptiveSpace. Throws what the constructors of that,
/// FixedSpace, GrowingSpace and TiledSpace throw.
std::unique_ptr<Space> make_space(const RuleSpec& spec, BackendFactory factory,
                                  std::int64_t max_memory, SpaceChoice choice);

}  // namespace tessera
