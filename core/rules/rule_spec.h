#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/geometry.h"
#include "core/rules/rule.h"

namespace tessera {

/// What surrounds the cells.
enum class Topology {
  infinite,  ///< the unbounded plane; the grid grows before anything can touch its edge
  torus,  ///< opposite edges are joined; indexes are modular, taken literally even for 1xN and 2xN
  plane,  ///< permanently dead outside
};

/// Largest side of a bounded universe.
inline constexpr std::int64_t kMaxSide = std::int64_t{1} << 40;

/// A rule and the universe it runs in, as Golly writes them: "B3/S23", "B3/S23:T256,128",
/// "B3/S23:P30".
struct RuleSpec {
  Rule rule;
  Topology topology = Topology::infinite;
  std::int64_t width = 0;   ///< cells; 0 on the infinite plane
  std::int64_t height = 0;  ///< cells; 0 on the infinite plane

  bool operator==(const RuleSpec&) const = default;
  bool bounded() const { return topology != Topology::infinite; }
  /// Universe coordinates of the top-left cell of a bounded universe: (-(width/2), -(height/2)).
  Cell origin() const { return {-(width / 2), -(height / 2)}; }
};

/// Canonical spelling: "B3/S23", "B3/S23:T256,128", "B3/S23:P30,20".
std::string to_string(const RuleSpec& spec);

/// Parses a rule with an optional suffix; ":T30" means ":T30,30". Refuses a side of 0 (infinite),
/// shifted or twisted edges, other topologies, sides above kMaxSide, and B0 on the infinite plane,
/// each with the reason. Throws ParseError with the place `where` and ":column".
RuleSpec parse_rule_spec(std::string_view text, const std::string& where = "rule:1");

}  // namespace tessera
