#include "core/patterns/rle.h"

#include <doctest/doctest.h>

#include "cell_model.h"
#include "pattern_error.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const CellRuns kGlider = drawn(".O./..O/OOO");

Pattern read(const std::string& text) { return parse_pattern(text, "p.rle"); }

}  // namespace

TEST_CASE("RLE as Golly writes it") {
  const Pattern p = read(
      "#CXRLE Pos=-3,40 Gen=123\n"
      "#N Gosper glider gun\n"
      "#O Bill Gosper\n"
      "#C A true period 30 glider gun.\n"
      "#C\n"
      "#C   The first known one.\n"
      "x = 36, y = 9, rule = B3/S23\n"
      "24bo11b$22bobo11b$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o14b$2o8b\n"
      "o3bob2o4bobo11b$10bo5bo7bo11b$11bo3bo20b$12b2o22b!\n");
  CHECK(p.cells.population() == 36);
  CHECK(*p.cells.bounds() == Bounds{0, 0, 35, 8});
  CHECK(p.width == 36);
  CHECK(p.height == 9);
  CHECK(*p.position == Cell{-3, 40});
  CHECK(p.generation == 123);
  CHECK(p.name == "Gosper glider gun");
  CHECK(p.author == "Bill Gosper");
  CHECK(p.comments ==
        std::vector<std::string>{"A true period 30 glider gun.", "", "  The first known one."});
  CHECK(*p.rule == RuleSpec{});
}

TEST_CASE("RLE headers in all their spellings") {
  const char* const glider = "\nbo$2bo$3o!";
  for (const char* header :
       {"x = 3, y = 3, rule = B36/S23:T256,128", "x=3,y=3,rule=B36/S23:T256,128",
        "  x =3 ,\ty= 3 , rule =  b36s23:t256,128  ", "X = 3, Y = 3, rule = 23/36:T256,128",
        "x = 3, y = 3, rule = HighLife:T256,128", "x = +3, y = 003, rule = HighLife:T256,128\r"}) {
    const Pattern p = read(std::string(header) + glider);
    CAPTURE(header);
    CHECK(p.cells == kGlider);
    CHECK(p.width == 3);
    CHECK(p.height == 3);
    CHECK(to_string(*p.rule) == "B36/S23:T256,128");
    CHECK(*p.position == Cell{-1, -1});
  }
  for (const char* header : {"x = 3, y = 3", "x = 3, y = 3,", "#C only a comment", "", "\n\n  "}) {
    const Pattern p = read(std::string(header) + glider);
    CHECK(p.cells == kGlider);
    CHECK_FALSE(p.rule);
    CHECK_FALSE(p.position);
  }
  CHECK(read("\xef\xbb\xbfx = 3, y = 3, rule = Life\nbo$2bo$3o!").cells == kGlider);
}

TEST_CASE("RLE of a bounded universe is centred by its header") {
  const auto position = [](const std::string& text) {
    return read(text).position.value_or(Cell{99, 99});
  };
  CHECK(position("x = 10, y = 6, rule = B3/S23:T10,6\no!") == Cell{-5, -3});
  CHECK(position("x = 7, y = 5, rule = B3/S23:P40,30\no!") == Cell{-3, -2});
  CHECK(position("x = 1, y = 1, rule = B3/S23:T10,6\no!") == Cell{0, 0});
  CHECK(position("#CXRLE Gen=4\nx = 6, y = 4, rule = B3/S23:T40,30\n3o!") == Cell{-3, -2});
  // The cells reach further than the header says.
  CHECK(position("x = 3, y = 1, rule = B3/S23:T40,30\n10o$9bo!") == Cell{-1, 0});
  CHECK(position("x = 0, y = 0, rule = B3/S23:T40,30\n3o!") == Cell{0, 0});
  CHECK(position("#r B3/S23:T40,30\n3o!") == Cell{0, 0});
  // What the file says counts.
  CHECK(position("#CXRLE Pos=5,7\nx = 6, y = 4, rule = B3/S23:T40,30\n3o!") == Cell{5, 7});
  CHECK(position("#P 5 7\nx = 6, y = 4, rule = B3/S23:T40,30\n3o!") == Cell{5, 7});
  CHECK(position("x = 6, y = 4, rule = B3/S23\n3o!") == Cell{99, 99});
}

TEST_CASE("RLE without a header") {
  for (const char* text : {"bo$2bo$3o!", "b o $ 2 b o\n$\n3\no !", ".A$2.A$3A!", "bob$2bo$3o3$!",
                           "bo$\r\n2bo$\r\n3o!\r\n", "bo$2bo$3o! and so on, x = 9",
                           "bo$2bo$3o!\n#C behind the end\n\1", "bo$\n#C in between\n2bo$3o!"}) {
    CAPTURE(text);
    const Pattern p = parse_pattern(text, "somewhere");
    CHECK(p.cells == kGlider);
    CHECK(p.width == 3);
    CHECK(p.height == 3);
  }
  CHECK(parse_pattern("2o$2o!", "block").cells == drawn("OO/OO"));
  CHECK(parse_pattern("!", "p.rle").cells.empty());
}

TEST_CASE("RLE sizes are hints") {
  const Pattern wider = read("x = 100, y = 50\nbo$2bo$3o!");
  CHECK(wider.width == 100);
  CHECK(wider.height == 50);
  const Pattern narrower = read("x = 1, y = 1\nbo$2bo$3o!");
  CHECK(narrower.width == 3);
  CHECK(narrower.height == 3);
  const Pattern huge = read("x = 1000000000000, y = 4611686018427387904\nbo$2bo$3o!");
  CHECK(huge.width == 1000000000000);
  CHECK(huge.height == kMaxCoordinate);
  const Pattern none = read("x = 5, y = 0, rule = B3/S23\n!");
  CHECK(none.width == 0);
  CHECK(none.height == 0);
  CHECK(none.cells.empty());
}

TEST_CASE("RLE with huge counts is one run") {
  const Pattern p = read("2000000000o!");
  CHECK(list_of(p.cells) == std::vector<CellRun>{{0, 0, 2000000000}});
  const Pattern far = read("4611686018427387902b1o$4611686018427387902b1o!");
  CHECK(list_of(far.cells) ==
        std::vector<CellRun>{{kMaxCoordinate - 2, 0, 1}, {kMaxCoordinate - 2, 1, 1}});
  CHECK(list_of(read("4611686018427387903$o!").cells) ==
        std::vector<CellRun>{{0, kMaxCoordinate - 1, 1}});
}

TEST_CASE("RLE comments of XLife") {
  const Pattern p = read(
      "#P -17 +4\n#r 23/36:P30\n#c small c\n#D described\n# spaced\n#Note: plain\n#N\n#N first\n#N "
      "second\n"
      "#O\tauthor \n#O other\nx = 3, y = 3\nbo$2bo$3o!");
  CHECK(*p.position == Cell{-17, 4});
  CHECK(to_string(*p.rule) == "B36/S23:P30,30");
  CHECK(p.name == "first");
  CHECK(p.author == "author");
  CHECK(p.comments == std::vector<std::string>{"small c", "described", "spaced", "Note: plain",
                                               "second", "other"});
  CHECK(*read("#R 5 6\no!").position == Cell{5, 6});
  CHECK(*read("#CXRLE Gen=9 Pos=-1,-2\no!").position == Cell{-1, -2});
  CHECK(read("#CXRLE Gen=9\no!").generation == 9);
  CHECK(read("#CXRLE\no!").comments.empty());
  // The last statement in the file counts.
  CHECK(to_string(*read("#r 23/3\nx = 1, y = 1, rule = B36/S23\no!").rule) == "B36/S23");
}

TEST_CASE("RLE that is refused, and where") {
  const char* const end = "unexpected end of file; '!' was expected to end the pattern";
  CHECK(refusal("x = 3, y = 3\nbo$2bo$3o") == std::string("p.rle:2:10: ") + end);
  CHECK(refusal("x = 3, y = 3") == std::string("p.rle:1:13: ") + end);
  CHECK(refusal("x = 3, y = 3\r\n\r\n") == std::string("p.rle:3:1: ") + end);
  CHECK(refusal("#C nothing but a comment\n") == std::string("p.rle:2:1: ") + end);

  const char* const cells = "; cells are spelled b o $, or . A to X pA to yO, and end with '!'";
  CHECK(refusal("bo$\n2bq$3o!") ==
        std::string("p.rle:2:4: states from 25 on are spelled pA to pX, qA to qX and so on, up to "
                    "yO for 255"));
  CHECK(refusal("x = 1, y = 1\nyP!").starts_with("p.rle:2:2: states from 25 on"));
  CHECK(refusal("x = 1, y = 1\nZ!").starts_with("p.rle:2:1: unexpected 'Z'"));
  CHECK(refusal("x = 1, y = 1, rule = B3/S23\nB!") ==
        "p.rle:2:1: a cell of state 2; the rule B3/S23 has states 0 to 1");
  CHECK(refusal("x = 1, y = 1, rule = /2/3\n.ApA!") ==
        "p.rle:2:4: a cell of state 25; the rule /2/3 has states 0 to 2");
  CHECK(refusal("x = 1, y = 1\no\nx = 1, y = 1\no!").starts_with("p.rle:3:2: states from 25 on"));
  CHECK(refusal("x = 1, y = 1\nb-1o!") == std::string("p.rle:2:2: unexpected '-'") + cells);
  CHECK(refusal("x = 1, y = 1\nb \x07!") == std::string("p.rle:2:3: unexpected byte 0x07") + cells);
  CHECK(refusal(std::string_view("x = 1, y = 1\nb\0o!", 17)) ==
        std::string("p.rle:2:2: unexpected byte 0x00") + cells);
  CHECK(refusal("x = 1, y = 1\nb #C\n!") == std::string("p.rle:2:3: unexpected '#'") + cells);
  CHECK(refusal("x = 1, y = 1\n3\n#C\n!") == std::string("p.rle:3:1: unexpected '#'") + cells);
}

TEST_CASE("RLE counts that are refused, and where") {
  const std::string most = "a run count is too large; at most 9223372036854775807 is accepted";
  const std::string far = "the pattern reaches further than 2^62 cells from its corner";
  CHECK(refusal("bo$\n b9223372036854775808o!") == "p.rle:2:3: " + most);
  CHECK(refusal("18446744073709551617o!") == "p.rle:1:1: " + most);
  CHECK(refusal("100000000000000000000000000000$!") == "p.rle:1:1: " + most);
  CHECK(refusal("9223372036854775807o!") == "p.rle:1:1: " + far);
  CHECK(refusal("4611686018427387904b!") == "p.rle:1:1: " + far);
  CHECK(refusal("4611686018427387903b2b!") == "p.rle:1:21: " + far);
  CHECK(refusal("4611686018427387903bo!") == "p.rle:1:21: " + far);
  CHECK(refusal("4611686018427387903$$o!") == "p.rle:1:21: " + far);
  CHECK(refusal("4611686018427387903o$4611686018427387903o$2o!") ==
        "p.rle:1:43: more than 2^63-1 live cells");
  CHECK(refusal("bo$0o!") == "p.rle:1:4: a run count of 0; 1 or more is accepted");
  CHECK(refusal("bo$00o!") == "p.rle:1:4: a run count of 0; 1 or more is accepted");
  CHECK(refusal("bo$3!") == "p.rle:1:4: a run count without cells before '!'");
  CHECK(refusal("bo$3 4o!") == "p.rle:1:6: white space inside a run count");
  CHECK(refusal("bo$3\n4o!") == "p.rle:2:1: white space inside a run count");
}

TEST_CASE("RLE headers that are refused, and where") {
  const std::string spelling = "a header is spelled x = 3, y = 3, rule = B3/S23";
  CHECK(refusal("x") == "p.rle:1:2: '=' was expected; " + spelling);
  CHECK(refusal("x = , y = 3\n!") == "p.rle:1:5: a whole number for x (the width) was expected");
  CHECK(refusal("x = -1, y = 3\n!") ==
        "p.rle:1:5: x (the width) must be within 0 to 4611686018427387904");
  CHECK(refusal("x = 1000000000000000000000000000000, y = 3\n!") ==
        "p.rle:1:5: x (the width) must be within 0 to 4611686018427387904");
  CHECK(refusal("x = 3, y = 4611686018427387905\n!") ==
        "p.rle:1:12: y (the height) must be within 0 to 4611686018427387904");
  CHECK(refusal("x = 3 y = 3\n!") == "p.rle:1:7: ',' was expected; " + spelling);
  CHECK(refusal("x = 3, z = 3\n!") == "p.rle:1:8: 'y' was expected; " + spelling);
  CHECK(refusal("x = 3, y = 3 rule = Life\n!") == "p.rle:1:14: ',' was expected; " + spelling);
  CHECK(refusal("x = 3, y = 3, role = Life\n!") == "p.rle:1:15: 'rule' was expected; " + spelling);
  CHECK(refusal("x = 3, y = 3, rule Life\n!") == "p.rle:1:20: '=' was expected; " + spelling);
  // The rule parser's own messages, with the place in the file.
  CHECK(refusal("#C\n  x = 3, y = 3, rule = B3/S29\n!")
            .starts_with("p.rle:2:29: rule 'B3/S29' is not accepted: "));
  CHECK(refusal("x = 3, y = 3, rule = B3/S23:S0\n!").starts_with("p.rle:1:30: a side of 0 "));
  CHECK(refusal("x = 3, y = 3, rule = B3/S23:S3,3\n!").starts_with("p.rle:1:32: a sphere is a "));
  CHECK(refusal("x = 3, y = 3, rule =\n!")
            .starts_with("p.rle:1:21: rule '' is not known; accepted are "));
  CHECK(refusal("#r 23/9\no!").starts_with("p.rle:1:7: rule '23/9' is not accepted: "));
}

TEST_CASE("RLE comments that are refused, and where") {
  CHECK(refusal("#CXRLE Pos=1\no!") ==
        "p.rle:1:13: ',' was expected; a position is spelled Pos=x,y");
  CHECK(refusal("#CXRLE Pos=a,2\no!") == "p.rle:1:12: a whole number for x of Pos was expected");
  CHECK(refusal("#CXRLE Pos=1,4611686018427387905\no!") ==
        "p.rle:1:14: y of Pos must be within -4611686018427387904 to 4611686018427387904");
  CHECK(refusal("#CXRLE Gen=-1\no!") ==
        "p.rle:1:12: the generation must be within 0 to 9223372036854775807");
  CHECK(refusal("#CXRLE Pos=1,2 pos=3\no!") ==
        "p.rle:1:16: unexpected 'p'; #CXRLE accepts Pos=x,y and Gen=n");
  CHECK(refusal("#P 1\no!") == "p.rle:1:5: a whole number for y of the position was expected");
  CHECK(refusal("#R 23/3\no!") == "p.rle:1:6: a whole number for y of the position was expected");
  CHECK(refusal("#P 1 2 3\no!") == "p.rle:1:8: unexpected '3'; a position is spelled #P x y");
  CHECK(refusal("#C\n#CXRLE Pos=4611686018427387904,0\nbo!") ==
        "p.rle:2:1: at this position the pattern reaches further than 2^62 cells from the origin");
  CHECK(refusal(std::string_view("#C a\0b\no!", 9)) == "p.rle:1:5: a NUL byte; patterns are text");
  CHECK(refusal("#C a\n#C " + std::string(17 << 20, 'x') + "\no!") ==
        "p.rle:2:2: header and comment lines take more than 16 MiB");
  std::string many;
  for (int i = 0; i < 300000; i++) many += "#C\n";
  CHECK(refusal(many + "o!").ends_with(":2: header and comment lines take more than 16 MiB"));
}

TEST_CASE("RLE is written in lines of 70") {
  Pattern p;
  for (int y = 0; y < 20; y++) {
    for (int x = 0; x < 100; x++) {
      if ((x * x + y * 7) % 11 < 4) p.cells.append(x, y, 1);
    }
  }
  fit_box(p);
  const std::string text = format_pattern(p, PatternFormat::rle);
  std::size_t longest = 0, start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    longest = std::max(longest, end - start);
    start = end + 1;
  }
  CHECK(start == text.size());
  CHECK(longest <= 70);
  CHECK(longest >= 68);
  CHECK(parse_pattern(text, "p") == p);
}

TEST_CASE("RLE as it is written") {
  Pattern p;
  CHECK(format_pattern(p, PatternFormat::rle) == "x = 0, y = 0\n!\n");
  p.cells = runs_of_list({{1, 2, 1}, {4, 2, 3}, {0, 12, 2000}});
  p.name = "a name ";
  p.author = "\tsomebody";
  p.comments = {"one", "", "two\nlines"};
  p.rule = parse_rule_spec("B36/S23:T5000,4000");
  CHECK(format_pattern(p, PatternFormat::rle) ==
        "#CXRLE Pos=0,0\n#N a name\n#O somebody\n#C one\n#C\n#C two\n#C lines\n"
        "x = 2000, y = 13, rule = B36/S23:T5000,4000\n2$bo2b3o10$2000o!\n");
  p = {};
  p.cells = runs_of_list({{-3, -2, 2}});
  p.position = Cell{10, 20};
  p.generation = 77;
  p.width = 4;
  p.height = 4;
  CHECK(format_pattern(p, PatternFormat::rle) == "#CXRLE Pos=7,18 Gen=77\nx = 7, y = 6\n2o!\n");
  p.position.reset();
  CHECK(format_pattern(p, PatternFormat::rle) == "#CXRLE Pos=-3,-2 Gen=77\nx = 7, y = 6\n2o!\n");
}
