#include "core/rules/file_rule.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/rules/rule_folders.h"
#include "core/rules/rule_spec.h"
#include "core/rules/state_looks.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

namespace {

const std::string kHead = "@TABLE\nn_states:4\nneighborhood:vonNeumann\nsymmetries:rotate4\n";

std::string refusal(const std::string& text) {
  return message_of<ParseError>([&] { parse_rule_file(text, "folder/r.rule"); });
}

}  // namespace

TEST_CASE("a rule file's table, colours and names") {
  const FileRule rule = parse_rule_file(
      "@RULE other\nwords\n@NAMES\n0 empty\n3 a head # said aside\n@COLORS\n0 0 0 100 200 255\n"
      "0 1 2 3 dark\n@ICONS\nXPM\n\"1 1 1 1\"\n@TABLE\r\n# nothing\nN_STATES:4\r\n"
      "neighborhood: Moore \nsymmetries:rotate8reflect\nvar a={ 3,1 }\nvar b={a, 0, 3}\n"
      "0,a,b,b, 0,0,0,0,0,a # comment\n",
      "folder/My rule.rule");
  CHECK(rule.name == "My rule");
  CHECK(rule.spelling == "My rule");
  CHECK(rule.states == 4);
  REQUIRE(rule.table);
  CHECK(rule.table->symmetry.rotations == 8);
  CHECK(rule.table->symmetry.reflected);
  REQUIRE(rule.table->lines.size() == 1);
  const TableLine& line = rule.table->lines.front();
  CHECK(line.bound_count == 2);
  CHECK(line.next_bound == 0);
  CHECK(rule.table->choices[line.choice[2]].order == std::vector<std::uint8_t>{3, 1, 0});
  CHECK(rule.colours[0] == FileColour{1, 2, 3});
  CHECK(rule.colours[1] == FileColour{0, 0, 0});
  CHECK(rule.colours[3] == FileColour{100, 200, 255});
  CHECK(rule.colours[2] == FileColour{50, 100, 127});
  CHECK(rule.names == std::vector<std::string>{"empty", "", "", "a head"});
  CHECK(rule.quiet);
  CHECK_FALSE(parse_rule_file(kHead + "000001\n", "r.rule").quiet);
}

TEST_CASE("states have the colours and names of their rule file") {
  const std::string table = "@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:none\n";
  const auto rule = [&](const char* name, const std::string& rest) {
    return kept_file_rule(parse_rule_file(table + rest, std::string(name) + ".rule"));
  };
  const Rule plain = rule("plain", "@ICONS\ncircles\n"), some = rule("some", "@COLORS\n2 7 8 9\n"),
             whole = rule("whole", "@COLORS\n0 1 2 3\n@NAMES\n1 a 5% head\n");
  CHECK(shown_by_state(plain));
  CHECK_FALSE(colour_of_state(plain, 0));
  CHECK_FALSE(colour_of_state(plain, 2));
  CHECK(name_of_state(plain, 1).empty());
  // Golly's dead cells, beside which such colours were chosen.
  CHECK(colour_of_state(some, 0) == FileColour{48, 48, 48});
  CHECK_FALSE(colour_of_state(some, 1));
  CHECK(colour_of_state(some, 2) == FileColour{7, 8, 9});
  CHECK(colour_of_state(whole, 0) == FileColour{1, 2, 3});
  CHECK(name_of_state(whole, 1) == "a 5% head");
  for (const int beyond : {-1, 3, 255}) {
    CHECK_FALSE(colour_of_state(whole, beyond));
    CHECK(name_of_state(whole, beyond).empty());
  }
  CHECK_FALSE(shown_by_state(kLife));
  CHECK(name_of_state(parse_rule("WireWorld"), 2) == "electron tail");
  CHECK(name_of_state(parse_rule("/2/3"), 2).empty());
  // Two states have colours where a file gives them.
  const std::string two = "@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:none\n";
  CHECK_FALSE(shown_by_state(kept_file_rule(parse_rule_file(two, "two.rule"))));
  CHECK(shown_by_state(kept_file_rule(parse_rule_file(two + "@COLORS\n1 1 1 1\n", "two.rule"))));
}

TEST_CASE("a rule file that is refused, and where") {
  struct Bad {
    std::string text, place, why;
  };
  std::string wide = "@TABLE\nn_states:256\nneighborhood:Moore\nsymmetries:none\n";
  for (const char* name : {"a", "b", "c", "d"}) {
    wide += fmt::format("var {}={{0", name);
    for (int s = 1; s < 256; s++) wide += fmt::format(",{}", s);
    wide += "}\n";
  }
  const Bad bads[] = {
      {"", ":1:1", "neither a @TABLE nor a @TREE"},
      {"@RULE r\n@COLORS\n1 2 3 4\n", ":1:1", "neither a @TABLE nor a @TREE"},
      {"@TABLE\n", ":1:1", "the table ended without"},
      {"@TABLE\nn_states:1\n", ":2:10", "the number of states must be within 2 to 256"},
      {"@TABLE\nn_states:99999999999999999999\n", ":2:10", "must be within 2 to 256"},
      {"@TABLE\nn_states:-4\n", ":2:10", "a whole number for the number of states was expected"},
      {"@TABLE\nn_states:4\nn_states:4\n", ":3:10", "stands twice"},
      {"@TABLE\nneighborhood:Margolus\n", ":2:14", "accepted are vonNeumann, Moore"},
      {"@TABLE\nsymmetries:none\n", ":2:12", "neighborhood: must come before"},
      {"@TABLE\nneighborhood:Moore\nsymmetries:rotate6\n", ":3:12", "accepted are none, rotate4"},
      {"@TABLE\nn_states:4\n012345\n", ":3:1", "must come before variables and transitions"},
      {kHead + "00000\n", ":5:1", "has 6 states"},
      {kHead + "0000000\n", ":5:1", "has 6 states"},
      {kHead + "000004\n", ":5:1", "a state must be within 0 to 3"},
      {kHead + "00000x\n", ":5:1", "'x' is neither a state nor a variable"},
      {kHead + "0,0,0,0,0,\n", ":5:11", "6 states or variables"},
      {kHead + "0,0,0,0,0,1,2\n", ":5:13", "6 states or variables"},
      {kHead + "0,0,0,q,0,1\n", ":5:", "'q' is neither"},
      {kHead + "var a={0,4}\n", ":5:10", "a state must be within 0 to 3"},
      {kHead + "var a={}\n", ":5:", "at least one state"},
      {kHead + "var \n", ":5:", "has 6 states"},
      {kHead + "var a={b}\nvar b={a}\n", ":5:8", "'b' is neither"},
      {kHead + "var a={a}\n", ":5:8", "'a' is neither"},
      {kHead + "var a={0,1}\n0,0,0,0,0,a\n", ":6:", "names nowhere else"},
      {kHead + "000001\nsymmetries:none\n", ":6:12", "stands twice"},
      {wide + "0,a,a,b,b,c,c,d,d,1\n", ":9:", "more than 1048576 transitions"},
      {"@TREE\nnum_states=2\nnum_neighbors=5\n", ":3:15", "must be 4 or 8"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\n1 0 1\n", ":4:1", "must come before nodes"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=100000001\n", ":4:11", "100000000"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=100000000\n1 0 1\n",
       ":5:", "the tree ended after 1 of 100000000 nodes"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0 2\n", ":5:5",
       "a next state must be within 0 to 1"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0\n", ":5:4", "2 states"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0 1 1\n", ":5:7", "2 states"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0 1\n2 1 0\n", ":6:3",
       "node 1 is none"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0 1\n3 0 0\n", ":6:3", "level 2"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0 1\n2 0 0\n", ":6:5", "level 5"},
      {"@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=1\n1 0 1\n1 0 1\n", ":6:1", "more nodes"},
      {kHead + "000001\n@COLORS\n1 2 3\n", ":7:", "a colour is spelled as"},
      {kHead + "000001\n@COLORS\n1 2 3 256\n", ":7:7", "within 0 to 255"},
      {kHead + "000001\n@NAMES\nx y\n", ":7:1", "a whole number for a state"},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.text);
    const std::string message = refusal(bad.text);
    CAPTURE(message);
    CHECK(message.starts_with(fmt::format("folder/r.rule{}", bad.place)));
    CHECK(message.find(bad.why) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("names nested in names, and as many as a file can hold, take no memory to speak of") {
  std::string text = kHead + "var a0={0,1}\n";
  for (int i = 1; i < 2000; i++) {
    text += fmt::format("var a{}={{a{},a{}}}\n", i, i - 1, i - 1);
  }
  CHECK(parse_rule_file(text + "0,a1999,0,0,0,1\n", "r.rule").table->lines.size() == 1);
  std::string many = kHead;
  for (int i = 0; i <= 1 << 16; i++) many += fmt::format("var v{}={{0}}\n", i);
  CHECK(refusal(many).find("a table has at most 65536 variables") != std::string::npos);
}

TEST_CASE("a rule is found by its path, beside its pattern, and in the folders that are named") {
  const ScratchFolder folder;
  write_bytes(folder.file("Frob 7.rule"), kHead + "000101\n");
  write_bytes(folder.file("Life.rule"), kHead + "000103\n");
  CHECK(message_of<ParseError>([] { parse_rule("Frob 7"); }).find("is not known") !=
        std::string::npos);
  {
    const RulesBeside beside(folder.file("pattern.rle"));
    const Rule rule = parse_rule("Frob 7");
    CHECK(rule.from_file());
    CHECK(rule.states() == 4);
    CHECK(rule.planes() == 2);
    CHECK(to_string(rule) == "Frob 7");
    CHECK(parse_rule("Life") == kLife);
  }
  // It is found again by what it is called now.
  const RuleSpec spec = parse_rule_spec("Frob 7:T30,20");
  CHECK(to_string(spec) == "Frob 7:T30,20");
  CHECK(parse_rule_spec(to_string(spec)) == spec);
  const Rule other = parse_rule(folder.file("Life.rule"));
  CHECK(other.from_file());
  CHECK(to_string(other) == "Life.rule");
  CHECK(parse_rule("Life.rule") == other);
  CHECK(parse_rule(to_string(other)) == other);
  const ScratchFolder named;
  write_bytes(named.file("Elsewhere.rule"), kHead + "000101\n");
  setenv("TESSERA_RULES", fmt::format("/nowhere:{}", named.path().string()).c_str(), 1);
  CHECK(parse_rule("Elsewhere").from_file());
  unsetenv("TESSERA_RULES");
  CHECK(message_of<ParseError>([] { parse_rule("nowhere/x.rule"); }) ==
        "rule:1:1: there is no rule file nowhere/x.rule");
}

TEST_CASE("a misspelled rule file has a nearest one") {
  const ScratchFolder folder;
  for (const char* name : {"Quzzlys.rule", "Quzzlyal.table", "Qu\nzzlyx.rule", "Quzzlyx.txt"})
    write_bytes(folder.file(name), kHead + "000101\n");
  const auto message = [](const std::string& text) {
    return message_of<ParseError>([&] { parse_rule(text); });
  };
  CHECK(message(folder.file("quzzly.rule")) == "rule:1:1: there is no rule file " +
                                                   folder.file("quzzly.rule") +
                                                   "; did you mean Quzzlys.rule?");
  CHECK(message("Quzzlyx").find("did you mean") == std::string::npos);
  setenv("TESSERA_RULES", folder.path().c_str(), 1);
  CHECK(message("Quzzlyx").find("is not known; did you mean Quzzlys? Accepted are ") !=
        std::string::npos);
  CHECK(message("quzzlyall").find("is not known; did you mean Quzzlyal? Accepted are ") !=
        std::string::npos);
  CHECK(message("Quzzlyx.rule").ends_with("; did you mean Quzzlys.rule?"));
  unsetenv("TESSERA_RULES");
  {
    const RulesBeside beside(folder.file("pattern.rle"));
    CHECK(message("Quzzlyx").find("did you mean Quzzlys?") != std::string::npos);
  }
  CHECK(message("hutton23").find("is not known; did you mean Hutton32? ") != std::string::npos);
  CHECK(message("hutton23.tree").ends_with("; did you mean Hutton32?"));
}

TEST_CASE("tables and trees of old Golly are files of their own") {
  const ScratchFolder folder;
  const std::string lines = kHead.substr(7) + "0,1,0,0,0,1\n";
  const std::string tree =
      "num_states=2\nnum_neighbors=4\nnum_nodes=5\n1 0 1\n2 0 0\n3 1 1\n4 2 2\n5 3 3\n";
  write_bytes(folder.file("Old.table"), "# of 2009\n" + lines);
  write_bytes(folder.file("Both.table"), lines);
  write_bytes(folder.file("Both.tree"), tree);
  write_bytes(folder.file("Life.tree"), tree);
  const auto named = [&](const char* name) { return parse_rule(folder.file(name)); };
  const Rule old = named("Old.table"), grown = named("Both.tree"), life = named("Life.tree");
  CHECK(to_string(old) == "Old");
  REQUIRE(old.file->table);
  CHECK(old.states() == 4);
  REQUIRE(grown.file->tree);
  CHECK(to_string(life) == "Life.tree");  // Life is another rule
  CHECK(parse_rule("Life.tree") == life);
  CHECK(parse_rule("Old") == old);
  // Of one name, .rule comes before .table and that before .tree.
  CHECK(parse_rule("Both").file->table);
  write_bytes(folder.file("Both.rule"), "@TREE\n" + tree);
  CHECK(parse_rule("Both").file->tree);
  CHECK(message_of<ParseError>([&] { parse_rule_file(lines + "@COLORS\n", "x.table"); }) ==
        "x.table:5:1: sections belong into a file NAME.rule, not .table");
  CHECK(message_of<ParseError>([&] {
          parse_rule_file("@TABLE\n" + lines, "x.table");
        }).starts_with("x.table:1:1: the table ended without"));
  CHECK(message_of<ParseError>([&] {
          parse_rule_file("", "x.tree");
        }).starts_with("x.tree:1:1: the tree ended after 0 of 0 nodes"));
}

TEST_CASE("colours of old Golly stand in a file beside the table or tree") {
  const std::string lines = kHead.substr(7) + "0,1,0,0,0,1\n";
  const auto colours = [&](const std::string& text) {
    return parse_rule_file(lines, "x.table", text).colours;
  };
  using Colours = std::vector<std::optional<FileColour>>;
  const FileColour red{255, 0, 0}, grey{8, 8, 8};
  CHECK(colours("") == Colours(4));
  CHECK(colours("# of 2009\n\ncolor = 1 255 0 0 # red\r\n  COLOR=3,8,8,8\ncolor 200 1 2 3\n") ==
        Colours{{}, red, {}, grey});
  const FileColour between{132, 4, 4};
  CHECK(colours("gradient = 255 0 0 8 8 8") == Colours{{}, red, between, grey});
  CHECK(colours("gradient = 255 0 0 8 8 8\ncolor = 2 255 0 0\ncolor = 0 8 8 8 9 9") ==
        Colours{grey, red, red, grey});
  // The same as those of @COLORS.
  CHECK(parse_rule_file(kHead + "@COLORS\n255 0 0 8 8 8\n", "x.rule").colours ==
        Colours{{}, red, between, grey});
  // A .rule has its own.
  CHECK(parse_rule_file(kHead, "x.rule", "color = 1 255 0 0\n").colours == Colours(4));

  const auto refused = [&](const std::string& text) {
    return message_of<ParseError>([&] { colours(text); });
  };
  for (const char* line : {"state 1 255 0 0", "color", "color = 1 2 3", "color = 1 2 3 x",
                           "gradient = 1 2 3 4 5", "colours 1 2 3 4", "color = -1 2 3 4", "\1"}) {
    CAPTURE(std::string(line));
    const std::string message = refused(std::string("\ncolor = 1 2 3 4\n ") + line + "\n");
    CHECK(message.starts_with("x.colors:3:"));
    CHECK(message.find("a line of colours is spelled as color = state red green blue or gradient "
                       "= red green blue red green blue; numbers of 0 to 255") !=
          std::string::npos);
  }
  CHECK(refused("color = 1 2 256 3") ==
        "x.colors:1:13: a state or part of a colour must be within 0 to 255");
  CHECK(message_of<InputError>([&] { colours(std::string(kMostRuleFileBytes + 1, '#')); }) ==
        "x.colors: a rule file of 33554433 bytes; at most 33554432 are accepted");

  const ScratchFolder folder;
  write_bytes(folder.file("Old.table"), lines);
  write_bytes(folder.file("Old.colors"), "color = 1 255 0 0\n");
  const Rule old = parse_rule(folder.file("Old.table"));
  CHECK(colour_of_state(old, 1) == red);
  CHECK(colour_of_state(old, 0) == FileColour{48, 48, 48});
  const FileRule& file = *old.file;
  CHECK(parse_rule_file(file.text, file.path, file.old_colours).colours == file.colours);
  write_bytes(folder.file("Old.rule"), kHead);
  CHECK_FALSE(colour_of_state(parse_rule("Old"), 1));
  write_bytes(folder.file("Old.colors"), "colour = 1 255 0 0\n");
  CHECK(message_of<ParseError>([&] {
          parse_rule(folder.file("Old.table"));
        }).starts_with(folder.file("Old.colors") + ":1:1: a line of colours is spelled as"));
}

TEST_CASE("errors in a rule file keep their place, and rules of the plane stay quiet") {
  const ScratchFolder folder;
  const std::string bad = folder.file("bad.rule"), loud = folder.file("loud.rule");
  write_bytes(bad, kHead + "0\n");
  CHECK(message_of<ParseError>([&] {
          parse_rule_spec(bad + ":T5", "--rule");
        }).starts_with(bad + ":5:1: "));
  write_bytes(loud, kHead + "000001\n");
  CHECK(parse_rule_spec(loud + ":T5").rule.has_b0());
  CHECK(message_of<ParseError>([&] {
          parse_rule_spec(loud, "--rule");
        }).find("cells of state 0 among others like them change") != std::string::npos);
  CHECK(message_of<ParseError>([&] {
          parse_rule_spec(fmt::format("B3/S23|{}:T5", loud), "--rule");
        }).find("takes turns with another rule of a file alone") != std::string::npos);
}
