#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// An outer-totalistic two-state rule, one of 2^18. If bit n of `birth` is set, a dead cell with n
/// live neighbours (0..8) comes alive; if bit n of `survival` is set, a live one stays alive.
struct Rule {
  std::uint16_t birth = 1u << 3;
  std::uint16_t survival = 1u << 2 | 1u << 3;

  bool operator==(const Rule&) const = default;
  /// True when cells are born from nothing, so that an empty plane does not stay empty.
  bool has_b0() const { return birth & 1; }
  /// The next state of a cell.
  bool next(bool alive, int neighbours) const {
    return (alive ? survival : birth) >> neighbours & 1;
  }
  /// The number of states of a cell, the number of bit planes that hold them, and how far a cell
  /// sees: nothing moves faster than `reach` cells per generation.
  int states() const { return 2; }
  int planes() const { return 1; }
  int reach() const { return 1; }
};

inline constexpr Rule kLife{};

/// Canonical spelling: "B3/S23", digits ascending.
std::string to_string(const Rule& rule);

/// A name that users may type instead of the digits.
struct NamedRule {
  const char* name;
  Rule rule;
};

/// All known names (Life, HighLife, Day & Night, Seeds, ...), the canonical name of a rule first.
std::span<const NamedRule> named_rules();

/// Parses "B3/S23", "b3s23", "B3S23", "23/3" (survival first), or a name (case, spaces, '&', '-'
/// and '_' do not matter). No suffix is accepted here; see RuleSpec. Throws ParseError with
/// "rule:1:COLUMN".
Rule parse_rule(std::string_view text);

}  // namespace tessera
