#pragma once

#include <string>
#include <vector>

#include "core/stepping/tuning.h"

namespace tessera {

/// A tuning that `tessera tune` found on a device.
struct KnownTuning {
  std::string backend;  ///< "cuda"
  std::string device;   ///< the beginning of its name
  std::string kernel;
  std::string rule;       ///< "B3/S23"
  int smallest, largest;  ///< size classes, see TuningKey
  Tuning tuning;
};

/// All tunings in the files of backends/tuning/tunings, which are embedded in the program.
const std::vector<KnownTuning>& known_tunings();

/// The tunings in an object that `tessera tune --json` wrote: each winner that is at least 2 %
/// faster than the kernel's own choice, for its size class and the next ones below and above.
/// Throws ParseError, naming `file`, for anything else.
std::vector<KnownTuning> read_known_tunings(const std::string& file, const std::string& text);

}  // namespace tessera
