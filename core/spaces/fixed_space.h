#pragma once

#include "core/spaces/dense_space.h"

namespace tessera {

/// A bounded universe, torus or plane, as the grid of one backend.
class FixedSpace final : public DenseSpace {
 public:
  /// An empty universe of a bounded spec. Throws what the factory throws, and InputError when the
  /// grid exceeds the limit.
  FixedSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory);

 private:
  void do_step(std::int64_t generations) override { step_grid(generations); }
  void do_edit(const Cell& at, const CellGrid& cells) override { put(at, cells); }
  void do_fill(const Soup& soup) override { backend().fill(soup); }
};

}  // namespace tessera
