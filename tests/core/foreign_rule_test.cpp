#include "core/rules/foreign_rule.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/rules/rule.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

TEST_CASE("rules of other families are called by their names") {
  // As files in circulation spell them.
  const std::vector<std::pair<std::string, std::string>> known = {
      {"R1,C2,S4-6,B5,NW0102010201020102", "a weighted rule"},
      {"R2,C2,S2,B3,NL", "a triangular rule"},
      {"B2o/S2m34H", "a hexagonal rule with letters"},
      {"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "a rule of the Margolus neighbourhood"},
      {"MS,D0;8;4;3;2;5;9;7;1;6;10;11;12;13;14;15", "a rule of the Margolus neighbourhood"},
      {"2PCA4,0,2,1,8,3,5,6,7,4,9,10,11,12,13,14,15", "a partitioned rule (PCA)"},
      {"B3/S23Super", "a Super rule"},
      {"B3/S23History", "a rule with history"},
      {"B3/S23L", "a triangular rule"},
      {"B45/S34LE", "a triangular rule"},
      {"345/2/4L", "a triangular rule"},
  };
  for (const auto& each : known) {
    const std::string text = each.first, what = each.second;
    CAPTURE(text);
    CHECK(foreign_rule(text) == what);
    const std::string message = message_of<ParseError>([&] { parse_rule(text); });
    CHECK(message.find("is " + what + "; that is not supported; accepted are ") !=
          std::string::npos);
  }
}

TEST_CASE("what this program reads, and what nobody does, is of no other family") {
  for (const NamedRule& named : named_rules()) {
    CAPTURE(std::string(named.name));
    CHECK(foreign_rule(named.name).empty());
    CHECK(foreign_rule(to_string(named.rule)).empty());
  }
  for (const char* text :
       {"", "B2-a/S12", "B2/S34H", "W110", "B3/S23", "b3s23", "23/3", "B3/B3", "B3/S23/", "B3",
        "MAP", "R", "W", "H", "Lief", "B3/S23x", "////", "B9/S23"}) {
    CAPTURE(text);
    CHECK(foreign_rule(text).empty());
  }
}

TEST_CASE("a misspelled name is met with the one that was meant") {
  const auto message = [](const char* text) {
    return message_of<ParseError>([text] { parse_rule(text); });
  };
  CHECK(message("HiLife").find("is not known; did you mean HighLife? Accepted are") !=
        std::string::npos);
  CHECK(message("day nigth").find("did you mean Day & Night?") != std::string::npos);
  CHECK(message("frobnicate").find("did you mean") == std::string::npos);
}
