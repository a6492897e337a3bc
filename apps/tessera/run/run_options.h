#pragma once

#include <string>
#include <vector>

#include "apps/common/simulation.h"
#include "apps/tessera/run/picture_options.h"

namespace tessera {

/// The options of `run`, as typed.
struct RunOptions {
  StartOptions start;
  DeviceOptions device;
  std::string gens, every, max_time;
  std::string stats, frames, video, fps;
  PictureOptions pictures;
  std::string checkpoint, checkpoint_every, resume;
  std::vector<std::string> outputs;
  std::string batch;
  std::vector<std::string> more_patterns;
  bool json = false;
  bool quiet = false;
  bool tune = false;
};

}  // namespace tessera
