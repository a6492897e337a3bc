#include "core/rules/rule_compiler.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "core/rules/circuit_search.h"
#include "core/rules/first_circuit.h"
#include "core/rules/pattern_set.h"

namespace tessera {
namespace {

constexpr int kOrders = 16;  // of each row of cells that is decided last
constexpr int kNoisyDecisions = 2;
constexpr std::size_t kStarts = 2;  // that are improved
constexpr double kTries = 4e6;      // by each of them, divided by the square of gates and inputs
constexpr double kTriesAfter = 3;   // times as many by the best
// One search in a hundred ends early with many gates; another one of the rule does not.
constexpr int kLong = 80;
constexpr unsigned kSearches = 4;

struct Found {
  int cost;
  GateNet net;
};

void add(std::vector<Found>& found, const GateNet& net) {
  GateNet clean = cleaned(net).value();
  const int cost = clean.cost();
  found.push_back({cost, std::move(clean)});
}

// The order in which the cells of one row are decided last: functions of one row count once for all
// three.
std::vector<int> ending_with(int row) {
  std::vector<int> order;
  for (int cell = 0; cell < 9; cell++) {
    if (cell / 3 != row) order.push_back(cell);
  }
  for (int cell = 3 * row; cell < 3 * row + 3; cell++) order.push_back(cell);
  return order;
}

// The circuits that decisions give, the shortest first.
std::vector<Found> first_circuits(const NeighbourhoodTable& rule, int orders, int noisy,
                                  std::mt19937_64& random) {
  std::vector<Found> found;
  for (int row = 0; row < 3; row++) {
    std::vector<int> order = ending_with(row);
    for (int i = 0; i < orders; i++) {
      add(found, decide_in_order(rule, order));
      for (std::size_t n = 6; n > 1; n--) std::swap(order[n - 1], order[random() % n]);
    }
  }
  for (int i = 0; i <= noisy; i++) add(found, decide_by_entropy(rule, i ? 0.3 : 0, random));
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.cost < b.cost; });
  return found;
}

// A try looks at triples of signals, so that it takes longer in larger circuits.
int tries_for(const GateNet& net, double times) {
  const double signals = std::max(34.0, 20.0 + static_cast<double>(net.gates.size()));
  return static_cast<int>(times * kTries / (signals * signals));
}

}  // namespace

GateProgram first_program(const NeighbourhoodTable& rule) {
  std::mt19937_64 random(1);
  return to_program(first_circuits(rule, 1, 0, random).front().net);
}

GateProgram search_program(const NeighbourhoodTable& rule, unsigned seed,
                           const std::stop_token& stop) {
  std::mt19937_64 random(seed);
  std::vector<Found> found = first_circuits(rule, kOrders, kNoisyDecisions, random);
  if (found.front().net.gates.empty()) return to_program(found.front().net);
  found.resize(std::min(found.size(), kStarts));
  for (Found& each : found) {
    CircuitSearch search(each.net, random);
    search.run(tries_for(each.net, 1), stop);
    each = {search.best_cost(), search.best()};
  }
  const auto best = std::min_element(
      found.begin(), found.end(), [](const Found& a, const Found& b) { return a.cost < b.cost; });
  CircuitSearch search(best->net, random);
  search.run(tries_for(best->net, kTriesAfter), stop);
  return to_program(search.best());
}

std::optional<GateProgram> compile_rule(const NeighbourhoodTable& rule,
                                        const std::stop_token& stop) {
  GateProgram best = search_program(rule, 1, stop);
  for (unsigned seed = 2; seed <= kSearches && best.cost() > kLong; seed++) {
    GateProgram other = search_program(rule, seed, stop);
    if (other.cost() < best.cost()) best = std::move(other);
  }
  if (stop.stop_requested()) return std::nullopt;
  return best;
}

GateProgram compile_rule(const NeighbourhoodTable& rule) {
  return compile_rule(rule, std::stop_token()).value();
}

}  // namespace tessera
