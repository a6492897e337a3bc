#include "core/stepping/backend_spec.h"

namespace tessera {

BackendSpec backend_spec(const RuleSpec& universe, std::int64_t width, std::int64_t height,
                         std::int64_t max_memory) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = universe.topology == Topology::torus ? Boundary::torus : Boundary::plane;
  spec.rule = simplest(universe.rule);
  spec.max_memory = max_memory;
  return spec;
}

BackendSpec backend_spec(const RuleSpec& universe) {
  return backend_spec(universe, universe.width, universe.height);
}

}  // namespace tessera
