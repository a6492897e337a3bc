#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/rules/neighbourhood_table.h"

namespace tessera {

/// What a rule looks at, and so how it is written.
enum class RuleFamily : std::uint8_t {
  outer_totalistic,  ///< the number of eight neighbours: B3/S23
  isotropic,         ///< also how they lie, up to rotation and reflection: B2-a/S12
  hexagonal,         ///< the number of six neighbours, all but NE and SW: B2/S34H
  von_neumann,       ///< the number of four neighbours: B13/S13V
  map,               ///< any function of the nine cells: MAP and 86 characters
  map_hexagonal,     ///< of the seven cells of the hexagonal neighbourhood: MAP and 22
  map_von_neumann,   ///< of the five of von Neumann's: MAP and 6
  wolfram,           ///< a row that becomes the next one, below: W110
};

/// A two-state rule that sees a cell and its eight neighbours.
struct Rule {
  /// Of an outer-totalistic rule: if bit n of `birth` is set, a dead cell with n live neighbours
  /// (0..8) comes alive; if bit n of `survival` is set, a live one stays alive. 0 in other
  /// families.
  std::uint16_t birth = 1u << 3;
  std::uint16_t survival = 1u << 2 | 1u << 3;
  RuleFamily family = RuleFamily::outer_totalistic;
  /// Of the other families: the next state. Empty in an outer-totalistic rule.
  NeighbourhoodTable table{};

  bool operator==(const Rule&) const = default;
  bool outer_totalistic() const { return family == RuleFamily::outer_totalistic; }
  /// True when cells are born from nothing, so that an empty plane does not stay empty.
  bool has_b0() const { return outer_totalistic() ? (birth & 1) != 0 : table.at(0); }
  /// The next state of a cell under an outer-totalistic rule.
  bool next(bool alive, int neighbours) const {
    return (alive ? survival : birth) >> neighbours & 1;
  }
  /// The next state of the cell in the middle of a pattern (NeighbourhoodTable), under any rule.
  bool next_of(int pattern) const {
    if (!outer_totalistic()) return table.at(pattern);
    return next(centre_lives(pattern), neighbours_in(pattern));
  }
  /// The number of states of a cell, the number of bit planes that hold them, and how far a cell
  /// sees: nothing moves faster than `reach` cells per generation.
  int states() const { return 2; }
  int planes() const { return 1; }
  int reach() const { return 1; }
};

inline constexpr Rule kLife{};

/// Canonical spelling, as Golly has it: "B3/S23", "B2-a/S12", "B2/S34H", "W110"; digits and letters
/// ascending, letters or their complement, as Golly chooses; a MAP without padding.
std::string to_string(const Rule& rule);

/// The outer-totalistic rule that does the same, or `rule` itself where there is none: kernels for
/// outer-totalistic rules step a MAP of Life, too.
Rule simplest(const Rule& rule);

/// A name that users may type instead of the digits.
struct NamedRule {
  const char* name;
  Rule rule;
};

/// All known names (Life, HighLife, Day & Night, Seeds, ...), the canonical name of a rule first.
std::span<const NamedRule> named_rules();

/// Parses "B3/S23", "b3s23", "B3S23", "23/3" (survival first), the same with Hensel's letters
/// behind counts ("B2-a/S12", "b2-as12") or with H (hexagonal) or V (von Neumann's neighbourhood)
/// behind them, "MAP" with 86, 22 or 6 characters of base64, "W0" to "W255", or a name (case,
/// spaces, '&', '-' and '_' do not matter). No universe is accepted here; see RuleSpec. Throws
/// ParseError with "rule:1:COLUMN".
Rule parse_rule(std::string_view text);

}  // namespace tessera
