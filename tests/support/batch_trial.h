#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cells/soup.h"
#include "core/stepping/batch.h"

namespace tessera::test {

/// Numbers that are the same on every machine.
struct Draw {
  std::uint64_t state;
  /// One of 0 .. n - 1.
  std::int64_t operator()(std::int64_t n);
};

/// A batch of soups, and the generations of each call that steps it.
struct BatchTrial {
  BatchSpec spec;
  Soup soup;
  std::vector<std::int64_t> steps;

  /// For messages.
  std::string text() const;
};

/// A random one, of sides and universes up to these.
BatchTrial batch_trial(std::uint64_t seed, std::int64_t most_side, std::int64_t most_universes);

/// Steps the batch beside the reference, universes that are spread over it where there are many,
/// and requires the same cells and surveys; `batch` has all cells dead.
void check_batch(const BatchTrial& trial, Batch& batch);

}  // namespace tessera::test
