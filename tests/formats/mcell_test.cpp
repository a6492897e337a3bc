// Files of the program MCell (.mcl).

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/pattern_io.h"
#include "core/patterns/state_runs.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = "#MCell 4.20\n#GAME Generations\n#RULE 345/2/60\n";

Pattern read(const std::string& text) { return parse_pattern(text, "p.mcl"); }
std::string refused(const std::string& text) {
  return message_of<ParseError>([&] { read(text); });
}

std::string runs_of(const Pattern& pattern) {
  std::string text;
  StateRuns runs(pattern);
  while (const std::optional<StateRun> run = runs.next())
    text += fmt::format("{},{}:{}x{} ", run->x, run->y, run->length, run->state);
  return text;
}

// The algorithm of bgolly that steps a file's rule, or null where it is in a file that bgolly has
// not.
const char* algorithm_of(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  return folder == "Generations"        ? "Generations"
         : folder == "Larger-than-Life" ? "Larger than Life"
                                        : nullptr;
}

}  // namespace

TEST_CASE("cells, rules and boards of MCell") {
  const Pattern p = read(std::string(kHead) +
                         "#BOARD 31x20\n#SPEED 10\n#WRAP 1\n#CCOLORS 4\n#D one\n#D\n#Other two\n"
                         "#L 5.aA3$bB$2.\n#L 2X1\n#L 2A$.A\n");
  CHECK(runs_of(p) == "5,0:1x25 0,3:1x50 2,4:2x24 4,4:12x1 1,5:1x1 ");
  CHECK(to_string(p.rule.value()) == "345/2/60:T31,20");
  CHECK(p.comments == std::vector<std::string>{"one", "", "Other two"});
  CHECK(p.width == 16);
  CHECK(p.height == 6);
  CHECK(p.position == Cell{-8, -3});
  // In any order, and with lines' ends of any kind.
  const Pattern q = read("#MCell 2.0\r\n#L 3A\r\n#BOARD 9x7\r\n#RULE 23/3\r\n\r\n#GAME Life\r\n");
  CHECK(runs_of(q) == "0,0:3x1 ");
  CHECK(to_string(q.rule.value()) == "B3/S23:P9,7");
  CHECK(q.planes.empty());
  const Pattern wires =
      read("#MCell 4.00\n#GAME Rules table\n#GOLLY WireWorld\n#RULE 1,0,0\n#L AB2C\n");
  CHECK(wires.rule == parse_rule_spec("WireWorld"));
  CHECK(!wires.position);
  CHECK(runs_of(wires) == "0,0:1x1 1,0:1x2 2,0:2x3 ");
  CHECK(read("#MCell 4.00\n#GAME Life\n").rule == RuleSpec{});
}

TEST_CASE("MCell files that are wrong or of other games are refused") {
  const std::string head = kHead;
  CHECK(refused("#MCell 4.00\n#GAME Cyclic CA\n#RULE R3/T5/C8/NM\n#L A\n")
            .starts_with("p.mcl:2:2: the game 'Cyclic CA' of MCell is not supported"));
  CHECK(refused("#MCell 4.00\n#L A\n") == "p.mcl:1:1: no line #GAME names the game");
  CHECK(refused("#MCell 4.00\n#GAME Generations\n#L A\n") ==
        "p.mcl:2:2: the game Generations needs a line #RULE");
  CHECK(refused("#MCell 4.00\n#GAME Life\n#RULE 23/9\n").starts_with("p.mcl:3:10: rule '23/9'"));
  CHECK(refused(head + "#L 2A.q\n").starts_with("p.mcl:4:7: unexpected 'q'; cells are spelled ."));
  CHECK(refused(head + "#L aZ\n").starts_with("p.mcl:4:4: unexpected 'a'"));
  CHECK(refused(head + "#L A\n3A\n").starts_with("p.mcl:5:1: unexpected '3'"));
  CHECK(refused(head + "#L 2A.bP\n") ==
        "p.mcl:4:7: a cell of state 64; the rule 345/2/60 has states 0 to 59");
  CHECK(refused(head + "#L jX\n") == "p.mcl:4:4: a cell of state 264; states go up to 255");
  CHECK(refused(head + "#L 0A\n").starts_with("p.mcl:4:5: a run count of 0"));
  CHECK(refused(head + "#L A12\n").starts_with("p.mcl:5:1: a run count without cells"));
  CHECK(refused(head + "#L 99999999999999999999A\n").find("a run count is too large") !=
        std::string::npos);
  CHECK(refused(head + "#L 4611686018427387904.A\n").find("further than 2^62") !=
        std::string::npos);
  CHECK(refused(head + "#BOARD 31,20\n").starts_with("p.mcl:4:10: 'x' was expected"));
  CHECK(refused(head + "#BOARD 0x20\n").starts_with("p.mcl:4:8: the board's width must be"));
  CHECK(refused(head + "#WRAP 2\n").starts_with("p.mcl:4:7: #WRAP must be"));
  const ScratchFolder folder;
  CHECK_THROWS_AS(write_pattern(folder.file("a.mcl"), read(head + "#L A\n")), InputError);
}

TEST_CASE("Golly's MCell files have the cells and rules that bgolly finds in them") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::string out = folder.file("theirs.rle");
  int compared = 0, opened = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kGollyPatterns)) {
    const fs::path& file = entry.path();
    if (file.extension() != ".mcl") continue;
    INFO(file.string());
    const Pattern ours = read_pattern(file.string());
    opened++;
    const char* const algorithm = algorithm_of(file);
    if (!algorithm) {
      CHECK(ours.rule->rule == parse_rule("WireWorld"));
      continue;
    }
    const Shell shell = run_shell(
        fmt::format("bgolly -a '{}' -q -q -m 0 -o '{}' '{}'", algorithm, out, file.string()));
    REQUIRE(shell.status == 0);
    const Pattern theirs = read_pattern(out);
    CHECK(ours.rule == theirs.rule);
    // Theirs begins at the first live cell.
    const Bounds box = ours.cells.bounds().value(), other = theirs.cells.bounds().value();
    Pattern moved = ours;
    move_cells(moved, other.xmin - box.xmin, other.ymin - box.ymin);
    CHECK(runs_of(moved) == runs_of(theirs));
    compared++;
  }
  CHECK(opened == 33);
  CHECK(compared == 22);
}
