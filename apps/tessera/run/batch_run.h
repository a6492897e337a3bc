#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/simulation.h"

namespace tessera {

/// What `run --batch` was asked for.
struct BatchPlan {
  std::int64_t universes = 1;
  StartOptions start;                 ///< of the first pattern, or of the soups
  std::vector<std::string> patterns;  ///< further ones
  DeviceOptions device;
  std::optional<std::int64_t> end;    ///< generations to step
  std::optional<double> max_seconds;  ///< wall time of the run
  std::optional<std::int64_t> every;  ///< generations between samples
  std::string stats;                  ///< file, or empty
  bool json = false;
  bool quiet = false;
};

/// Generations between two looks at the universes' hashes where --every says nothing: a multiple of
/// the periods of most of Life's ash and of those of gliders on tori of 16 and more cells; a look
/// costs as much as some ten to a hundred generations.
inline constexpr std::int64_t kBatchEvery = 960;

/// Steps a batch by a plan and writes its results. Returns the exit code; throws what make_batch
/// throws, InputError for patterns and options that make no batch, and FileError.
int run_batch(const BatchPlan& plan);

}  // namespace tessera
