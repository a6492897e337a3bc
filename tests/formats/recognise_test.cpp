#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cell_model.h"
#include "pattern_error.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const char* const kAccepted =
    "accepted are RLE (x = 3, y = 3, rule = B3/S23), macrocell ([M2]), plaintext .cells, "
    "Life 1.05, Life 1.06 and MCell, plain or gzip-compressed";

}  // namespace

TEST_CASE("the content tells the format, whatever the suffix says") {
  const CellRuns glider = drawn(".O./..O/OOO");
  for (const char* name : {"p.rle", "p.mc", "p.cells", "p.lif", "p.txt", "p", "stdin"}) {
    for (const char* text :
         {"x = 3, y = 3\nbo$2bo$3o!", "bo$2bo$3o!", ".A$2.A$3A!", "#C\nx = 3, y = 3\nbo$2bo$3o!",
          "!\n.O\n..O\nOOO", ".O.\n..O\nOOO\n", ".*.\n..*\n***\n", "#Life 1.05\n.*\n..*\n***",
          "#Life 1.06\n1 0\n2 1\n0 2\n1 2\n2 2\n", "#D from XLife\n#P 0 0\n.*.\n..*\n***\n",
          "#Lifeforms are listed\nbo$2bo$3o!", "[M2]\n.*$..*$***$\n"}) {
      CAPTURE(name);
      CAPTURE(text);
      CHECK(parse_pattern(text, name).cells == glider);
    }
  }
}

TEST_CASE("what is no pattern is refused with what is") {
  for (const char* text : {"hello world\n", "0 0\n1 1\n"}) {
    CAPTURE(text);
    CHECK(refusal(text, "p.txt") ==
          std::string("p.txt:1:1: not a pattern but other text; ") + kAccepted);
  }
  CHECK(refusal(std::string_view("\0\0\0\0", 4), "p") ==
        std::string("p:1:1: not a pattern but binary data; ") + kAccepted);
  for (const char* text : {"", "\n\n", " \t\r\n", "\xef\xbb\xbf"}) {
    CHECK(refusal(text, "p.rle").find("1: the file is empty; ") != std::string::npos);
  }
  CHECK(refusal("", "p.rle") == std::string("p.rle:1:1: the file is empty; ") + kAccepted);
  // A suffix that names a format brings that format's own message.
  CHECK(refusal("hello", "p.RLE.gz")
            .starts_with("p.RLE.gz:1:1: unexpected 'h'; cells are spelled b o $"));
  CHECK(refusal("hello", "p.mc") ==
        "p.mc:1:1: '[M2]' was expected; a macrocell file begins with it");
  CHECK(refusal("hello", "p.cells").starts_with("p.cells:1:1: unexpected 'h'; rows are spelled"));
  CHECK(refusal("hello", "p.LIF").starts_with("p.LIF:1:1: unexpected 'h'; rows are spelled"));
}

TEST_CASE("a file of another kind is called by its name, whatever the suffix says") {
  struct Kind {
    std::string_view bytes;
    const char* what;
  };
  using namespace std::string_view_literals;
  const Kind kinds[] = {
      {"PK\x03\x04\x14\0\0\0"sv, "a zip archive"},
      {"BZh91AY&SY"sv, "a bzip2 archive"},
      {"\xfd\x37zXZ\0\0\x04"sv, "an xz archive"},
      {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
      {"GIF89a"sv, "a GIF picture"},
      {"\x7f\x45LF\x02"sv, "a program"},
      {"<!DOCTYPE html>\n"sv, "a web page"},
      {"\n<html lang=en>\n"sv, "a web page"},
      {"{\"cells\": []}"sv, "a JSON file"},
      {"@RULE WireWorld\n\n@TABLE\n"sv, "a rule table (@RULE), not a pattern of cells"},
      {"#!/usr/bin/env python3\nprint(1)\n"sv, "a script"},
      {"[M1] (golly 3.3)\n#R B3/S23\n"sv, "a macrocell file of a version that is not known"},
  };
  for (const Kind& kind : kinds) {
    for (const char* name : {"p.rle", "p.mc", "p.cells", "p.lif", "p"}) {
      CAPTURE(name);
      CHECK(refusal(kind.bytes, name) ==
            fmt::format("{}:1:1: this is {}; {}", name, kind.what, kAccepted));
    }
  }
  const std::string tar = std::string(257, '\0') + "ustar" + std::string(250, '\0');
  CHECK(refusal(tar, "p").starts_with("p:1:1: this is a tar archive; "));
  CHECK(refusal("-- a gun\nlocal g = golly()\n", "gun.LUA")
            .starts_with("gun.LUA:1:1: this is a Lua script; "));
  CHECK(refusal("import golly\n", "gun.py").starts_with("gun.py:1:1: this is a Python script; "));
}

TEST_CASE("a name with control characters stays on one line") {
  CHECK(refusal("", "a\nb\x1b[2J").starts_with("a?b?[2J:1:1: the file is empty"));
}

TEST_CASE("comments longer than what is looked at first are those of RLE") {
  std::string text;
  for (int i = 0; i < 6000; i++)
    text += "#C some comment that is as long as comments in pattern files often are\n";
  text += "x = 2, y = 2\n2o$2o!";
  const Pattern p = parse_pattern(text, "p");
  CHECK(p.cells == drawn("OO/OO"));
  CHECK(p.comments.size() == 6000);
}
