#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/viewer/simulation/status.h"

namespace tessera {

/// The population over the generations of a run, in bounded memory. Generations that share a sample
/// are merged into their least and greatest population, so that no peak is lost; samples cover
/// equally many generations, a power of two.
class PopulationLog {
 public:
  static constexpr std::size_t kMost = 512;               ///< samples
  static constexpr std::int64_t kEveryGeneration = 2048;  ///< of the first ones each is counted

  /// Forgets everything; the run starts at `generation`.
  void clear(std::int64_t generation) {
    samples_.clear();
    start_ = generation;
    width_ = 1;
  }
  /// Forgets what lies after `generation`.
  void cut(std::int64_t generation) {
    while (!samples_.empty() && samples_.back().first > generation) samples_.pop_back();
    if (!samples_.empty()) samples_.back().last = std::min(samples_.back().last, generation);
  }
  /// The next generation after `generation` whose population should be added: every one of the
  /// first kEveryGeneration, then about a thousand each time that their number doubles, so that
  /// counting costs less and less.
  std::int64_t next(std::int64_t generation) const {
    const std::int64_t gone = std::max<std::int64_t>(0, generation - start_);
    const auto share = static_cast<std::uint64_t>(gone / (kEveryGeneration / 2));
    const auto every = static_cast<std::int64_t>(std::bit_floor(std::max<std::uint64_t>(1, share)));
    return start_ + (gone / every + 1) * every;
  }
  /// Whether the generation before this one is counted, too.
  bool counts_each(std::int64_t generation) const {
    return generation - start_ <= kEveryGeneration;
  }
  /// Adds a population; of generations that lie behind the last one it is known already.
  void add(std::int64_t generation, std::int64_t population) {
    if (generation < start_ || (!samples_.empty() && generation <= samples_.back().last)) return;
    put({generation, generation, population, population});
    while (samples_.size() > kMost) {
      width_ *= 2;
      for (const PopulationSample& each : std::vector(std::exchange(samples_, {}))) put(each);
    }
  }
  const std::vector<PopulationSample>& samples() const { return samples_; }

 private:
  void put(const PopulationSample& next) {
    const auto place = [this](std::int64_t generation) { return (generation - start_) / width_; };
    if (samples_.empty() || place(samples_.back().first) != place(next.first)) {
      samples_.push_back(next);
      return;
    }
    PopulationSample& last = samples_.back();
    last.last = next.last;
    last.low = std::min(last.low, next.low);
    last.high = std::max(last.high, next.high);
  }

  std::vector<PopulationSample> samples_;
  std::int64_t start_ = 0;
  std::int64_t width_ = 1;  // generations per sample
};

}  // namespace tessera
