#pragma once

#include <random>
#include <stop_token>
#include <vector>

#include "core/rules/gate_net.h"

namespace tessera {

/// Improves a circuit by local changes. One gate after the other, chosen at random, is replaced by
/// a gate over other signals (also over gates that do not exist yet) that gives the same value
/// wherever the output depends on it. Changes that make the circuit no longer are kept, so that
/// plateaus are crossed; sometimes also one that makes it longer, ever less often.
class CircuitSearch {
 public:
  CircuitSearch(const GateNet& start, std::mt19937_64& random);

  /// That many gates are tried, or fewer where that is to stop.
  void run(int tries, const std::stop_token& stop);
  const GateNet& best() const { return best_; }
  int best_cost() const { return best_cost_; }

 private:
  struct Candidate;
  struct Target;

  int below(std::size_t n) { return static_cast<int>(random_() % n); }
  double chance() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  void move(double temperature);
  NeighbourhoodTable observed(std::size_t gate, std::vector<bool>& above) const;
  std::vector<Candidate> candidates(const Target& target, const std::vector<bool>& above,
                                    GateNet& with_more);
  void replace(const Target& target, const std::vector<Candidate>& candidates,
               const GateNet& with_more, double temperature);
  bool take(const GateNet& changed, double temperature);

  std::mt19937_64& random_;
  GateNet current_, best_;
  int cost_, best_cost_;
};

}  // namespace tessera
