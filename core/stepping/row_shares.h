#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// Cuts rows among parts that step them at the same time, so that all end together. All wait for
/// the slowest part, and processors differ, even those of one machine: in kind, in what else runs
/// on them or on the other thread of their core. Rows are cut by how fast the parts were before.
/// The same calls give the same cuts everywhere.
class RowShares {
 public:
  /// Of at most so many parts, which are taken to be equally fast.
  explicit RowShares(int most);

  /// Cuts `rows` rows among the first `parts` parts, each of which steps about `again` rows besides
  /// its own. Part i gets rows [result[i], result[i + 1]), at least `least`, of which there are
  /// enough for all.
  std::vector<std::int64_t> cut(std::int64_t rows, int parts, std::int64_t again,
                                std::int64_t least) const;

  /// Parts that rows were cut among like this took so long. Where a part's seconds are not known (0
  /// or less), nothing is learnt.
  void learn(std::span<const std::int64_t> cuts, std::int64_t again,
             std::span<const double> seconds);

  /// How long the slowest of the parts takes of rows that are cut like this, as far as is known:
  /// only the ratio of two such times means something.
  double slowest(std::span<const std::int64_t> cuts, std::int64_t again) const;

 private:
  std::vector<double> speeds_;  // of the parts: the mean is about 1
  std::int64_t learnt_ = 0;     // times
};

}  // namespace tessera
