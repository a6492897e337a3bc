#include "core/rules/rule_spec.h"

#include <doctest/doctest.h>

#include <string>

#include "core/base/error.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

TEST_CASE("universes are read and printed as Golly spells them") {
  struct Good {
    std::string text;
    std::string canonical;
    Topology topology;
    std::int64_t width, height;
  };
  const Good goods[] = {
      {"B3/S23", "B3/S23", Topology::infinite, 0, 0},
      {"life", "B3/S23", Topology::infinite, 0, 0},
      {"B3/S23:T256,128", "B3/S23:T256,128", Topology::torus, 256, 128},
      {"23/3:t256,128", "B3/S23:T256,128", Topology::torus, 256, 128},
      {"Seeds:P300,200", "B2/S:P300,200", Topology::plane, 300, 200},
      {"b3s23:p30", "B3/S23:P30,30", Topology::plane, 30, 30},
      {"B3/S23:T1", "B3/S23:T1,1", Topology::torus, 1, 1},
      {"B0/S8:T1,2", "B0/S8:T1,2", Topology::torus, 1, 2},
      {"Day & Night:P007,1", "B3678/S34678:P7,1", Topology::plane, 7, 1},
      {"B3/S23:T1099511627776,1", "B3/S23:T1099511627776,1", Topology::torus, kMaxSide, 1},
      {"B3/S23:t30+5,20", "B3/S23:T30+5,20", Topology::shifted_torus, 30, 20},
      {"B3/S23:T30-65,20", "B3/S23:T30-5,20", Topology::shifted_torus, 30, 20},
      {"B3/S23:T30+5", "B3/S23:T30+5,30", Topology::shifted_torus, 30, 30},
      {"B3/S23:T30,20-2", "B3/S23:T30,20-2", Topology::shifted_torus, 30, 20},
      {"B3/S23:T30+0,20-2", "B3/S23:T30,20-2", Topology::shifted_torus, 30, 20},
      {"B3/S23:T30+30,20-20", "B3/S23:T30,20", Topology::torus, 30, 20},
      {"B3/S23:K30,20", "B3/S23:K30,20*", Topology::klein_bottle, 30, 20},
      {"B3/S23:k30", "B3/S23:K30,30*", Topology::klein_bottle, 30, 30},
      {"B3/S23:K30*", "B3/S23:K30*,30", Topology::klein_bottle, 30, 30},
      {"B3/S23:K30*,20", "B3/S23:K30*,20", Topology::klein_bottle, 30, 20},
      {"B3/S23:K30*-2,20", "B3/S23:K30*+1,20", Topology::klein_bottle, 30, 20},
      {"B3/S23:K30*+60,20", "B3/S23:K30*,20", Topology::klein_bottle, 30, 20},
      {"B3/S23:K31*+1,20", "B3/S23:K31*,20", Topology::klein_bottle, 31, 20},
      {"B3/S23:K30,20*+3", "B3/S23:K30,20*+1", Topology::klein_bottle, 30, 20},
      {"B3/S23:K30,21*+3", "B3/S23:K30,21*", Topology::klein_bottle, 30, 21},
      {"B3/S23:C30", "B3/S23:C30,30", Topology::cross_surface, 30, 30},
      {"B3/S23:c30,20", "B3/S23:C30,20", Topology::cross_surface, 30, 20},
      {"B3/S23:S30", "B3/S23:S30", Topology::sphere, 30, 30},
      {"B0/S", "B0/S", Topology::infinite, 0, 0},
      {"b3s23|Seeds", "B3/S23|B2/S", Topology::infinite, 0, 0},
      {"23/3|B2/S:t30", "B3/S23|B2/S:T30,30", Topology::torus, 30, 30},
      {"345/2/4|WireWorld:P5", "345/2/4|WireWorld:P5,5", Topology::plane, 5, 5},
      {"B3/S23|life", "B3/S23", Topology::infinite, 0, 0},
      {"B0/S|B3/S8:S9", "B0/S|B3/S8:S9", Topology::sphere, 9, 9},
  };
  for (const Good& good : goods) {
    CAPTURE(good.text);
    const RuleSpec spec = parse_rule_spec(good.text);
    CHECK(spec.topology == good.topology);
    CHECK(spec.width == good.width);
    CHECK(spec.height == good.height);
    CHECK(spec.bounded() == (good.topology != Topology::infinite));
    CHECK(to_string(spec) == good.canonical);
    CHECK(parse_rule_spec(to_string(spec)) == spec);
  }
}

TEST_CASE("a bounded universe has its top-left cell at minus half its size, rounded towards zero") {
  CHECK(parse_rule_spec("B3/S23:T24,16").origin() == Cell{-12, -8});
  CHECK(parse_rule_spec("B3/S23:P25,1").origin() == Cell{-12, 0});
  CHECK(parse_rule_spec("B3/S23:T2,3").origin() == Cell{-1, -1});
}

TEST_CASE("sides without end are those of tubes, strips and the infinite plane") {
  const RuleSpec tube = parse_rule_spec("B3/S23:t0,68");
  CHECK(to_string(tube) == "B3/S23:T0,68");
  CHECK(tube.topology == Topology::torus);
  CHECK(tube.has_edges());
  CHECK(tube.half_infinite());
  CHECK(!tube.bounded());
  CHECK(tube.origin() == Cell{0, -34});
  constexpr std::int64_t kFarthest = (std::int64_t{1} << 62) - 1;
  CHECK(tube.cells() == Rect{-kFarthest, -34, 2 * kFarthest, 68});
  const RuleSpec strip = parse_rule_spec("B3/S23:P25,0");
  CHECK(to_string(strip) == "B3/S23:P25,0");
  CHECK(strip.cells() == Rect{-12, -kFarthest, 25, 2 * kFarthest});
  for (const char* text : {"B3/S23:T0", "B3/S23:P0,0", "B3/S23:p0", "B03/S23:P0"}) {
    CAPTURE(text);
    const RuleSpec plane = parse_rule_spec(text);
    CHECK(plane == parse_rule_spec(std::string(text).substr(0, std::string(text).find(':'))));
    CHECK(!plane.half_infinite());
  }
  CHECK(!parse_rule_spec("B3/S23:T5,5").half_infinite());
  CHECK(parse_rule_spec("B3/S23:T5,4").cells() == Rect{-2, -2, 5, 4});
}

TEST_CASE("a malformed universe is refused at its column") {
  struct Bad {
    std::string text;
    std::string place;
    std::string why;
  };
  const Bad bads[] = {
      {"B3/S23:", "r:7:8", "a universe is :T (torus), :P (bounded plane), :K"},
      {"B3/S23:M30", "r:7:8", "a universe is :T (torus)"},
      {"B3/S23:S30,30", "r:7:12", "a sphere is a square"},
      {"B3/S23:S30+1", "r:7:11", "only the edges of a torus"},
      {"B3/S23:S0", "r:7:9",
       "a side of 0 (without end) is for a torus, :T, or a plane, :P; a sphere"},
      {"B3/S23:K30*,0", "r:7:13", "a Klein bottle ends on all sides"},
      {"B3/S23:C0,30", "r:7:9", "a cross-surface ends on all sides"},
      {"B3/S23:T0+1,30", "r:7:10", "edges are shifted where both sides end"},
      {"B3/S23:T30,0-1", "r:7:13", "edges are shifted where both sides end"},
      {"B3/S23:T30+1,0", "r:7:15", "edges are shifted where both sides end"},
      {"B03/S23:P0,30", "r:7:1", "cells without end are born beside the edges of a strip"},
      {"B3/S23|B0/S:P30,0", "r:7:1", "cells without end are born"},
      {"B3/S23:C30*,20", "r:7:11", "edges of a Klein bottle"},
      {"B3/S23:C30,20+1", "r:7:14", "only the edges of a torus"},
      {"B3/S23:P30-1,20", "r:7:11", "only the edges of a torus"},
      {"B3/S23:K30*,20*", "r:7:15", "both are a cross-surface, :C"},
      {"B3/S23:K30+1,20", "r:7:11", "stands behind its twisted edges"},
      {"B3/S23:K30*,20+1", "r:7:15", "stands behind its twisted edges"},
      {"B3/S23:K30+1*,20", "r:7:11", "stands behind its twisted edges"},
      {"B3/S23:K30*+1*,20", "r:7:14", "unexpected text after the universe"},
      {"B3/S23:K30*+,20", "r:7:13", "behind + or -"},
      {"B3/S23:K,20", "r:7:9", "a number was expected"},
      {"B3/S23:T30+7,20-1", "r:7:16", "one pair of edges can be shifted"},
      {"B3/S23:T30+-7,20", "r:7:12", "behind + or -"},
      {"B3/S23:T30+1099511627777,20", "r:7:12", "1 to 1099511627776 cells are accepted"},
      {"B3/S23:T", "r:7:9", "a number was expected"},
      {"B3/S23:T-5", "r:7:9", "a number was expected"},
      {"B3/S23:T30,", "r:7:12", "a number was expected"},
      {"B3/S23:T,30", "r:7:9", "a number was expected"},
      {"B3/S23:T30,20*", "r:7:14", "edges of a Klein bottle"},
      {"B3/S23:T30,20x", "r:7:14", "unexpected text after the universe"},
      {"B3/S23:T30x20", "r:7:11", "unexpected text after the universe"},
      {"B3/S23:T30,20,10", "r:7:14", "unexpected text after the universe"},
      {"B3/S23:T1099511627777", "r:7:9", "1 to 1099511627776 cells are accepted"},
      {"B3/S23:T5,99999999999999999999999999", "r:7:11", "1 to 1099511627776 cells are accepted"},
      {"B3/S9:T5", "r:7:5", "at most 8 neighbours"},
      {":T5,5", "r:7:1", "is not known"},
      {"B3/S23|B9/S:T5", "r:7:9", "at most 8 neighbours"},
      {"B3/S23|", "r:7:8", "is not known"},
      {"|B3/S23", "r:7:1", "is not known"},
      {"B3/S23|B2/S|B1/S:T5", "r:7:12", "no third one"},
      {"B3/S23|/2/3", "r:7:8", "the same number of states; these have 2 and 3"},
      {"B0/S|B3/S238", "r:7:6", "only after four generations"},
  };
  for (const Bad& bad : bads) {
    CAPTURE(bad.text);
    try {
      const RuleSpec spec = parse_rule_spec(bad.text, "r:7");
      FAIL_CHECK("read as " << to_string(spec));
    } catch (const ParseError& error) {
      const std::string what = error.what();
      CAPTURE(what);
      CHECK(error.place() == bad.place);
      CHECK(what.rfind(bad.place + ": ", 0) == 0);
      CHECK(what.find(bad.why) != std::string::npos);
      CHECK(what.find('\n') == std::string::npos);
    }
  }
  CHECK(message_of<ParseError>([] { parse_rule_spec("B3/S23:Q"); }).rfind("rule:1:8: ", 0) == 0);
}
