#include "core/stepping/surroundings.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/stepping/backend_spec.h"

using namespace tessera;

namespace {

// The cells of a grid as letters in reading order, and a ring of what they see around it.
std::vector<std::string> drawn(const std::string& universe) {
  const BackendSpec spec = backend_spec(parse_rule_spec("B3/S23" + universe));
  const Surroundings surroundings(spec);
  std::vector<std::string> rows;
  for (std::int64_t y = -1; y <= spec.height; y++) {
    std::string row;
    for (std::int64_t x = -1; x <= spec.width; x++) {
      const std::optional<Cell> seen = surroundings.cell({x, y});
      row += seen ? static_cast<char>('A' + seen->y * spec.width + seen->x) : '.';
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

// A Klein bottle that is shifted, too, is drawn the other way round there than Golly steps it.
TEST_CASE("edges are joined as Golly's help draws them") {
  struct Drawing {
    std::string universe;
    std::vector<std::string> rows;
  };
  const Drawing drawings[] = {
      {":P4,3", {"......", ".ABCD.", ".EFGH.", ".IJKL.", "......"}},
      {":T4,3", {"LIJKLI", "DABCDA", "HEFGHE", "LIJKLI", "DABCDA"}},
      {":T4+1,3", {"KLIJKL", "DABCDA", "HEFGHE", "LIJKLI", "ABCDAB"}},
      {":T4,3+1", {"HIJKLA", "LABCDE", "DEFGHI", "HIJKLA", "LABCDE"}},
      {":K4*,3", {"ILKJIL", "DABCDA", "HEFGHE", "LIJKLI", "ADCBAD"}},
      {":K4,3*", {"DIJKLA", "LABCDI", "HEFGHE", "DIJKLA", "LABCDI"}},
      {":K4*+1,3", {"LKJILK", "DABCDA", "HEFGHE", "LIJKLI", "DCBADC"}},
      {":K3,4*+1", {"LJKLJ", "IABCG", "FDEFD", "CGHIA", "LJKLJ", "IABCG"}},
      {":C4,3", {"ALKJID", "LABCDI", "HEFGHE", "DIJKLA", "IDCBAL"}},
      {":S3", {"AADGC", "AABCG", "BDEFH", "CGHII", "GCFII"}},
      // A shift to the other side, and sides of 1.
      {":T4-1,3", {"IJKLIJ", "DABCDA", "HEFGHE", "LIJKLI", "CDABCD"}},
      {":T3+1,1", {"BCABC", "CABCA", "ABCAB"}},
      {":K1*,2", {"BBB", "AAA", "BBB", "AAA"}},
      {":C1,1", {"AAA", "AAA", "AAA"}},
      {":S1", {"AAA", "AAA", "AAA"}},
  };
  for (const Drawing& each : drawings) {
    INFO(each.universe);
    CHECK(drawn(each.universe) == each.rows);
  }
}

TEST_CASE("what lies further away is seen by crossing edges one after the other") {
  for (const char* universe : {":T5,3", ":T5+2,3", ":T5,4-1", ":K5*,3", ":K4*+1,3", ":K5,4*",
                               ":K5,4*+1", ":K1,6*+1", ":K6*,1"}) {
    INFO(universe);
    const BackendSpec spec = backend_spec(parse_rule_spec(std::string("B3/S23") + universe));
    const Surroundings surroundings(spec);
    for (const std::int64_t dx : {-1, 0, 1}) {
      for (const std::int64_t dy : {-1, 0, 1}) {
        if ((dx != 0) == (dy != 0)) continue;
        for (std::int64_t y = 0; y < spec.height; y++) {
          for (std::int64_t x = 0; x < spec.width; x++) {
            // Once round more from where one round led to, by the ring alone: cells at the edges.
            Cell there{x, y};
            for (std::int64_t times = 1; times <= 5; times++) {
              const Cell edge{dx < 0   ? 0
                              : dx > 0 ? spec.width - 1
                                       : there.x,
                              dy < 0   ? 0
                              : dy > 0 ? spec.height - 1
                                       : there.y};
              const Cell across = *surroundings.cell({edge.x + dx, edge.y + dy});
              if (dx != 0) there.y = across.y;
              if (dy != 0) there.x = across.x;
              CHECK(*surroundings.cell(
                        {x + times * dx * spec.width, y + times * dy * spec.height}) == there);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a universe unrolls where copies of it evolve as it does") {
  const auto does = [](const std::string& universe) {
    return unrolls(backend_spec(parse_rule_spec(universe)));
  };
  for (const char* each : {"B3/S23:T9", "B3/S23:P9", "W110:T9+1,9", "B2/S34H:T9,9+1",
                           "B3/S23:K9*,9", "B2-a/S12:K9,9*", "B13/S013V:K9,9*", "345/2/4:K9*,9",
                           "WireWorld:K9*,9", "B3/S23|B2-a/S12:K9*,9", "W90:K9*,9"}) {
    INFO(each);
    CHECK(does(each));
  }
  for (const char* each : {"B3/S23:C9", "B3/S23:S9", "B2/S34H:K9*,9", "B2/S34H:K9,9*", "W110:K9*,9",
                           "W90:K9,9*", "B2/S12|B2/S34H:K9*,9"}) {
    INFO(each);
    CHECK_FALSE(does(each));
  }
}
