#include "core/rules/rule.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

namespace {

constexpr unsigned kRules = 1u << 18;

Rule rule_number(unsigned n) {
  return {static_cast<std::uint16_t>(n & 0x1ff), static_cast<std::uint16_t>(n >> 9)};
}

std::string digits(std::uint16_t mask) {
  std::string text;
  for (char digit = '0'; digit <= '8'; digit++) {
    if (mask & 1u << (digit - '0')) text += digit;
  }
  return text;
}

}  // namespace

TEST_CASE("all 2^18 rules print in the canonical spelling and parse back") {
  for (unsigned n = 0; n < kRules; n++) {
    const Rule rule = rule_number(n);
    const std::string text = to_string(rule);
    const bool same = text == fmt::format("B{}/S{}", digits(rule.birth), digits(rule.survival)) &&
                      parse_rule(text) == rule;
    if (!same) FAIL_CHECK("rule " << n << " printed as " << text);
  }
}

TEST_CASE("every spelling of a rule is read") {
  // A stride without a factor of two meets all combinations of low and high digits.
  for (unsigned n = 0; n < kRules; n += 37) {
    const Rule rule = rule_number(n);
    const std::string b = digits(rule.birth), s = digits(rule.survival);
    for (const std::string& text :
         {fmt::format("B{}/S{}", b, s), fmt::format("b{}/s{}", b, s), fmt::format("B{}S{}", b, s),
          fmt::format("b{}s{}", b, s), fmt::format("S{}/B{}", s, b), fmt::format("s{}B{}", s, b),
          fmt::format("{}/{}", s, b)}) {
      const bool same = parse_rule(text) == rule;
      if (!same) FAIL_CHECK(text << " was read as " << to_string(parse_rule(text)));
    }
  }
  CHECK(parse_rule("B3/S32") == kLife);
  CHECK(parse_rule("S/B") == Rule{0, 0});
  CHECK(parse_rule("/") == Rule{0, 0});
  CHECK(parse_rule("/2") == parse_rule("B2/S"));
  CHECK(parse_rule("2/") == parse_rule("B/S2"));
}

TEST_CASE("the names of rules mean what Golly and LifeWiki say") {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"Life", "B3/S23"},
      {"Conway", "B3/S23"},
      {"Conway's Life", "B3/S23"},
      {"Game of Life", "B3/S23"},
      {"HighLife", "B36/S23"},
      {"Day & Night", "B3678/S34678"},
      {"Day and Night", "B3678/S34678"},
      {"Seeds", "B2/S"},
      {"Replicator", "B1357/S1357"},
      {"Fredkin", "B1357/S02468"},
      {"Live Free or Die", "B2/S0"},
      {"Life without Death", "B3/S012345678"},
      {"Flakes", "B3/S012345678"},
      {"Maze", "B3/S12345"},
      {"Mazectric", "B3/S1234"},
      {"2x2", "B36/S125"},
      {"34 Life", "B34/S34"},
      {"Amoeba", "B357/S1358"},
      {"Assimilation", "B345/S4567"},
      {"Coagulations", "B378/S235678"},
      {"Coral", "B3/S45678"},
      {"Corrosion of Conformity", "B3/S124"},
      {"Diamoeba", "B35678/S5678"},
      {"DotLife", "B3/S023"},
      {"DryLife", "B37/S23"},
      {"EightLife", "B3/S238"},
      {"Gnarl", "B1/S1"},
      {"H-trees", "B1/S012345678"},
      {"Long Life", "B345/S5"},
      {"LowDeath", "B368/S238"},
      {"Move", "B368/S245"},
      {"Morley", "B368/S245"},
      {"Pedestrian Life", "B38/S23"},
      {"Pseudo Life", "B357/S238"},
      {"Serviettes", "B234/S"},
      {"Persian Rug", "B234/S"},
      {"Stains", "B3678/S235678"},
      {"Vote", "B5678/S45678"},
      {"Majority", "B5678/S45678"},
      {"Vote 4/5", "B4678/S35678"},
      {"Anneal", "B4678/S35678"},
      {"Walled Cities", "B45678/S2345"},
      {"Just Friends", "B2-a/S12"},
      {"tlife", "B3/S2-i34q"},
      {"LeapLife", "B2n3/S23-q"},
      {"Rule 30", "W30"},
      {"Rule 90", "W90"},
      {"Rule 110", "W110"},
      {"Brian's Brain", "/2/3"},
      {"Star Wars", "345/2/4"},
      {"Bloomerang", "234/34678/24"},
      {"Belzhab", "23/23/8"},
      {"Bosco", "R5,C0,M1,S34..58,B34..45,NM"},
      {"Bugs", "R5,C0,M1,S34..58,B34..45,NM"},
      {"Bugsmovie", "R10,C0,M1,S123..212,B123..170,NM"},
      {"Globe", "R8,C0,M0,S163..223,B74..252,NM"},
      {"Waffle", "R7,C0,M1,S100..200,B75..170,NM"},
      {"WireWorld", "WireWorld"},
  };
  for (const auto& each : known) {
    const auto name = each.first;
    const auto rule = each.second;
    CAPTURE(name);
    CHECK(to_string(parse_rule(name)) == rule);
  }
  // The table holds these and no others, so that a new name comes with its rule here.
  std::set<std::string> names;
  for (const NamedRule& named : named_rules()) {
    INFO(std::string(named.name));
    CHECK(parse_rule(named.name) == named.rule);
    CHECK(names.insert(named.name).second);
  }
  CHECK(names.size() == known.size());
}

TEST_CASE("case, spaces and joiners in names do not matter") {
  for (const std::string text :
       {"day & night", "DAYNIGHT", "Day&Night", "day_and-night", " Day  and Night "}) {
    CAPTURE(text);
    CHECK(to_string(parse_rule(text)) == "B3678/S34678");
  }
  CHECK(to_string(parse_rule("high-life")) == "B36/S23");
  CHECK(to_string(parse_rule("34life")) == "B34/S34");
}

TEST_CASE("births or survivals alone are a rule, as in Golly") {
  CHECK(to_string(parse_rule("B234")) == "B234/S");
  CHECK(to_string(parse_rule("s23")) == "B/S23");
  CHECK(to_string(parse_rule("B2H")) == "B2/SH");
}

TEST_CASE("a malformed rule is refused at its column") {
  struct Bad {
    std::string text;
    std::string place;
    std::string why;
  };
  const Bad bads[] = {
      {"", "rule:1:1", "is not known"},
      {"23", "rule:1:3", "is not known"},
      {"B3/", "rule:1:4", "is not known"},
      {"B3/S23/", "rule:1:8", "is not known"},
      {"B3//S23", "rule:1:4", "is not known"},
      {"B3/S23x", "rule:1:7", "is not known"},
      {"B3/B3", "rule:1:4", "is not known"},
      {"B3S2S3", "rule:1:5", "is not known"},
      {"23/3/1", "rule:1:6", "2 to 256 states"},
      {"B9/S23", "rule:1:2", "at most 8 neighbours"},
      {"B3/S2349", "rule:1:8", "at most 8 neighbours"},
      {"29/3", "rule:1:2", "at most 8 neighbours"},
      {"B33/S23", "rule:1:3", "given twice"},
      {"B3/S2332", "rule:1:7", "given twice"},
      {"22/3", "rule:1:2", "given twice"},
      {"Lief", "rule:1:1", "is not known"},
      {"B3/S23 ", "rule:1:7", "is not known"},
      {"\x01", "rule:1:1", "rule '?'"},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.text);
    try {
      const Rule rule = parse_rule(bad.text);
      FAIL_CHECK("read as " << to_string(rule));
    } catch (const ParseError& error) {
      CHECK(error.place() == bad.place);
      const std::string what = error.what();
      CAPTURE(what);
      CHECK(what.rfind(bad.place + ": ", 0) == 0);
      CHECK(what.find(bad.why) != std::string::npos);
      CHECK(what.find("ccepted are B3/S23") != std::string::npos);
      CHECK(what.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a message about a very long rule stays short") {
  const std::string what = message_of<ParseError>([] { parse_rule(std::string(1 << 20, 'q')); });
  CHECK(what.size() < 400);
  CHECK(what.find("...") != std::string::npos);
  CHECK(message_of<ParseError>([] { parse_rule(std::string(1 << 20, '3')); }).size() < 400);
}

TEST_CASE("next reads the birth and survival counts") {
  const Rule rule = parse_rule("B1357/S08");
  for (int n = 0; n <= 8; n++) {
    CHECK(rule.next(false, n) == (n % 2 == 1));
    CHECK(rule.next(true, n) == (n == 0 || n == 8));
  }
  CHECK_FALSE(rule.has_b0());
  CHECK(parse_rule("B08/S").has_b0());
  CHECK_FALSE(parse_rule("B8/S0").has_b0());
}
