#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/soup.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// Cells that are overwritten while a case runs, in absolute coordinates.
struct VerifyEdit {
  Rect rect;
  Soup soup;
};

/// A test of a kernel: a start, and how to step it.
struct VerifyCase {
  std::uint64_t seed = 0;  ///< make_case(seed) is this case, unless it was shrunk
  RuleSpec rule;
  Soup soup;
  /// Where the soup lies in a universe without end; a bounded one is filled. It has all of a side
  /// that ends.
  Rect patch;
  /// Generations of each call of `step`; everything is compared after each call.
  std::vector<std::int64_t> steps;
  /// Made after the first call of `step`.
  std::optional<VerifyEdit> edit;

  std::int64_t generations() const;
  /// Cells of the soup, that is of the universe or of the patch.
  Rect soup_rect() const;
  /// How far cells may get beyond it along sides without end, each way.
  Cell margin() const;
  /// Cell updates that the reference needs for it.
  double work() const;
};

/// Draws a case from a seed alone, the same on every machine: any of the 2^18 rules (B0 most
/// often where the universe is bounded), rules of other families and of up to 256 states, torus,
/// plane, tube, strip and infinite plane; sides of 1 to 300, at and next to multiples of 64, 512
/// and other blocks, and very wide and very tall; 0, 1, T-1, T, T+1 and more generations for many
/// T; several densities. `work()` stays within about 2^24.
VerifyCase make_case(std::uint64_t seed);

/// "B3/S23:T65,3, soup 0.5 seed 7, generations 8+9, edit ...": one line.
std::string to_string(const VerifyCase& trial);

}  // namespace tessera
