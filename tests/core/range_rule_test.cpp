// Rules of longer range: how they are written, what counts, and the gates that follow a count.

#include "core/rules/range_rule.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/rules/range_gates.h"
#include "core/rules/rule_spec.h"

using namespace tessera;

namespace {

constexpr const char* kBosco = "R5,C0,M1,S34..58,B34..45,NM";

// What gates make of a count and of whether the cell is in state 1.
bool answer(const RangeGates& gates, int count, bool one) {
  std::vector<bool> signals;
  for (int bit = 0; bit < gates.bits; bit++) signals.push_back(count >> bit & 1);
  signals.push_back(one);
  for (const ProgramGate& gate : gates.gates) {
    const unsigned at = 4u * signals[gate.in[0]] + 2u * signals[gate.in[1]] + signals[gate.in[2]];
    signals.push_back(gate.table >> at & 1);
  }
  return signals.back();
}

// Neighbours of range 2 in reading order, as X and a point; the cell itself is a minus.
std::string drawn(const char* shape) {
  const Rule rule = parse_rule(std::string("R2,C2,S1,B1,N") + shape);
  std::string text;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      text += dx == 0 && dy == 0 ? '-' : rule.range->neighbour(dx, dy) ? 'X' : '.';
  return text;
}

}  // namespace

TEST_CASE("rules of longer range are read as Golly and LifeViewer write them") {
  struct Good {
    const char* text;
    const char* canonical;
  };
  for (const Good& good : {
           Good{kBosco, kBosco},
           {"R5,C2,M1,S34..58,B34..45,NM", kBosco},
           {"5,34,45,34,58", kBosco},
           {"r5,c1,m1,s34..58,b34..45", kBosco},
           {"R5,B34-45,S34-58,M1", kBosco},
           {"R2,C3,M0,S2..3,B3..4,NN", "R2,C3,M0,S2..3,B3..4,NN"},
           {"R500,C256,M1,S3..900000,B1000..1002001,NM",
            "R500,C256,M1,S3..900000,B1000..1002001,NM"},
           {"R2,C2,S4-6,B5-6,NC", "R2,C0,M0,S4..6,B5..6,NC"},
           {"R2,C2,S4-6,B5-6,N#", "R2,C2,S4-6,B5-6,N#"},
           {"R2,C2,S6,4..5,1,B5,5,6,N+", "R2,C2,S1,4-6,B5-6,N+"},
           {"R2,C2,S4,8,B5,NM", "R2,C2,S4,8,B5,NM"},
           {"R2,C4,M1,S4,8,B5,NM", "R2,C4,M1,S4,8,B5,NM"},
           {"R2,C2,S,B3", "R2,C2,S,B3,NM"},
           {"R1,C2,S2,B3,N@A5", "R1,C2,S2,B3,N@a5"},
           {"R2,C2,S2,B3,N@06E5C0", "R2,C2,S2,B3,N@06e5c0"},
       }) {
    CAPTURE(good.text);
    const Rule rule = parse_rule(good.text);
    CHECK(to_string(rule) == good.canonical);
    CHECK(parse_rule(good.canonical) == rule);
    CHECK(rule.reach() == rule.range->radius);
  }
  CHECK(parse_rule(kBosco) != parse_rule("R5,C0,M0,S34..58,B34..45,NM"));
  CHECK(parse_rule(kBosco) != parse_rule("R5,C3,M1,S34..58,B34..45,NM"));
  CHECK(to_string(parse_rule_spec("5,34,45,34,58:P40,30")) == std::string(kBosco) + ":P40,30");
}

TEST_CASE("a malformed rule of longer range is refused at its column") {
  struct Bad {
    const char* text;
    int column;
    const char* why;
  };
  for (const Bad& bad : {
           Bad{"R0,C0,M0,S2..3,B3..3,NM", 2, "a range is from 1 to 500"},
           {"R501,C0,M0,S2..3,B3..3,NM", 2, "a range is from 1 to 500"},
           {"R99999999999999999999,S1,B1", 2, "a range is from 1 to 500"},
           {"R2,C257,M0,S2..3,B3..3,NM", 5, "states is from 0 to 256"},
           {"R2,C0,M2,S2..3,B3..3,NM", 8, "0 or 1 behind M"},
           {"R2,C0,M0,S3..2,B3..3,NM", 11, "not above its last"},
           {"R2,C0,M0,S2..3,B3..25,NM", 17, "at most 24 cells"},
           {"R2,C0,M1,S2..26,B3..3,NM", 11, "at most 25 cells"},
           {"R2,C0,M0,S2..3,B3..13,NN", 17, "at most 12 cells"},
           {"R2,C0,M0,S2..,B3..3,NM", 14, "a number of cells was expected"},
           {"R2,C0,M0,S2..3,NM", 18, "the counts behind B are missing"},
           {"R2,S2,B3,S4", 10, "this is given twice"},
           {"R2,S2,B3,X4", 10, "one of C (states), M, S, B and N"},
           {"R2,S2,B3,N?", 11, "behind N stands one of"},
           {"R2,S2,B3,N", 11, "behind N stands one of"},
           {"R2,S2,B3,N@06e5c", 12, "6 hexadecimal digits"},
           {"R2,S2,B3,N@06e5c00", 12, "6 hexadecimal digits"},
           {"R2,S2,B3,NMM", 12, "a comma was expected"},
           {"R2,C3,S2,B0,3", 1, "more than two states cannot have B0"},
           {"5,34,45,34,", 12, "a number of cells was expected"},
           {"5,45,34,34,58", 3, "not above its last"},
           {"5,34,45,34,122", 9, "at most 121 cells"},
           {"R2,C2,S2,B0,NM", 1, "cannot have B0 without end"},
           {"R2,C2,S2,B3,NM:K20", 1, "takes the universes :T (torus) and :P"},
       }) {
    CAPTURE(bad.text);
    try {
      const RuleSpec spec = parse_rule_spec(bad.text);
      FAIL_CHECK("read as " << to_string(spec));
    } catch (const ParseError& error) {
      const std::string what = error.what();
      CAPTURE(what);
      CHECK(error.place() == "rule:1:" + std::to_string(bad.column));
      CHECK(what.find(bad.why) != std::string::npos);
    }
  }
}

TEST_CASE("shapes of neighbourhoods have the cells that their names say") {
  CHECK(drawn("M") == "XXXXXXXXXXXX-XXXXXXXXXXXX");
  CHECK(drawn("N") ==
        "..X.."
        ".XXX."
        "XX-XX"
        ".XXX."
        "..X..");
  CHECK(drawn("C") ==
        ".XXX."
        "XXXXX"
        "XX-XX"
        "XXXXX"
        ".XXX.");
  CHECK(drawn("2") ==
        "..X.."
        ".XXX."
        "XX-XX"
        ".XXX."
        "..X..");
  CHECK(drawn("+") ==
        "..X.."
        "..X.."
        "XX-XX"
        "..X.."
        "..X..");
  CHECK(drawn("X") ==
        "X...X"
        ".X.X."
        "..-.."
        ".X.X."
        "X...X");
  CHECK(drawn("*") ==
        "X.X.X"
        ".XXX."
        "XX-XX"
        ".XXX."
        "X.X.X");
  CHECK(drawn("#") ==
        ".X.X."
        "XXXXX"
        ".X-X."
        "XXXXX"
        ".X.X.");
  CHECK(drawn("B") ==
        ".X.X."
        "X.X.X"
        ".X-X."
        "X.X.X"
        ".X.X.");
  CHECK(drawn("D") ==
        "X.X.X"
        ".X.X."
        "X.-.X"
        ".X.X."
        "X.X.X");
  CHECK(drawn("H") ==
        "XXX.."
        "XXXX."
        "XX-XX"
        ".XXXX"
        "..XXX");
  CHECK(drawn("@06e5c0") ==
        "....."
        "XX.XX"
        "X.-.X"
        ".XXX."
        ".....");
  const Rule bosco = parse_rule(kBosco);
  CHECK(bosco.range->most() == 121);
  std::vector<std::string> spans;
  for (const RangeSpan& span : spans_of(*parse_rule("R1,C2,M1,S1,B1,NN").range))
    spans.push_back(std::to_string(span.dy) + ":" + std::to_string(span.first) + ".." +
                    std::to_string(span.last));
  CHECK(spans == std::vector<std::string>{"-1:0..0", "0:-1..1", "1:0..0"});
}

TEST_CASE("gates tell every count apart, with few of them") {
  std::mt19937_64 random(41);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 200; i++) {
    RangeRule rule;
    rule.radius = 1 + below(9);
    rule.middle = below(2) == 0;
    rule.shape = static_cast<RangeShape>(i % 11);
    const int most = rule.most();
    for (CountSet* counts : {&rule.survival, &rule.birth}) {
      std::vector<CountSet::Run> runs;
      for (int k = below(4); k > 0; k--) {
        const int first = below(most + 1);
        runs.push_back({first, first + below(most + 1 - first)});
      }
      *counts = CountSet::of(runs);
    }
    const RangeGates gates = range_gates(rule);
    CAPTURE(range_text(rule, 2));
    bool right = true;
    for (int count = 0; count <= most + !rule.middle; count++) {
      for (const bool one : {false, true}) {
        if (count == 0 && one) continue;
        const int counted = count - (one && !rule.middle);
        const CountSet& set = one ? rule.survival : rule.birth;
        right = right && answer(gates, count, one) == set.has(counted);
      }
    }
    CHECK(right);
  }
  CHECK(range_gates(*parse_rule(kBosco).range).gates.size() <= 8);
}
