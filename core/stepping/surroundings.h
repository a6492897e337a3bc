#pragma once

#include <cstdint>
#include <optional>

#include "core/base/geometry.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// What the cells of a grid see beyond its edges, for every boundary.
class Surroundings {
 public:
  explicit Surroundings(const BackendSpec& spec)
      : width_(spec.width), height_(spec.height), boundary_(spec.boundary), seam_(spec.seam) {}

  /// The cell of the grid that is seen at a place outside of it, or nothing where that is dead. The
  /// place is at most one cell away on a cross-surface and a sphere, whose corners nothing that is
  /// flat goes around. A place inside is the cell itself.
  std::optional<Cell> cell(const Cell& at) const;

 private:
  Cell round(const Cell& at) const;

  std::int64_t width_, height_;
  Boundary boundary_;
  Seam seam_;
};

/// Whether copies of the grid that are laid out as its cells see it, any number of them, evolve as
/// the grid does, each cell by the rule as it stands. Otherwise, on a surface with corners or where
/// copies are mirrored and the rule minds, they are right for one generation and one cell around.
bool unrolls(const BackendSpec& spec);

}  // namespace tessera
