// Rules beside the outer-totalistic ones: how they are spelled and what they say.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/rules/background.h"
#include "core/rules/isotropic_letters.h"
#include "core/rules/rule.h"
#include "core/rules/rule_spec.h"

using namespace tessera;

namespace {

using Picture = std::array<std::array<int, 3>, 3>;  // rows of a cell and its neighbours

Picture picture_of(int pattern) {
  Picture cells{};
  for (int i = 0; i < 9; i++) cells[i / 3][i % 3] = pattern >> (8 - i) & 1;
  return cells;
}

int pattern_of(const Picture& cells) {
  int pattern = 0;
  for (const auto& row : cells) {
    for (const int cell : row) pattern = 2 * pattern + cell;
  }
  return pattern;
}

Picture turned(const Picture& cells) {
  Picture out{};
  for (int y = 0; y < 3; y++) {
    for (int x = 0; x < 3; x++) out[x][2 - y] = cells[y][x];
  }
  return out;
}

Picture mirrored(Picture cells) {
  for (auto& row : cells) std::swap(row[0], row[2]);
  return cells;
}

int neighbours_of(int pattern) { return std::popcount(static_cast<unsigned>(pattern & ~16)); }

std::string canonical(const std::string& text) { return to_string(parse_rule(text)); }

struct Refused {
  std::string place, why;
};

Refused refused(const std::string& text) {
  try {
    return {"read", canonical(text)};
  } catch (const ParseError& error) {
    return {error.place(), error.what()};
  }
}

}  // namespace

TEST_CASE("a letter stands for all turns and mirror images of an arrangement, and nothing else") {
  std::set<std::pair<int, int>> classes;
  for (int p = 0; p < kPatterns; p++) {
    const int n = neighbours_of(p), number = arrangement_of(p);
    CHECK(number >= 0);
    CHECK((all_arrangements(n) >> number & 1) == 1);
    classes.insert({n, number});
    for (int q = 0; q < kPatterns; q++) {
      if (neighbours_of(q) != n) continue;
      bool same = false;
      Picture cells = picture_of(q & ~16);
      for (int turn = 0; turn < 4; turn++, cells = turned(cells)) {
        same = same || pattern_of(cells) == (p & ~16) || pattern_of(mirrored(cells)) == (p & ~16);
      }
      if (same != (arrangement_of(q) == number)) FAIL_CHECK(p << " and " << q);
    }
  }
  CHECK(classes.size() == 51);  // 1, 2, 6, 10, 13, 10, 6, 2 and 1
}

TEST_CASE("the letters of complements are the same") {
  for (int p = 0; p < kPatterns; p++) {
    if (neighbours_of(p) != 4) CHECK(arrangement_of(p) == arrangement_of(p ^ 511));
  }
}

TEST_CASE("every letter of every count is read, in births and in survivals, and printed again") {
  for (int n = 1; n <= 7; n++) {
    const std::string count = std::to_string(n), letters(arrangement_letters(n));
    for (std::size_t i = 0; i < letters.size(); i++) {
      const std::string one = count + letters[i], others = count + "-" + letters[i];
      std::string listed = count;
      for (const char letter : letters) {
        if (letter != letters[i]) listed += letter;
      }
      for (const bool birth : {true, false}) {
        const auto text = [&](const std::string& part) {
          return birth ? fmt::format("B{}/S", part) : fmt::format("B/S{}", part);
        };
        const Rule rule = parse_rule(text(one)), rest = parse_rule(text(others));
        for (int p = 0; p < kPatterns; p++) {
          const bool here = (p >> 4 & 1) != birth && neighbours_of(p) == n;
          const bool named = here && arrangement_of(p) == static_cast<int>(i);
          if (rule.next_of(p) != named || rest.next_of(p) != (here && !named)) {
            FAIL_CHECK(text(one) << " at " << p);
          }
        }
        CHECK(to_string(rule) == text(one));
        CHECK(to_string(rest) == text(letters.size() == 2 ? listed : others));
        CHECK(parse_rule(text(listed)) == rest);
      }
    }
    CHECK(canonical(fmt::format("B{}{}/S", count, letters)) == fmt::format("B{}/S", count));
    CHECK(parse_rule(fmt::format("B{}{}/S", count, letters)).outer_totalistic());
  }
}

// Right-hand sides are what Golly 3.3 writes.
TEST_CASE("rules are spelled as Golly spells them") {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"B2ack/S1c", "B2ack/S1c"},
      {"B2-ack/S", "B2ein/S"},
      {"B3aceij/S", "B3aceij/S"},
      {"B3-aceij/S", "B3knqry/S"},
      {"B1-e/S", "B1c/S"},
      {"B2acei/S", "B2-kn/S"},
      {"B3aceijk/S", "B3-nqry/S"},
      {"B4aceijkn/S", "B4aceijkn/S"},
      {"B4aceijknq/S", "B4-rtwyz/S"},
      {"B6acei/S", "B6-kn/S"},
      {"b2-as12", "B2-a/S12"},
      {"B2cekain/S12", "B2/S12"},
      {"B4cekainy/S", "B4aceikny/S"},
      {"B4ceknqryw/S", "B4-aijtz/S"},
      {"2-i34q/3", "B3/S2-i34q"},
      {"B2A/S", "B2a/S"},
      {"B2-aceikn/S12", "B/S12"},
      {"B2-/S", "B2/S"},
      {"B8-/S", "B8/S"},
      {"S2-i34q/B3", "B3/S2-i34q"},
      {"b2s34h", "B2/S34H"},
      {"2/3H", "B3/S2H"},
      {"34/2h", "B2/S34H"},
      {"B13/S13v", "B13/S13V"},
      {"B0/S4V", "B0/S4V"},
      {"B6/S0123456H", "B6/S0123456H"},
      {"w110", "W110"},
      {"W0", "W0"},
      {"W255", "W255"},
      {"MAPHmlphg==", "MAPHmlphg"},
      {"mapHmlphg", "MAPHmlphg"},
      {"MAPHmlphh", "MAPHmlphg"},  // the last bits are not read
      {"MAPAAAAAAAAAAAAAAAAAAAAAA", "MAPAAAAAAAAAAAAAAAAAAAAAA"},
      {"Just Friends", "B2-a/S12"},
      {"TLIFE", "B3/S2-i34q"},
  };
  for (const auto& each : known) {
    const std::string text = each.first;
    CAPTURE(text);
    CHECK(canonical(text) == each.second);
    CHECK(parse_rule(each.second) == parse_rule(text));
  }
  CHECK(to_string(parse_rule_spec("b2-as12:T30")) == "B2-a/S12:T30,30");
  CHECK(parse_rule_spec("MAPHmlphg==:P7,9").rule == parse_rule("MAPHmlphg"));
}

TEST_CASE("hexagonal and von Neumann's rules count the cells that their neighbourhoods have") {
  std::mt19937 random(6);
  for (int i = 0; i < 200; i++) {
    const bool hexagonal = i % 2;
    const int most = hexagonal ? 6 : 4;
    const auto birth = random() % (2u << most), survival = random() % (2u << most);
    std::string text = "B";
    for (int n = 0; n <= most; n++) {
      if (birth >> n & 1) text += static_cast<char>('0' + n);
    }
    text += "/S";
    for (int n = 0; n <= most; n++) {
      if (survival >> n & 1) text += static_cast<char>('0' + n);
    }
    text += hexagonal ? 'H' : 'V';
    CAPTURE(text);
    const Rule rule = parse_rule(text);
    CHECK(to_string(rule) == text);
    CHECK(rule.has_b0() == ((birth & 1) != 0));
    for (int p = 0; p < kPatterns; p++) {
      const Picture c = picture_of(p);
      int n = c[0][1] + c[1][0] + c[1][2] + c[2][1];
      if (hexagonal) n += c[0][0] + c[2][2];  // all but the north-east and the south-west
      const bool next = (c[1][1] ? survival : birth) >> n & 1;
      if (rule.next_of(p) != next) FAIL_CHECK("pattern " << p);
    }
  }
}

TEST_CASE("every bit of a MAP is where Golly has it") {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const int cells : {9, 7, 5}) {
    const int bits = 1 << cells, length = (bits + 5) / 6;
    for (int bit = 0; bit < bits; bit++) {
      std::string text = "MAP";
      text.append(static_cast<std::size_t>(length), 'A');
      text[static_cast<std::size_t>(3 + bit / 6)] = kDigits[1 << (5 - bit % 6)];
      const Rule rule = parse_rule(bit % 2 ? text : text + "==");
      if (to_string(rule) != text) FAIL_CHECK(text);
      for (int p = 0; p < kPatterns; p++) {
        const Picture c = picture_of(p);
        std::vector<int> order;
        if (cells == 9) {
          order = {c[0][0], c[0][1], c[0][2], c[1][0], c[1][1], c[1][2], c[2][0], c[2][1], c[2][2]};
        } else if (cells == 7) {
          order = {c[2][1], c[2][2], c[1][0], c[1][1], c[1][2], c[0][0], c[0][1]};
        } else {
          order = {c[0][1], c[1][0], c[1][1], c[1][2], c[2][1]};
        }
        int number = 0;
        for (const int cell : order) number = 2 * number + cell;
        if (rule.next_of(p) != (number == bit)) FAIL_CHECK(text << " at " << p);
      }
    }
  }
}

TEST_CASE("random maps are printed and parsed back, and differ") {
  std::mt19937_64 random(86);
  std::set<std::string> seen;
  for (int i = 0; i < 500; i++) {
    Rule rule{0, 0, RuleFamily::map, {}};
    for (std::uint64_t& word : rule.table.words) word = random();
    const std::string text = to_string(rule);
    CHECK(text.size() == 89);
    CHECK(parse_rule(text) == rule);
    seen.insert(text);
  }
  CHECK(seen.size() == 500);
}

TEST_CASE("a rule of Wolfram's draws its rows downwards and lets live cells live") {
  for (int number = 0; number < 256; number++) {
    const Rule rule = parse_rule(fmt::format("W{}", number));
    CHECK(to_string(rule) == fmt::format("W{}", number));
    CHECK(rule.has_b0() == (number % 2 == 1));
    for (int p = 0; p < kPatterns; p++) {
      const Picture c = picture_of(p);
      const int above = 4 * c[0][0] + 2 * c[0][1] + c[0][2];
      const bool next = c[1][1] || (number >> above & 1);
      if (rule.next_of(p) != next) FAIL_CHECK("W" << number << " at " << p);
    }
  }
}

TEST_CASE("a table that only counts is the outer-totalistic rule for kernels") {
  std::mt19937 random(18);
  for (int i = 0; i < 300; i++) {
    const Rule plain{static_cast<std::uint16_t>(random() & 511),
                     static_cast<std::uint16_t>(random() & 511)};
    Rule map{0, 0, RuleFamily::map, {}};
    for (int p = 0; p < kPatterns; p++) {
      if (plain.next_of(p)) map.table.set(p);
    }
    CHECK(map != plain);
    CHECK(simplest(map) == plain);
    CHECK(simplest(parse_rule(to_string(map))) == plain);
    // One pattern more or less: only those of no and of eight neighbours are alone in their count.
    const int changed = static_cast<int>(random() % kPatterns), n = neighbours_of(changed);
    map.table.words[static_cast<std::size_t>(changed) / 64] ^= std::uint64_t{1} << changed % 64;
    CHECK((simplest(map) == map) == (n != 0 && n != 8));
  }
  CHECK(simplest(kLife) == kLife);
  CHECK(simplest(parse_rule("B2-a/S12")) == parse_rule("B2-a/S12"));
}

TEST_CASE("what is wrong with a rule is said at its column") {
  struct Bad {
    std::string text, place, why;
  };
  const Bad bads[] = {
      {"B2z/S", "rule:1:3", "a count of 2 takes the letters aceikn"},
      {"B3/S2-i34x", "rule:1:10", "is not known"},
      {"B0c/S", "rule:1:3", "a count of 0 takes no letters"},
      {"B3/S8a", "rule:1:6", "a count of 8 takes no letters"},
      {"B2aa/S", "rule:1:4", "a letter is given twice"},
      {"B2a2c/S", "rule:1:4", "a neighbour count is given twice"},
      {"B2a-/S", "rule:1:4", "is not known"},
      {"B-2/S", "rule:1:2", "is not known"},
      {"B2/S7H", "rule:1:5", "at most 6 neighbours"},
      {"B4/S5V", "rule:1:5", "at most 4 neighbours"},
      {"B2-a/S12H", "rule:1:4", "letters are for the neighbourhood of eight"},
      {"B2/S34HH", "rule:1:7", "is not known"},
      {"B3/S23/H", "rule:1:8", "is not known"},
      {"W256", "rule:1:4", "0 to 255"},
      {"W11x", "rule:1:4", "is not known"},
      {"W1111111111111111111111", "rule:1:5", "0 to 255"},
      {"MAPA", "rule:1:5", "86 characters are expected, 22"},
      {"MAPHmlphgA", "rule:1:11", "there are 7"},
      {"MAPHmlph-", "rule:1:9", "base64"},
      {"MAPHmlphg=", "rule:1:10", "base64"},
      {"MAP==", "rule:1:4", "there are 0"},
      {"B2o/S2m34H", "rule:1:3", "is a hexagonal rule with letters"},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.text);
    const Refused found = refused(bad.text);
    CHECK(found.place == bad.place);
    CAPTURE(found.why);
    CHECK(found.why.find(bad.why) != std::string::npos);
  }
}

TEST_CASE("what is born from nothing is stepped by rules without B0, whatever the family") {
  for (const char* text : {"B0/S", "B03/S23", "B01238/S01458", "B02-a/S", "B02n/S8", "B0/SH",
                           "B0/SV", "W1", "MAPgAAAAA"}) {
    CAPTURE(std::string(text));
    const Rule rule = parse_rule(text);
    CHECK(rule.has_b0());
    CHECK(parse_rule_spec(text).rule == rule);
    const BackgroundRules rules = background_rules(rule);
    CHECK_FALSE(rules.even.has_b0());
    CHECK(rules.odd.has_value() != rule.next_of(511));
    if (rules.odd) CHECK_FALSE(rules.odd->has_b0());
    CHECK(rules.even.outer_totalistic() == rule.outer_totalistic());
    int wrong = 0;
    for (int p = 0; p < kPatterns; p++) {
      const bool next = rule.next_of(p), opposite = rule.next_of(511 - p);
      wrong += rules.even.next_of(p) != !(rules.odd ? next : opposite);
      wrong += rules.odd && rules.odd->next_of(p) != opposite;
    }
    CHECK(wrong == 0);
  }
}
