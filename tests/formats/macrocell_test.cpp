#include "core/patterns/macrocell.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "cell_model.h"
#include "pattern_error.h"
#include "tests/support/as_written.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const CellRuns kGlider = drawn(".O./..O/OOO");

Pattern read(const std::string& text) { return parse_pattern(text, "p.mc"); }
std::string refused(const std::string& lines) { return refusal("[M2]\n" + lines, "p.mc"); }

std::string written(const CellRuns& cells, const Cell& at) {
  Pattern p;
  p.cells = cells;
  p.position = at;
  return format_pattern(p, PatternFormat::macrocell);
}

// A full leaf and `levels` squares of four each like the one before.
std::string full(int levels) {
  std::string text =
      "[M2]\n********$********$********$********$********$********$********$********$\n";
  for (int i = 1; i <= levels; i++) text += fmt::format("{0} {1} {1} {1} {1}\n", i + 3, i);
  return text;
}

}  // namespace

TEST_CASE("macrocell files as Golly writes them") {
  const Pattern p = read(
      "[M2] (golly 3.3)\n"
      "#R B3/S23:T10,6\n"
      "#G 9\n"
      "#N a name\n"
      "#O somebody\n"
      "#C a comment\n"
      "#C\n"
      "#C-----\n"
      "$$$$...*****$$...*$\n"
      "$$$$*****$....*$\n"
      "$...*.***$\n"
      "$*****$\n"
      "4 1 2 3 4\n");
  CHECK(p.cells == drawn("OOOOOOOOOO/.........O/O///O.OOOOOOOO"));
  CHECK(*p.position == Cell{-5, -3});
  CHECK(p.width == 10);
  CHECK(p.height == 6);
  CHECK(to_string(*p.rule) == "B3/S23:T10,6");
  CHECK(p.generation == 9);
  CHECK(p.name == "a name");
  CHECK(p.author == "somebody");
  CHECK(p.comments == std::vector<std::string>{"a comment", "", "-----"});
  // The cell (0, 0), and 20 cells from there in squares that are larger than needed.
  const Pattern one = read("[M2] (golly 3.3)\n#R B3/S23\n$$$$$$$*$\n4 0 1 0 0\n");
  CHECK(one.cells == drawn("O"));
  CHECK(*one.position == Cell{0, 0});
  const Pattern row = read(
      "[M2] (golly 3.3)\n$$$$$$$********$\n4 0 0 1 1\n$$$$$$$****$\n4 0 0 3 0\n5 0 0 2 4\n"
      "6 0 5 0 0\n");
  CHECK(list_of(row.cells) == std::vector<CellRun>{{0, 0, 20}});
  CHECK(*row.position == Cell{0, 0});
  CHECK_FALSE(row.rule);
  // An empty universe has no squares.
  const Pattern none = read("[M2] (golly 3.3)\n#R B3/S23\n#G 5\n");
  CHECK(none.cells.empty());
  CHECK(none.generation == 5);
  CHECK(none.width == 0);
  CHECK_FALSE(none.position);
}

TEST_CASE("macrocell files in all their spellings") {
  for (const char* text :
       {"[M2]\n.*$..*$***$\n4 1 0 0 0\n", "[M2]\r\n.*$..*$***$\r\n4 1 0 0 0\r\n",
        "\xef\xbb\xbf[M2] x\n.*......$..*.....$***.....$$$$$\n\n4 1 0 0 0\n#C tail",
        "[M2]\n\n.*$..*$***\n4\t1  0 0 0 \n", "[M2]\n$\n.*$..*$***$\n4 2 1 1 0\n",
        "[M2]\n.*$..*$***$\n*\n4 1 0 0 0", "[M2]\n.*$..*$***$\n.*$..*$***$\n4 2 0 0 0",
        "[M2]\n.*$..*$***$\n4 1 0 0 0\n5 0 0 0 2\n6 3 0 0 0\n7 0 0 0 4\n8 5 0 0 0\n"}) {
    CAPTURE(text);
    const Pattern p = read(text);
    CHECK(p.cells == kGlider);
    if (!std::string_view(text).ends_with("8 5 0 0 0\n")) CHECK(*p.position == Cell{-8, -7});
  }
  // One leaf is a root, too, and rows of notes may follow each other in any order.
  const Pattern leaf = read("[M2]\n#C FRAMES\n#Frames\n#FRAMED\n$.*$\n#R HighLife\n");
  CHECK(list_of(leaf.cells) == std::vector<CellRun>{{0, 0, 1}});
  CHECK(*leaf.position == Cell{-3, -2});
  CHECK(*leaf.rule == parse_rule_spec("B36/S23"));
  CHECK(leaf.comments == std::vector<std::string>{"FRAMES", "Frames", "FRAMED"});
  // Empty squares may be spelled.
  CHECK(read("[M2]\n$\n4 1 1 1 1\n5 2 0 0 0\n").cells.empty());
}

TEST_CASE("macrocell files that are refused, and where") {
  const std::string square = "; a square is spelled level nw ne sw se";
  const std::string leaf = "; a leaf is spelled . * $ and has at most 8 rows of 8 cells";
  CHECK(refused("*$\n4 1 0 0\n") == "p.mc:3:8: unexpected end of line" + square);
  CHECK(refused("*$\n4 1 0 0") == "p.mc:3:8: unexpected end of file" + square);
  CHECK(refused("*$\n4 1 0 0 0 0\n") == "p.mc:3:11: unexpected '0'" + square);
  CHECK(refused("*$\n4 1 0 0 -1\n") == "p.mc:3:9: unexpected '-'" + square);
  CHECK(refused("*$\n4 1 0 0 x\n") == "p.mc:3:9: unexpected 'x'" + square);
  CHECK(refused("*$\n4 1.5 0 0 0\n") == "p.mc:3:4: unexpected '.'" + square);
  CHECK(refused("*$\n4 1 2 0 0\n") ==
        "p.mc:3:5: the number of a square that comes before this line must be at most 1");
  CHECK(refused("4 1 0 0 0\n*$\n") ==
        "p.mc:2:3: the number of a square that comes before this line must be at most 0");
  CHECK(refused("*$\n4 1 0 0 99999999999999999999999999\n") ==
        "p.mc:3:9: the number of a square that comes before this line must be at most 1");
  CHECK(refused("*$\n5 0 1 0 0\n") ==
        "p.mc:3:5: square 1 has level 3, but the parts of level 5 have level 4");
  CHECK(refused("*$\n4 1 0 0 0\n4 0 0 2 0\n") ==
        "p.mc:4:7: square 2 has level 4, but the parts of level 4 have level 3");
  CHECK(refused("*$\n3 1 0 0 0\n") ==
        "p.mc:3:3: square 1 has level 3, but the parts of level 3 have level 2");
  CHECK(refused("*$\n1000001 0 0 0 0\n") == "p.mc:3:1: the level must be at most 1000000");
  CHECK(refused("*........$\n") == "p.mc:2:9: this leaf is too large" + leaf);
  CHECK(refused("$$$$$$$*$$\n") == "p.mc:2:10: this leaf is too large" + leaf);
  CHECK(refused("$$$$$$$$*\n") == "p.mc:2:9: this leaf is too large" + leaf);
  CHECK(refused("*.o$\n") == "p.mc:2:3: unexpected 'o'" + leaf);
  CHECK(refused("*$ *$\n") == "p.mc:2:4: unexpected '*'" + leaf);
  CHECK(refused("*$\n4 1 0 0 0\njunk\n") ==
        "p.mc:4:1: unexpected 'j'; leaves are spelled . * $, other squares level nw ne sw se, and "
        "comments begin with #");
  CHECK(refused("*$\n4 1 0 0 0\n[M2]\n").starts_with("p.mc:4:1: unexpected '['; leaves are"));
  CHECK(refused("#R R2,C2,S2,B3,NL\n*$\n")
            .starts_with("p.mc:2:17: rule 'R2,C2,S2,B3,NL' is a triangular rule"));
  CHECK(refused("#R B3/S23:S3,3\n*$\n").starts_with("p.mc:2:14: a sphere is a square"));
  CHECK(refused("#G -1\n*$\n") ==
        "p.mc:2:4: the generation must be within 0 to 9223372036854775807");
  CHECK(refused("#G 1 2\n*$\n") == "p.mc:2:6: unexpected '2'; a generation is spelled #G n");
  CHECK(refused("#FRAMES 6 0 2^2\n*$\n") ==
        "p.mc:2:2: a timeline of several generations; a file of one generation is accepted");
  CHECK(
      refused(std::string("*$\n4 1 0 0 0\n\0", 14)).starts_with("p.mc:4:1: unexpected byte 0x00"));
  // A file that was cut, in effect.
  CHECK(refused("*$\n4 1 0 0 0\n5 2 0 0 0\n**$\n") ==
        "p.mc:5:1: the last square is the root and must be the largest, but its level is 3 and "
        "that of line 4 is 5");
  CHECK(refused("*$\n4 1 0 0 0\n4 0 1 0 0\n") ==
        "p.mc:4:1: the last square is the root and must be the largest, but its level is 4 and "
        "that of line 3 is 4");
}

TEST_CASE("macrocell files as they are written") {
  Pattern p;
  CHECK(format_pattern(p, PatternFormat::macrocell) == "[M2] (tessera)\n");
  p.cells = kGlider;
  p.width = p.height = 3;
  p.position = Cell{-1, -1};
  p.name = "a name ";
  p.author = "somebody";
  p.generation = 55;
  p.rule = parse_rule_spec("B3/S23:T10,6");
  p.comments = {"#C", "", " x", "two\nlines"};
  // As bgolly writes these cells.
  CHECK(format_pattern(p, PatternFormat::macrocell) ==
        "[M2] (tessera)\n#R B3/S23:T10,6\n#G 55\n#N a name\n#O somebody\n#C #C\n#C\n#C  x\n"
        "#C two\n#C lines\n$$$$$$*$.*$\n.......*$\n**$\n4 0 1 2 3\n");
  CHECK(written(drawn("O"), {0, 0}) == "[M2] (tessera)\n$$$$$$$*$\n4 0 1 0 0\n");
  CHECK(written(drawn("O"), {-8, 8}) == "[M2] (tessera)\n$$$$$$$*$\n4 0 0 1 0\n");
  CHECK(written(drawn("O"), {-9, 8}) == "[M2] (tessera)\n$$$$$$$.......*$\n4 1 0 0 0\n5 0 0 2 0\n");
  CHECK(written(drawn("O"), {0, 9}) == "[M2] (tessera)\n*$\n4 0 0 1 0\n5 0 0 0 2\n");
  CHECK(written(drawn("O"), {0, -8}) == "[M2] (tessera)\n$$$$$$$*$\n4 1 0 0 0\n5 0 2 0 0\n");
  // Equal squares are written once.
  const std::string text = written(runs_of_list({{0, 1, 1024}, {0, 9, 1024}}), {0, 0});
  CHECK(text ==
        "[M2] (tessera)\n********$\n4 1 1 1 1\n5 2 2 0 0\n6 3 3 0 0\n7 4 4 0 0\n8 5 5 0 0\n"
        "9 6 6 0 0\n10 7 7 0 0\n11 0 0 0 8\n");
}

TEST_CASE("macrocell files of the whole range of coordinates") {
  const std::int64_t far = kMaxCoordinate;
  for (const Cell at : {Cell{far, far}, Cell{-far, -far}, Cell{far, -far}, Cell{-far, far},
                        Cell{far / 2, -far / 2}, Cell{1, far / 2 + 1}, Cell{-far / 2 - 1, 0}}) {
    const std::string text = written(drawn("O"), at);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 64);
    const Pattern back = read(text);
    CHECK(back.cells == drawn("O"));
    CHECK(*back.position == at);
  }
  // A row of 2^62 cells, and one that ends anywhere.
  for (const std::int64_t length : {far, far / 2 + 5, far / 3}) {
    const CellRuns row = runs_of_list({{0, 0, length}, {1, 1, length - 2}});
    const std::string text = written(row, {-far / 2, 77});
    CHECK(std::count(text.begin(), text.end(), '\n') < 400);
    const Pattern back = read(text);
    CHECK(back.cells == row);
    CHECK(*back.position == Cell{-far / 2, 77});
  }
  const CellRuns corners = runs_of_list({{0, 0, 1}, {far - 1, far - 1, 1}});
  CHECK(read(written(corners, {-far / 2, -far})).cells == corners);
  // Larger squares than coordinates reach are no obstacle, only cells there.
  const auto grown = [](int levels, const char* corner) {
    std::string text = "[M2]\n*$\n";
    for (int i = 1; i <= levels; i++) {
      text += fmt::format(fmt::runtime(i == levels ? corner : "{0} 0 0 0 {1}\n"), i + 3, i);
    }
    return text;
  };
  const Pattern inner = read(grown(500, "{0} {1} 0 0 0\n"));
  CHECK(*inner.position == Cell{-8, -7});
  const std::string beyond = "the pattern reaches further than 2^62 cells from the origin";
  CHECK(refusal(grown(500, "{0} 0 0 0 {1}\n"), "p.mc") == "p.mc:502:1: " + beyond);
  CHECK(refusal(grown(62, "{0} 0 0 0 {1}\n"), "p.mc") == "p.mc:64:1: " + beyond);
  CHECK(refusal(grown(61, "{0} 0 0 0 {1}\n"), "p.mc") == "p.mc:63:1: " + beyond);
  CHECK(*read(grown(60, "{0} 0 0 0 {1}\n")).position == Cell{far - 8, far - 7});
}

TEST_CASE("a small macrocell file that stands for many cells is told, not unpacked") {
  const auto summary = [](const std::string& text) {
    ByteSource bytes(text, "p.mc");
    TextSource source(bytes);
    return Macrocell(source).summary();
  };
  const std::int64_t side = std::int64_t{1} << 31;
  const PatternSummary huge = summary(full(28));
  CHECK(huge.population == side * side);
  CHECK(*huge.bounds == Bounds{0, 0, side - 1, side - 1});
  CHECK(*huge.pattern.position == Cell{-side / 2, -side / 2 + 1});
  CHECK(huge.pattern.width == side);
  CHECK(refusal(full(28), "p.mc") ==
        "p.mc:30:1: its 4611686018427387904 live cells could take 32 GiB of memory; at most 8 GiB "
        "is accepted");
  CHECK(refusal(full(57), "p.mc") == "p.mc:59:1: the pattern has more than 2^63-1 live cells");
  CHECK(message_of<ParseError>([&] { summary(full(29)); }) ==
        "p.mc:31:1: the pattern has more than 2^63-1 live cells");
  const Pattern small = read(full(3));
  CHECK(small.cells.population() == 4096);
  CHECK(list_of(small.cells).size() == 64);
}
