#pragma once

#include <vector>

#include "apps/viewer/simulation/status.h"

namespace tessera {

/// The population over the generations, from the start to now: at most kMost samples, thinned to
/// every other one when there are more.
class PopulationLog {
 public:
  static constexpr std::size_t kMost = 512;

  /// Adds a sample, and drops those of this and later generations.
  void add(std::int64_t generation, std::int64_t population) {
    while (!samples_.empty() && samples_.back().generation >= generation) samples_.pop_back();
    samples_.push_back({generation, population});
    if (samples_.size() <= kMost) return;
    for (std::size_t i = 1; 2 * i < samples_.size(); i++) samples_[i] = samples_[2 * i];
    samples_.resize((kMost + 1) / 2);
    samples_.push_back({generation, population});
  }
  void clear() { samples_.clear(); }
  const std::vector<PopulationSample>& samples() const { return samples_; }

 private:
  std::vector<PopulationSample> samples_;
};

}  // namespace tessera
