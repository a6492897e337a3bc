#pragma once

#include <string>
#include <vector>

namespace tessera {

/// One that was timed.
struct Finisher {
  std::string name;
  double seconds = 0;  ///< per generation
};

/// Who is fastest and how far behind the next is, in words: "A is fastest, 2 times as fast as B".
/// Those whose times differ by less than 0.5 % are equally fast. How `peer` fares is added where it
/// is neither among the fastest nor the next; it is the name of one of `all`, or empty. Empty where
/// fewer than two were timed, or where one took no time that a clock shows.
std::string winner_sentence(std::vector<Finisher> all, const std::string& peer);

}  // namespace tessera
