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

  /// The cell of the grid that is seen at a place at most one cell outside of it, or nothing where
  /// that is dead. A place inside is the cell itself.
  std::optional<Cell> cell(const Cell& at) const;

 private:
  Cell round(const Cell& at) const;

  std::int64_t width_, height_;
  Boundary boundary_;
  Seam seam_;
};

}  // namespace tessera
