// Rules of more than two states: how they are spelled, how their cells are written and hashed.

#include <doctest/doctest.h>

#include <bit>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "core/files/piece_source.h"
#include "core/pattern_io.h"
#include "core/pictures/state_pixels.h"
#include "core/rules/rule.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/survey.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

namespace {

CellGrid random_cells(std::int64_t width, std::int64_t height, int states, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  CellGrid cells(width, height, std::bit_width(states - 1u));
  for (std::int64_t y = 0; y < height; y++) {
    for (std::int64_t x = 0; x < width; x++) {
      if (random() % 3 == 0) cells.set_state(x, y, static_cast<int>(random() % states));
    }
  }
  return cells;
}

Pattern pattern_of_cells(const CellGrid& cells, const std::string& rule) {
  const std::vector<Piece> pieces{{{0, 0}, cells}};
  PieceList list(pieces.front().rect(), pieces);
  return pattern_of(list, parse_rule_spec(rule), 0);
}

}  // namespace

TEST_CASE("spellings of Generations rules, and Golly's for each") {
  const std::vector<std::pair<std::string, std::string>> known = {{"345/2/4", "345/2/4"},
                                                                  {"B2/S345/4", "345/2/4"},
                                                                  {"b2/s345/c4", "345/2/4"},
                                                                  {"B2/S345/G4", "345/2/4"},
                                                                  {"g4b2s345", "345/2/4"},
                                                                  {"G4/B2/S345", "345/2/4"},
                                                                  {"B2S345G4", "345/2/4"},
                                                                  {"S345/B2/4", "345/2/4"},
                                                                  {"/2/3", "/2/3"},
                                                                  {"B2/S/3", "/2/3"},
                                                                  {"B2/S/C3", "/2/3"},
                                                                  {"//256", "//256"},
                                                                  {"3/2/5H", "3/2/5H"},
                                                                  {"B2/S3H/C5", "3/2/5H"},
                                                                  {"B2/S3/5V", "3/2/5V"},
                                                                  {"2-a/3/4", "2-a/3/4"},
                                                                  {"B2-a/S12/C5", "12/2-a/5"},
                                                                  {"B3/S2c3", "B3/S2c3"},
                                                                  {"23/3/2", "B3/S23"},
                                                                  {"B3/S23/C2", "B3/S23"},
                                                                  {"MAPARYXfg/4", "MAPARYXfg/4"},
                                                                  {"MAPARYXfg==/4", "MAPARYXfg/4"},
                                                                  {"brians brain", "/2/3"},
                                                                  {"StarWars", "345/2/4"},
                                                                  {"wireworld", "WireWorld"},
                                                                  {"B3_S23-a4ei6", "B3/S23-a4ei6"},
                                                                  {"Bloomerang", "234/34678/24"}};
  for (const auto& each : known) {
    const std::string text = each.first, canonical = each.second;
    CAPTURE(text);
    const Rule rule = parse_rule(text);
    CHECK(to_string(rule) == canonical);
    CHECK(parse_rule(canonical) == rule);
    CHECK(simplest(rule) == rule);
    CHECK(rule.outer_totalistic() == (canonical == "B3/S23"));
  }
  CHECK(parse_rule("/2/256").planes() == 8);
  CHECK(parse_rule("/2/3").planes() == 2);
  CHECK(parse_rule("/2/4").planes() == 2);
  CHECK(parse_rule("/2/5").planes() == 3);
  CHECK(to_string(parse_rule_spec("B2/S/3:T20,30")) == "/2/3:T20,30");
  // A MAP of counts is the rule of those counts.
  Rule map = parse_rule("345/2/4");
  map.family = RuleFamily::map;
  map.birth = map.survival = 0;
  for (int p = 0; p < kPatterns; p++) {
    if (parse_rule("B2/S345").next_of(p)) map.table.set(p);
  }
  CHECK(simplest(map) == parse_rule("345/2/4"));
}

TEST_CASE("Generations rules that are refused, and why") {
  const std::vector<std::vector<std::string>> bad = {
      {"345/2/1", "rule:1:7", "a rule has 2 to 256 states"},
      {"345/2/257", "rule:1:7", "a rule has 2 to 256 states"},
      {"345/2/99999999999999999999", "rule:1:7", "a rule has 2 to 256 states"},
      {"g1b2s345", "rule:1:2", "a rule has 2 to 256 states"},
      {"B0/S/3", "rule:1:1", "cannot have B0"},
      {"/0/3", "rule:1:1", "cannot have B0"},
      {"MAPgRYXfg/4", "rule:1:1", "cannot have B0"},
      {"345/9/4", "rule:1:5", "at most 8 neighbours"},
      {"3/7/5H", "rule:1:3", "at most 6 neighbours"},
      {"W30/3", "rule:1:4", "is not known"}};
  for (const auto& each : bad) {
    CAPTURE(each[0]);
    const std::string message = message_of<ParseError>([&] { parse_rule(each[0]); });
    CHECK(message.starts_with(each[1] + ": "));
    CHECK(message.find(each[2]) != std::string::npos);
  }
}

TEST_CASE("cells of 256 states go through RLE, a population and a census") {
  const CellGrid cells = random_cells(97, 41, 256, 5);
  const Pattern pattern = pattern_of_cells(cells, "/2/256");
  CHECK(pattern.planes.size() == 8);
  const std::string text = format_pattern(pattern, PatternFormat::rle);
  CHECK(text.find("x = ") == text.find("\n") + 1);
  const Pattern back = parse_pattern(text, "p.rle");
  CHECK(back == pattern);
  std::map<int, std::int64_t> counted;
  for (std::int64_t y = 0; y < 41; y++) {
    for (std::int64_t x = 0; x < 97; x++) counted[cells.state(x, y)]++;
  }
  const std::vector<std::int64_t> census = cells.census();
  REQUIRE(census.size() == 256);
  for (int state = 0; state < 256; state++) CHECK(census[state] == counted[state]);
  CHECK(cells.population() == 97 * 41 - counted[0]);
  CHECK(pattern.cells.population() == cells.population());
  CHECK(cells.highest_state(2) == 255);
  CHECK(cells.highest_state(256) == 0);
}

TEST_CASE("RLE of states letter by letter") {
  const Pattern pattern = parse_pattern("x = 8, y = 2, rule = /2/256\n.AXpApX2yO$b2oB!", "p.rle");
  CHECK(pattern.cells.population() == 9);
  const std::string text = format_pattern(pattern, PatternFormat::rle);
  CHECK(text == "x = 8, y = 2, rule = /2/256\n.AXpApX2yO$.2AB!\n");
  // Live cells of state 1 alone need no planes; the rule says how they are written.
  const Pattern ones = parse_pattern("x = 2, y = 1, rule = /2/3\nAo!", "p.rle");
  CHECK(ones.planes.empty());
  CHECK(format_pattern(ones, PatternFormat::rle) == "x = 2, y = 1, rule = /2/3\n2A!\n");
  for (const PatternFormat other :
       {PatternFormat::cells, PatternFormat::life105, PatternFormat::life106}) {
    CHECK(message_of<InputError>([&] {
            format_pattern(pattern, other);
          }).find("more than two states") != std::string::npos);
  }
}

TEST_CASE(
    "the hash of several planes is that of the conventions, the population that of state 1 up") {
  // Computed from the definition, apart from this program.
  CellGrid cells(70, 2, 2);
  cells.set_state(0, 0, 1);
  cells.set_state(69, 1, 2);
  cells.set_state(5, 1, 3);
  const Survey found = survey_cells(cells, {0, 0, 70, 2}, kWholeSurvey);
  CHECK(found.population == 3);
  CHECK(found.bounds == Bounds{0, 0, 69, 1});
  CHECK(hash_text(found.hash) == "df2c6a60ac34c71c");
  CellGrid two(70, 2, 2);
  two.plane(0) = cells.plane(0);
  CHECK(survey_cells(two, {0, 0, 70, 2}, kWholeSurvey).hash == state_hash(cells.plane(0)));
  // A part counts and hashes only what lies in it.
  CHECK(survey_cells(cells, {64, 0, 6, 2}, kWholeSurvey).population == 1);
}

TEST_CASE("soups of all states are where soups of one are, each state as often") {
  Soup soup{7, 32768};
  const BitGrid live = make_soup(soup, 300, 200);
  CHECK(make_soup_cells(soup, 300, 200, 3).plane(0) == live);
  CHECK(make_soup_cells(soup, 300, 200, 3).census()[1] == live.population());
  soup.states = 6;
  const CellGrid cells = make_soup_cells(soup, 300, 200, 3);
  CHECK(cells.live() == live);
  const std::vector<std::int64_t> census = cells.census();
  for (int state = 1; state < 6; state++) {
    CHECK(census[state] > live.population() / 6);
    CHECK(census[state] < live.population() / 4);
  }
  CHECK(census[6] + census[7] == 0);
  // Parts make their own words.
  const CellGrid part = make_soup_cells(soup, 300, 60, 3, 40 * 5);
  CHECK(part == cells.window({0, 40, 300, 60}));
  CHECK_THROWS_AS(make_soup_cells(soup, 3, 3, 2), InputError);
}

TEST_CASE("a picture has the state of the first live cell of each pixel") {
  CellGrid cells(130, 3, 3);
  cells.set_state(129, 0, 5);
  cells.set_state(3, 2, 4);
  cells.set_state(2, 1, 7);
  DensityImage image;
  image.resize(130, 3);
  state_pixels(cells, 1, image);
  CHECK(image.row(0)[129] == 5);
  CHECK(image.row(2)[3] == 4);
  CHECK(image.row(1)[2] == 7);
  image.resize(33, 1);
  state_pixels(cells, 4, image);
  CHECK(image.row(0)[0] == 7);
  CHECK(image.row(0)[32] == 5);
  CHECK(image.row(0)[1] == 0);
}
