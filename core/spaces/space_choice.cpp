#include "core/spaces/space_choice.h"

#include <utility>

#include "core/base/error.h"
#include "core/spaces/adaptive_space.h"
#include "core/spaces/fixed_space.h"
#include "core/spaces/growing_space.h"
#include "core/spaces/tiled_space.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

SpaceChoice parse_space(const std::string& what, const std::string& text) {
  if (text == "auto") return SpaceChoice::automatic;
  if (text == "grid") return SpaceChoice::grid;
  if (text == "tiles") return SpaceChoice::tiles;
  throw InputError(what + " " + text + ": auto, grid or tiles is expected");
}

SpaceChoice timed_choice(const RuleSpec& spec, SpaceChoice choice) {
  return spec.bounded() && choice == SpaceChoice::automatic ? SpaceChoice::grid : choice;
}

bool has_tiles(const RuleSpec& spec, const BackendFactory& factory, std::int64_t max_memory) {
  try {
    TiledSpace(spec, factory, max_memory);
    return true;
  } catch (const UnsupportedError&) {
    return false;
  }
}

std::unique_ptr<Space> make_space(const RuleSpec& spec, BackendFactory factory,
                                  std::int64_t max_memory, SpaceChoice choice) {
  if (choice == SpaceChoice::tiles) return std::make_unique<TiledSpace>(spec, factory, max_memory);
  if (choice == SpaceChoice::automatic) {
    return std::make_unique<AdaptiveSpace>(spec, std::move(factory), max_memory,
                                           SwitchPolicy::of(backend_spec(spec, 64, 64)));
  }
  if (spec.bounded()) return std::make_unique<FixedSpace>(spec, std::move(factory), max_memory);
  return std::make_unique<GrowingSpace>(spec, std::move(factory), max_memory);
}

}  // namespace tessera
