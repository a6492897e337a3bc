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
