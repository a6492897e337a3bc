#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/rules/neighbourhood_table.h"

namespace tessera {

struct FileRule;
struct RangeRule;

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
  wire_world,        ///< wires of four states, on which electrons run: WireWorld
  range,             ///< the number of neighbours up to some range: R5,C0,M1,S34..58,B34..45,NM
  file,              ///< what a table or a tree of a rule file says: Langtons-Loops
};

/// Most states of a rule.
inline constexpr int kMostStates = 256;

/// A rule that sees a cell and its eight neighbours, or under RuleFamily::range those further away.
///
/// A cell has two states, dead and alive, or more. Under a Generations rule, cells of state 0 are
/// born and those of state 1 survive as the family says, and only those of state 1 count as
/// neighbours. A cell that does not survive grows older, state by state, and then dies; nothing is
/// born where it is. Under WireWorld, states are 0 (nothing), 1 (an electron's head), 2 (its tail)
/// and 3 (wire). Under a rule of a file, any state may become any other one, as all cells around it
/// say.
struct Rule {
  /// Of an outer-totalistic rule: if bit n of `birth` is set, a dead cell with n live neighbours
  /// (0..8) comes alive; if bit n of `survival` is set, a live one stays alive. 0 in other
  /// families.
  std::uint16_t birth = 1u << 3;
  std::uint16_t survival = 1u << 2 | 1u << 3;
  RuleFamily family = RuleFamily::outer_totalistic;
  /// Of the other families: the next state; of WireWorld, whether wire becomes a head. Empty where
  /// the family is outer-totalistic.
  NeighbourhoodTable table{};
  /// 2 to kMostStates; more than 2 make a Generations rule of the family.
  std::uint16_t state_count = 2;
  /// Of RuleFamily::range: what counts, and the counts; lives as long as the program
  /// (kept_range_rule). Null in other families. `table` is empty then.
  const RangeRule* range = nullptr;
  /// Of RuleFamily::file: the file's table or tree; lives as long as the program (kept_file_rule).
  /// Null in other families. `table` is empty then.
  const FileRule* file = nullptr;

  bool operator==(const Rule&) const = default;
  /// Whether this is a two-state rule that counts eight neighbours, as most kernels need it.
  bool outer_totalistic() const { return counts_eight() && state_count == 2; }
  /// Whether the masks say what is born and what survives, and not the table.
  bool counts_eight() const { return family == RuleFamily::outer_totalistic; }
  /// Whether neighbours further away than one cell may count.
  bool ranged() const { return family == RuleFamily::range; }
  /// Whether a rule file says what becomes of cells.
  bool from_file() const { return family == RuleFamily::file; }
  /// True when cells are born from nothing, so that an empty plane does not stay empty.
  bool has_b0() const;
  /// The next state of a cell under an outer-totalistic rule.
  bool next(bool alive, int neighbours) const {
    return (alive ? survival : birth) >> neighbours & 1;
  }
  /// Whether the cell in the middle of a pattern (NeighbourhoodTable) is alive in the next
  /// generation, under any rule that sees only these. Where there are more states than two, the
  /// pattern has the cells of state 1, and the answer is for a cell of state 0 or 1; under
  /// WireWorld for one of state 3.
  bool next_of(int pattern) const {
    if (!counts_eight()) return table.at(pattern);
    return next(centre_lives(pattern), neighbours_in(pattern));
  }
  /// The number of states of a cell, the number of bit planes that hold them, and how far a cell
  /// sees: nothing moves faster than `reach` cells per generation.
  int states() const { return state_count; }
  int planes() const { return std::bit_width(state_count - 1u); }
  int reach() const;
};

inline constexpr Rule kLife{};

/// Canonical spelling, as Golly has it: "B3/S23", "B2-a/S12", "B2/S34H", "W110"; digits and letters
/// ascending, letters or their complement, as Golly chooses; a MAP without padding. Generations:
/// survival, birth, states, as in "345/2/4" and "3/2/5H", or "MAP.../4"; "WireWorld". Of longer
/// range: range_text(). Of a rule file: its name.
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
/// spaces, '&', '-' and '_' do not matter). Generations: any of these but W with the number of
/// states behind it, as in "345/2/4", "B2/S345/C4" and "B2/S345/G4", or before it as in "g4b2s345";
/// H and V stand before or behind that number. "R5,C0,M1,S34..58,B34..45,NM" and what else
/// parse_range() takes. No universe is accepted here; see RuleSpec. What is none of these is looked
/// for as a rule file (find_rule_file), and what ends as one (rule_file_ending) is one. Throws
/// ParseError with "rule:1:COLUMN", and InputError with the place in a rule file that has an error.
Rule parse_rule(std::string_view text);

}  // namespace tessera
