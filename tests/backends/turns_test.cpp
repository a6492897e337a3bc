// Two rules in turns, as B3/S23|B2/S: every kernel against the reference stepping under one rule
// after the other, and on the infinite plane against a torus on which nothing has gone round.

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/stepping/backend_spec.h"
#include "core/universe.h"
#include "tests/support/complement.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Both rules of a spec alone, with its universe.
std::vector<RuleSpec> alone(const RuleSpec& spec) {
  RuleSpec even = spec, odd = spec;
  odd.rule = *spec.odd_rule;
  even.odd_rule.reset();
  odd.odd_rule.reset();
  return {even, odd};
}

// The cells after each of `generations`, from that of number `first` on, on a bounded universe:
// one reference of a rule hands them to one of the other.
std::vector<CellGrid> one_after_the_other(const RuleSpec& spec, const CellGrid& start,
                                          std::int64_t first, std::int64_t generations) {
  const std::vector<RuleSpec> rules = alone(spec);
  std::vector<CellGrid> all{start};
  for (std::int64_t g = first; g < first + generations; g++) {
    const auto backend = reference().create(backend_spec(rules[static_cast<std::size_t>(g % 2)]));
    backend->upload(all.back());
    backend->step(1);
    all.push_back(backend->download());
  }
  return all;
}

}  // namespace

TEST_CASE("two rules take turns on every bounded universe, from even and odd generations") {
  std::mt19937_64 random(31);
  for (const char* text :
       {"B3/S23|B2/S:T70,33", "B36/S125|B3/S23:P65,40", "B2-a/S12|B1/S1H:T64,20", "B0/S|B3/S23:T40",
        "B3/S23|B0/S8:K31,20*", "W110|B3/S23:P50,9", "345/2/4|/2/4:T66,31", "/2/4|3/2/4V:P30,20",
        "/2/3|23/3/3H:S21", "WireWorld|345/2/4:T20,20", "R2,C0,M0,S3..8,B4..6,NM|B3/S23:T70,33",
        "B2/S34H|R3,C0,M1,S4..9,B5..9,NN:P65,40",
        "R2,C4,M1,S3..8,B4..6,NC|R4,C4,M0,S9..22,B9..20,NM:T90,50",
        "12/2/4V|R1,C4,M0,S2..3,B2..3,NM:P30", "B2-a/S12|R2,C0,M0,S3..8,B4..6,NM:T40,20"}) {
    CAPTURE(text);
    const RuleSpec spec = parse_rule_spec(text);
    REQUIRE(spec.odd_rule);
    Soup soup{random(), 26000};
    soup.states = static_cast<std::uint16_t>(spec.rule.states());
    const CellGrid start = make_soup_cells(soup, spec.width, spec.height, spec.rule.planes());
    for (const std::int64_t first : {0, 7}) {
      const std::vector<CellGrid> wanted = one_after_the_other(spec, start, first, 13);
      for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
        Universe ours(spec, kernel.factory());
        ours.load(start, spec.origin());
        ours.set_generation(first);
        for (const std::int64_t step : {1, 2, 3, 7}) {
          ours.step(step);
          const auto& now = wanted[static_cast<std::size_t>(ours.generation() - first)];
          CHECK(ours.window(ours.extent()) == now);
        }
      });
    }
  }
}

TEST_CASE("two rules take turns on the infinite plane, also with B0") {
  struct Turns {
    const char* rules;
    bool even, odd;  // whether the background is alive in even and in odd generations
  };
  std::mt19937_64 random(32);
  for (const Turns& turns : {Turns{"B3/S23|B36/S125", false, false},
                             {"B0/S|B3/S23", false, true},
                             {"B0123/S8|B1/S02", false, true},
                             {"B3/S23|B03/S238", true, false},
                             {"B03/S23|B02/S1238", true, false},
                             {"B3/S23|B0/S", true, false},
                             {"B0/S8|B03/S238", true, true},
                             {"B3/S23|R2,C0,M0,S3..8,B4..6,NM", false, false}}) {
    CAPTURE(turns.rules);
    const RuleSpec spec = parse_rule_spec(turns.rules);
    constexpr std::int64_t kSide = 20, kMost = 13;
    const std::int64_t around = kMost * spec.reach() + 2, torus = kSide + 2 * around;
    const CellGrid soup = make_soup({random(), 30000}, kSide, kSide);
    RuleSpec literal = spec;
    literal.topology = Topology::torus;
    literal.width = literal.height = torus;
    CellGrid start(torus, torus);
    start.paste(around, around, soup);
    const bool complemented[] = {turns.even, turns.odd};
    std::vector<CellGrid> wanted =
        one_after_the_other(literal, turns.even ? complement(start) : start, 0, kMost);
    for (std::size_t g = 0; g < wanted.size(); g++)
      if (complemented[g % 2]) wanted[g] = complement(wanted[g]);
    for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
      Universe ours(spec, kernel.factory());
      ours.load(soup, {0, 0});
      for (const std::int64_t step : {1, 2, 3, 7}) {
        ours.step(step);
        const auto& now = wanted[static_cast<std::size_t>(ours.generation())];
        CHECK(ours.window({-around, -around, torus, torus}) == now);
        CHECK(ours.population() == now.population());
      }
    });
  }
}
