#pragma once

#include <vector>

namespace tessera {

/// The values of several runs of the same thing.
struct Spread {
  double median = 0;  ///< of an even number of runs, the mean of the two in the middle
  double lowest = 0;
  double highest = 0;
  std::vector<double> runs;  ///< in the order in which they were made
};

/// The spread of at least one number; throws std::invalid_argument for none.
Spread spread_of(std::vector<double> runs);

/// The spread of `factor / run`: a rate from times. Times of 0 make a rate of 0.
Spread inverse(const Spread& times, double factor);

}  // namespace tessera
