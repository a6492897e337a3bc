#include "core/stepping/backend_spec.h"

#include "core/base/error.h"
#include "core/rules/background.h"

namespace tessera {
namespace {

Boundary boundary_of(Topology topology) {
  switch (topology) {
    case Topology::torus:
      return Boundary::torus;
    case Topology::shifted_torus:
      return Boundary::shifted_torus;
    case Topology::klein_bottle:
      return Boundary::klein_bottle;
    case Topology::cross_surface:
      return Boundary::cross_surface;
    case Topology::sphere:
      return Boundary::sphere;
    default:
      return Boundary::plane;
  }
}

}  // namespace

BackendSpec backend_spec(const RuleSpec& universe, std::int64_t width, std::int64_t height,
                         std::int64_t max_memory) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = boundary_of(universe.topology);
  spec.seam = universe.seam;
  BackgroundRules rules{universe.rule, universe.odd_rule};
  if (!universe.bounded() && universe.has_b0()) {
    if (universe.rule.ranged())
      throw UnsupportedError("rules of longer range with B0 run on bounded universes alone");
    if (universe.rule.from_file() || universe.odd_rule.value_or(kLife).from_file())
      throw UnsupportedError(
          "rules of files under which empty cells change run on bounded universes alone");
    rules = universe.odd_rule ? background_rules(universe.rule, *universe.odd_rule).value()
                              : background_rules(universe.rule);
  }
  spec.rule = simplest(rules.even);
  if (rules.odd) spec.odd_rule = simplest(*rules.odd);
  spec.max_memory = max_memory;
  return spec;
}

BackendSpec backend_spec(const RuleSpec& universe) {
  return backend_spec(universe, universe.width, universe.height);
}

bool has_one_circuit(const BackendSpec& spec) {
  return spec.rule.outer_totalistic() && !spec.odd_rule;
}

}  // namespace tessera
