#pragma once

#include <span>

#include "core/tuning.h"

namespace tessera {

/// A tuning that `tessera tune` found to be good on a device, for Life.
struct KnownTuning {
  const char* backend;
  const char* device;  ///< the beginning of its name
  const char* kernel;
  int smallest, largest;  ///< size classes, see TuningKey
  Tuning tuning;
};

/// All of them; the first that fits is taken.
std::span<const KnownTuning> known_tunings();

}  // namespace tessera
