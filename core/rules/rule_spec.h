#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/geometry.h"
#include "core/rules/rule.h"
#include "core/rules/seam.h"

namespace tessera {

/// What surrounds the cells.
enum class Topology {
  infinite,  ///< the unbounded plane; the grid grows before anything can touch its edge
  torus,  ///< opposite edges are joined; indexes are modular, taken literally even for 1xN and 2xN
  plane,  ///< permanently dead outside
  shifted_torus,  ///< one pair of edges is shifted before it is joined
  klein_bottle,   ///< one pair of edges is twisted before it is joined, and perhaps shifted
  cross_surface,  ///< both pairs of edges are twisted before they are joined
  sphere,         ///< the top edge is joined to the left one, the right to the bottom one; a square
};

/// "infinite plane", "torus", "plane", "shifted torus", "Klein bottle", "cross-surface", "sphere".
const char* name_of(Topology topology);

/// Largest side of a bounded universe.
inline constexpr std::int64_t kMaxSide = std::int64_t{1} << 40;

/// A rule and the universe it runs in, as Golly writes them: "B3/S23", "B3/S23:T256,128",
/// "B3/S23:P30", "B3/S23:K30*,20", "B3/S23:T0,20". Two rules may take turns, as LifeViewer writes
/// it: "B3/S23|B2/S:T256,128".
struct RuleSpec {
  Rule rule;
  Topology topology = Topology::infinite;
  std::int64_t width = 0;   ///< cells; 0: without end to the left and to the right
  std::int64_t height = 0;  ///< cells; 0: without end upwards and downwards
  Seam seam{};              ///< of a shifted torus, whose shift is not 0, and of a Klein bottle
  /// Of two rules in turns: what steps from odd generations, `rule` stepping from even ones. It has
  /// as many states, and is another rule.
  std::optional<Rule> odd_rule{};

  bool operator==(const RuleSpec&) const = default;
  /// Whether a side ends.
  bool has_edges() const { return topology != Topology::infinite; }
  /// Whether both sides end.
  bool bounded() const { return width != 0 && height != 0; }
  /// Whether one side ends: a tube, which is a torus without end, or a strip of the plane.
  bool half_infinite() const { return (width != 0) != (height != 0); }
  /// Whether a rule of the two, or the only one, has B0.
  bool has_b0() const { return rule.has_b0() || (odd_rule && odd_rule->has_b0()); }
  /// Whether a rule of the two, or the only one, is of longer range.
  bool ranged() const { return rule.ranged() || (odd_rule && odd_rule->ranged()); }
  /// How far cells see: nothing moves faster, in cells per generation.
  int reach() const { return odd_rule ? std::max(rule.reach(), odd_rule->reach()) : rule.reach(); }
  /// Universe coordinates of the top-left cell, 0 along a side without end:
  /// (-(width/2), -(height/2)).
  Cell origin() const { return {-(width / 2), -(height / 2)}; }
  /// All cells; a side without end reaches to 2^62 both ways.
  Rect cells() const;
};

/// Canonical spelling: "B3/S23", "B3/S23:T256,128", "B3/S23:P30,20", "B3/S23:P30,0",
/// "B3/S23:T30+5,20", "B3/S23:K30,20*+1", "B3/S23:C30,20", "B3/S23:S30"; two rules as
/// "B3/S23|B2/S:T30,20".
std::string to_string(const RuleSpec& spec);

/// The same without the universe: "B3/S23", "B3/S23|B2/S".
std::string rules_text(const RuleSpec& spec);

/// Parses a rule with an optional suffix; ":T30" means ":T30,30". A shift by whole sides is none,
/// and any other one of a Klein bottle is one of 1 where the twisted side is even, and none where
/// it is odd. Two equal rules in turns are one. Without end (0) are one side of a torus, of a
/// plane, or both, which is the infinite plane. Refuses that of other surfaces, sides above
/// kMaxSide, edges that a surface cannot have, and two rules that cannot take turns, each with the
/// reason. Throws ParseError with the place `where` and ":column".
RuleSpec parse_rule_spec(std::string_view text, const std::string& where = "rule:1");

}  // namespace tessera
