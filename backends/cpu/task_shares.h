#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// Cuts the rows of passes among tasks so that all end at the same time. A pass waits for its
/// slowest task, and processors of one machine differ: in kind, in what else runs on them or on the
/// other thread of their core. Each pass is cut by how fast the tasks were in those before.
class TaskShares {
 public:
  /// Of passes of at most so many tasks, which are taken to be equally fast.
  explicit TaskShares(int most);

  /// Cuts `rows` rows, at least `tasks`, for the next pass: task i has rows [result[i],
  /// result[i + 1]), one or more, and steps about `again` rows besides. The result stays until the
  /// next call.
  const std::vector<std::int64_t>& cut(std::int64_t rows, int tasks, std::int64_t again);

  /// Seconds that a task of the last cut took. Tasks may tell at the same time; where one does not,
  /// nothing is learnt from the pass.
  void took(int task, double seconds) { seconds_[static_cast<std::size_t>(task)] = seconds; }

 private:
  void learn();
  double speed(std::size_t task) const;

  std::vector<double> speeds_;  // of the tasks: the mean is about 1
  std::vector<double> seconds_;
  std::vector<std::int64_t> cuts_;
  std::int64_t again_ = 0;
  std::int64_t learnt_ = 0;  // passes
};

}  // namespace tessera
