#include <doctest/doctest.h>

#include "cell_model.h"
#include "pattern_error.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const CellRuns kGlider = drawn(".O./..O/OOO");

Pattern read(const std::string& text) { return parse_pattern(text, "p.lif"); }
std::string refused(std::string_view text) { return refusal(text, "p.lif"); }

}  // namespace

TEST_CASE("Life 1.05 with blocks that overlap") {
  const Pattern p = read(
      "#Life 1.05\r\n"
      "#D Two gliders\r\n"
      "#D   and a block\r\n"
      "#R 23/36:T100\r\n"
      "#P -1 -1\r\n"
      ".*\r\n"
      "..*\r\n"
      "***\r\n"
      "\r\n"
      "#P 1 -1\r\n"
      "..**\r\n"
      "***.\r\n"
      "#P 10 20\r\n"
      "**\r\n"
      "**");
  CHECK(p.cells.moved(-1, -1) ==
        unite(unite(kGlider.moved(-1, -1), drawn("..OO/OOO.").moved(1, -1)),
              drawn("OO/OO").moved(10, 20)));
  CHECK(*p.position == Cell{-1, -1});
  CHECK(p.width == 13);
  CHECK(p.height == 23);
  CHECK(to_string(*p.rule) == "B36/S23:T100,100");
  CHECK(p.comments == std::vector<std::string>{"Two gliders", "  and a block"});
}

TEST_CASE("Life 1.05 in all its spellings") {
  for (const char* text :
       {"#Life 1.05\n#N\n#P 0 0\n.*\n..*\n***\n", "#Life 1.05 \n.*\n#N\n..*\n\n***",
        "#N\n.*.\n..*\n***\n", "#P 0 0\n#N\n.*.\n..*\n***\n",
        "\xef\xbb\xbf#Life 1.05\n#N\n#P\t-0 +0\n.*\n..*\n***\n"}) {
    CAPTURE(text);
    const Pattern p = read(text);
    CHECK(p.cells == kGlider);
    CHECK(p.width == 3);
    CHECK(p.height == 3);
    CHECK(*p.rule == RuleSpec{});
    CHECK(p.position.value_or(Cell{0, 0}) == Cell{0, 0});
  }
  const Pattern none = read("#Life 1.05\n#P 7 8\n");
  CHECK(none.cells.empty());
  CHECK(*none.position == Cell{7, 8});
  CHECK_FALSE(read("#Life 1.05\n*\n").position);
  CHECK(parse_pattern(".*\n*\n", "p.l").cells == drawn(".O/O"));
}

TEST_CASE("Life 1.05 that is refused, and where") {
  const char* const accepted =
      "; rows are spelled with . for dead and * for live cells, and other lines begin with #";
  CHECK(refused("#Life 1.05\n.O\n") == std::string("p.lif:2:2: unexpected 'O'") + accepted);
  CHECK(refused("#Life 1.05\n 0 0\n") == std::string("p.lif:2:1: unexpected space") + accepted);
  CHECK(refused("0 0\n1 1\n") == std::string("p.lif:1:1: unexpected '0'") + accepted);
  CHECK(refused("#Life 1.05\n#P 1\n") ==
        "p.lif:2:5: a whole number for y of the block was expected");
  CHECK(refused("#Life 1.05\n#P 1 2 3\n") ==
        "p.lif:2:8: unexpected '3'; a block's position is spelled #P x y");
  CHECK(refused("#Life 1.05\n#P x y\n") ==
        "p.lif:2:4: a whole number for x of the block was expected");
  CHECK(refused("#Life 1.05\n#P 1 4611686018427387905\n") ==
        "p.lif:2:6: y of the block must be within -4611686018427387904 to 4611686018427387904");
  CHECK(refused("#Life 1.05\n#P 4611686018427387904 0\n.*\n") ==
        "p.lif:3:1: this row reaches further than 2^62 cells from the origin");
  CHECK(refused("#Life 1.05\n#P 0 4611686018427387904\n*\n*\n") ==
        "p.lif:4:1: this row reaches further than 2^62 cells from the origin");
  CHECK(refused("#Life 1.05\n#P -4611686018427387904 0\n*\n#P 0 0\n*\n") ==
        "p.lif:4:1: the blocks lie further than 2^62 cells apart");
  CHECK(refused("#Life 1.05\n#R 23/9\n").starts_with("p.lif:2:7: rule '23/9' is not accepted: "));
  CHECK(refused("#Life 1.05\n#Life 1.05\n") ==
        "p.lif:2:2: a #Life line was expected only at the start");
  CHECK(
      refused("#Life 1.07\n*\n") ==
      "p.lif:1:1: this version of Life files is not known; #Life 1.05 and #Life 1.06 are accepted");
  CHECK(refused("#Life 2\n*\n").starts_with("p.lif:1:1: this version of Life files is not known"));
}

TEST_CASE("Life 1.06 in any order") {
  const Pattern p = read("#Life 1.06\r\n0 -1\r\n1 0\r\n-1 1\r\n0 1\r\n1 1\r\n");
  CHECK(p.cells == kGlider);
  CHECK(*p.position == Cell{-1, -1});
  CHECK(p.width == 3);
  CHECK(p.height == 3);
  CHECK_FALSE(p.rule);
  for (const char* text : {"#Life 1.06\n1 1\n0 1\n\n-1 1\n1 0\n1 0\n0 -1\n0 -1",
                           "#Life 1.06\n  -1\t1 \n+0 -1\n1 1\n01 0\n0 1\n"}) {
    CAPTURE(text);
    CHECK(parse_pattern(text, "somewhere") == p);
  }
  CHECK(read("#Life 1.06\n").cells.empty());
  CHECK(read("#Life 1.06").cells.empty());
  CHECK(*read("#Life 1.06\n-999999999999999999 1000000000000000000\n").position ==
        Cell{-999999999999999999, 1000000000000000000});
  CHECK(*read("#Life 1.06\n-4611686018427387904 4611686018427387904\n").position ==
        Cell{-kMaxCoordinate, kMaxCoordinate});
}

TEST_CASE("Life 1.06 that is refused, and where") {
  const std::string spelled = "; lines are spelled x y";
  CHECK(refused("#Life 1.06\n0 0\n1\n") ==
        "p.lif:3:2: unexpected end of line; a space and y of a live cell were expected" + spelled);
  CHECK(refused("#Life 1.06\n0 0\n1") ==
        "p.lif:3:2: unexpected end of file; a space and y of a live cell were expected" + spelled);
  CHECK(refused("#Life 1.06\n0 0\n1 \n") ==
        "p.lif:3:3: unexpected end of line; y of a live cell was expected" + spelled);
  CHECK(refused("#Life 1.06\n0 0 0\n") ==
        "p.lif:2:5: unexpected '0'; the end of the line was expected" + spelled);
  CHECK(refused("#Life 1.06\n0,0\n") ==
        "p.lif:2:2: unexpected ','; a space and y of a live cell were expected" + spelled);
  CHECK(refused("#Life 1.06\nzero 0\n") ==
        "p.lif:2:1: unexpected 'z'; x of a live cell was expected" + spelled);
  CHECK(refused("#Life 1.06\n0 --1\n") ==
        "p.lif:2:4: unexpected '-'; y of a live cell was expected" + spelled);
  CHECK(refused("#Life 1.06\n0 1.5\n") ==
        "p.lif:2:4: unexpected '.'; the end of the line was expected" + spelled);
  const std::string range =
      " of a live cell must be within -4611686018427387904 to 4611686018427387904";
  CHECK(refused("#Life 1.06\n0 4611686018427387905\n") == "p.lif:2:3: y" + range);
  CHECK(refused("#Life 1.06\n-99999999999999999999999 0\n") == "p.lif:2:1: x" + range);
  CHECK(refused("#Life 1.06\n-4611686018427387904 0\n0 0\n") ==
        "p.lif:4:1: the cells lie further than 2^62 cells apart");
}

TEST_CASE("both Life formats say the rest in # lines that are read back") {
  Pattern p;
  p.cells = kGlider;
  p.width = p.height = 3;
  p.position = Cell{-7, 9};
  p.name = "a name";
  p.author = "somebody";
  p.generation = 55;
  p.rule = parse_rule_spec("B36/S23:P40,30");
  p.comments = {"Name: not the name", "", " x", "#D", "Generation: 7"};
  const char* const notes =
      "#D Name: a name\n#D Author: somebody\n#D Generation: 55\n"
      "#D Name: not the name\n#D\n#D  x\n#D #D\n#D Generation: 7\n#R 23/36:P40,30\n";
  CHECK(format_pattern(p, PatternFormat::life105) ==
        std::string("#Life 1.05\n") + notes + "#P -7 9\n.*.\n..*\n***\n");
  CHECK(format_pattern(p, PatternFormat::life106) ==
        std::string("#Life 1.06\n") + notes + "-6 9\n-5 10\n-7 11\n-6 11\n-5 11\n");
  CHECK(read(format_pattern(p, PatternFormat::life105)) == p);
  CHECK(read(format_pattern(p, PatternFormat::life106)) == p);
  // Without a name, an empty one is written, so that the comment is not taken for it.
  p.name.clear();
  p.generation = 0;
  p.rule = RuleSpec{};
  CHECK(format_pattern(p, PatternFormat::life105)
            .starts_with("#Life 1.05\n#D Name:\n#D Author: somebody\n#D Generation: 0\n"));
  CHECK(read(format_pattern(p, PatternFormat::life105)) == p);
  CHECK(read(format_pattern(p, PatternFormat::life106)) == p);
  CHECK(format_pattern({}, PatternFormat::life105) == "#Life 1.05\n");
  CHECK(format_pattern({}, PatternFormat::life106) == "#Life 1.06\n");
  // A description that is no number is only a description.
  CHECK(read("#Life 1.05\n#D Generation: the third\n*\n").comments ==
        std::vector<std::string>{"Generation: the third"});
}

TEST_CASE("Life 1.06 of more than 4 GiB is refused before it is made") {
  Pattern p;
  p.cells = runs_of_list({{0, 0, std::int64_t{1} << 40}});
  CHECK(message_of<InputError>([&] { format_pattern(p, PatternFormat::life106); }) ==
        "a pattern of 1099511627776 live cells would take more than 4 GiB as Life 1.06, which "
        "lists each of them; "
        ".rle is accepted");
}
