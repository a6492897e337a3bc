#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/rule.h"

namespace tessera {

/// Which cells a table or a tree of a rule file sees, and in which order a line names them.
enum class FileNeighbourhood : std::uint8_t {
  von_neumann,      ///< C N E S W
  moore,            ///< C N NE E SE S SW W NW
  hexagonal,        ///< C N E SE S W NW
  one_dimensional,  ///< C W E
};

/// A cell that is seen, counted from the cell in the middle.
struct SeenCell {
  int dx, dy;
};

/// The cells of a neighbourhood in the order of a table's lines, the middle one first.
const std::vector<SeenCell>& cells_seen(FileNeighbourhood neighbourhood);

/// How the neighbours of a line may be moved around the middle: by rotations of 360 degrees over
/// `rotations`, of the eight of Moore's neighbourhood, the six hexagonal ones, or von Neumann's
/// four; also reflected, N staying N; or by any permutation. In one dimension `reflected` swaps.
struct FileSymmetry {
  int rotations = 1;
  bool reflected = false;
  bool permuted = false;
};

/// A set of states and the order in which its file names them, each once.
struct StateChoice {
  std::bitset<kMostStates> set;
  std::vector<std::uint8_t> order;
};

/// A line of a table: the states of the cells that it names, and the next state of the one in the
/// middle.
struct TableLine {
  static constexpr int kMostInputs = 9, kMostBound = 5;
  /// Which of RuleTable::choices each cell has, by the order of the neighbourhood.
  std::array<std::uint32_t, kMostInputs> choice{};
  /// Variables that the line names more than once take one value in all places. The number of such
  /// a variable by the order of names, or -1.
  std::array<std::int8_t, kMostInputs> bound{};
  int bound_count = 0;
  std::uint8_t next = 0;        ///< the next state, unless
  std::int8_t next_bound = -1;  ///< this is the number of a bound variable, whose value it is
};

/// A @TABLE. The first line that fits decides, in any of its symmetric forms; where none does the
/// state stays. Of one line, that fit decides whose bound variables come first: the values count in
/// the order of the variable's list, of the first variable fastest.
struct RuleTable {
  FileNeighbourhood neighbourhood = FileNeighbourhood::moore;
  FileSymmetry symmetry;
  std::vector<StateChoice> choices;
  std::vector<TableLine> lines;
};

/// A @TREE: a decision for each cell seen, in the order NW NE SW SE N W E S C, or N W E S C of von
/// Neumann's neighbourhood.
struct RuleTree {
  FileNeighbourhood neighbourhood = FileNeighbourhood::moore;
  /// Node by node, what follows from each state: the number of another node, and in nodes that
  /// decide about C the next state. The last node is where to begin.
  std::vector<std::uint32_t> children;
};

struct FileColour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const FileColour&) const = default;
};

/// A rule of a rule file of Golly's, `NAME.rule`, or of an older one, `NAME.table` or `NAME.tree`.
struct FileRule {
  std::string name;      ///< of the file, without its ending
  std::string spelling;  ///< `name`, with the ending behind it where the name alone is another rule
  int states = 2;
  std::optional<RuleTable> table;  ///< one of these two
  std::optional<RuleTree> tree;
  std::vector<std::optional<FileColour>> colours;  ///< of the states, as far as the file gives them
  std::vector<std::string> names;                  ///< likewise
  /// The whole file, its name without folders, and the text of a file NAME.colors beside it:
  /// parse_rule_file(text, path, old_colours) is this rule. What other processes are sent.
  std::string text, path, old_colours;
  /// Of the text of the table or tree: what a checkpoint compares.
  std::uint64_t checksum = 0;
  /// Whether a cell of state 0 stays so among cells of state 0.
  bool quiet = true;
};

/// ".rule", ".table" and ".tree": the endings of rule files, in the order in which they are looked
/// for. The latter two hold what stands behind @TABLE or @TREE in the first.
inline constexpr std::array<std::string_view, 3> kRuleFileEndings{".rule", ".table", ".tree"};
/// Which of these `text` ends with; empty for none.
std::string_view rule_file_ending(std::string_view text);

/// Most bytes of a rule file.
inline constexpr std::size_t kMostRuleFileBytes = std::size_t{1} << 25;
/// Most lines of a table once variables and symmetries are written out.
inline constexpr std::int64_t kMostFileLines = std::int64_t{1} << 20;

/// Where the colours of an old rule file stand: `path` with ".colors" in place of ".table" or
/// ".tree". Empty for other files.
std::string colours_path(const std::string& path);

/// Reads the text of a rule file: its first @TABLE or @TREE, @COLORS and @NAMES; what other
/// sections hold, as @ICONS do, is skipped. `path` is the place in errors, and its last part
/// without its ending is the rule's name; where it ends with ".table" or ".tree" that is the text's
/// only section, and `old_colours` is the text of the file colours_path(), empty where there is
/// none. Throws ParseError with "path:line:column".
FileRule parse_rule_file(std::string_view text, const std::string& path,
                         std::string_view old_colours = {});

/// A rule that refers to this one, which is kept as long as the program runs. Equal ones are kept
/// once, so that they are the same object.
Rule kept_file_rule(FileRule rule);

/// The rule of this spelling that was kept last, or nothing.
std::optional<Rule> last_file_rule(std::string_view spelling);

}  // namespace tessera
