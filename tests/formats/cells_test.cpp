#include "core/patterns/cells.h"

#include <doctest/doctest.h>

#include "cell_model.h"
#include "pattern_error.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const CellRuns kGlider = drawn(".O./..O/OOO");
const char* const kAccepted =
    "; rows are spelled with . for dead and O or * for live cells, and comment lines begin with !";

Pattern read(const std::string& text) { return parse_pattern(text, "p.cells"); }

}  // namespace

TEST_CASE("plaintext as LifeWiki has it") {
  const Pattern p = read(
      "!Name: Glider\n"
      "!Author: Richard K. Guy\n"
      "!The smallest spaceship.\n"
      "! www.conwaylife.com\n"
      "!\n"
      ".O\n"
      "..O\n"
      "OOO\n");
  CHECK(p.cells == kGlider);
  CHECK(p.width == 3);
  CHECK(p.height == 3);
  CHECK(p.name == "Glider");
  CHECK(p.author == "Richard K. Guy");
  CHECK(p.comments ==
        std::vector<std::string>{"The smallest spaceship.", "www.conwaylife.com", ""});
  CHECK_FALSE(p.rule);
  CHECK_FALSE(p.position);
}

TEST_CASE("plaintext in all its spellings") {
  for (const char* text : {".O.\n..O\nOOO", "!\r\n.O.\r\n..O\r\nOOO\r\n", ".*.\n..*\n***\n\n\n",
                           "\xef\xbb\xbf.O\n..O\nOOO\n", ".O.\n!in between\n..O\nO*O\n"}) {
    CAPTURE(text);
    const Pattern p = parse_pattern(text, "somewhere");
    CHECK(p.cells == kGlider);
    CHECK(p.width == 3);
    CHECK(p.height == 3);
  }
  const Pattern gap = read("!\nO\n\n..OO....\n.......\n");
  CHECK(gap.cells == drawn("O//..OO"));
  CHECK(gap.width == 8);
  CHECK(gap.height == 4);
  CHECK(read("!Name: nothing else").cells.empty());
}

TEST_CASE("plaintext says the rest in comments that are read back") {
  const Pattern p = read(
      "!Name: a\n!Name: b\n!Rule: 23/36:P30\n!Position: -3 4\n!Generation: 12\n! Rule: x\nO\n");
  CHECK(p.name == "a");
  CHECK(to_string(*p.rule) == "B36/S23:P30,30");
  CHECK(*p.position == Cell{-3, 4});
  CHECK(p.generation == 12);
  CHECK(p.comments == std::vector<std::string>{"Name: b", "Rule: x"});
  CHECK(format_pattern(p, PatternFormat::cells) ==
        "!Name: a\n!Rule: B36/S23:P30,30\n!Position: -3 4\n!Generation: 12\n! Name: b\n! Rule: "
        "x\nO\n");
  CHECK(read(format_pattern(p, PatternFormat::cells)) == p);
  CHECK(format_pattern({}, PatternFormat::cells) == "!Name:\n");
  CHECK(read("!Name:\n") == Pattern{});
}

TEST_CASE("plaintext that is refused, and where") {
  CHECK(refusal("!\n.O\n.o\n", "p.cells") ==
        std::string("p.cells:3:2: unexpected 'o'") + kAccepted);
  CHECK(refusal("!\n\t.O\n", "p.cells") == std::string("p.cells:2:1: unexpected tab") + kAccepted);
  CHECK(refusal("!\n.O \n", "p.cells") == std::string("p.cells:2:3: unexpected space") + kAccepted);
  CHECK(refusal("!\n.O\r.\n", "p.cells") == std::string("p.cells:2:4: unexpected '.'") + kAccepted);
  CHECK(refusal("!\n.O\n3o$!\n", "p.cells") ==
        std::string("p.cells:3:1: unexpected '3'") + kAccepted);
  CHECK(refusal(std::string_view("!\n.O\0\n", 6), "p.cells") ==
        std::string("p.cells:2:3: unexpected byte 0x00") + kAccepted);
  CHECK(refusal("!\n!Rule: B9\n.O\n", "p.cells")
            .starts_with("p.cells:2:9: rule 'B9' is not accepted: "));
  CHECK(refusal("!\n!Position: 3\n.O\n", "p.cells") ==
        "p.cells:2:13: a whole number for y of the position was expected");
  CHECK(refusal("!\n!Position: 3,4\n.O\n", "p.cells") ==
        "p.cells:2:13: a whole number for y of the position was expected");
  CHECK(refusal("!\n!Generation: 1.5\n.O\n", "p.cells") ==
        "p.cells:2:15: unexpected '.'; a generation is spelled !Generation: n");
  CHECK(
      refusal("!\n!Position: 4611686018427387904 0\n.O\n", "p.cells") ==
      "p.cells:2:2: at this position the pattern reaches further than 2^62 cells from the origin");
}

TEST_CASE("plaintext of more than 4 GiB is refused before it is made") {
  Pattern p;
  p.cells = runs_of_list({{0, 0, 1}, {65535, 65535, 1}});
  CHECK(message_of<InputError>([&] { format_pattern(p, PatternFormat::cells); }) ==
        "a pattern of 65536x65536 cells would take more than 4 GiB as .cells, which spells out "
        "every cell; .rle is "
        "accepted");
  CHECK(message_of<InputError>([&] { format_pattern(p, PatternFormat::life105); }) ==
        "a pattern of 65536x65536 cells would take more than 4 GiB as Life 1.05, which spells out "
        "every cell; .rle is "
        "accepted");
  p.cells = runs_of_list({{0, 0, std::int64_t{1} << 40}});
  CHECK_THROWS_AS(format_pattern(p, PatternFormat::cells), InputError);
  p.cells = runs_of_list({{0, kMaxCoordinate - 1, 1}});
  CHECK_THROWS_AS(format_pattern(p, PatternFormat::cells), InputError);
}
