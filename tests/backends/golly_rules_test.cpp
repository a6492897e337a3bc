// Rules of every family, stepped here and by bgolly, the program that Debian's package "golly"
// ships.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "core/pattern_io.h"
#include "core/rules/isotropic_letters.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr int kGenerations = 5;

// Each letter of each count alone, in births and in survivals, beside counts that keep soups alive.
void add_letters(std::vector<std::string>& rules) {
  for (int n = 1; n <= 7; n++) {
    for (const char letter : arrangement_letters(n)) {
      const char* births = n == 3 ? "2c" : "3";
      const char* survivals = n == 2 ? "35" : n == 5 ? "23" : "25";
      rules.push_back(fmt::format("B{}{}{}/S{}{}{}", n < 3 ? "" : births, n, letter,
                                  n < 2             ? ""
                                  : n == 2 || n > 5 ? ""
                                                    : "1",
                                  n, letter));
      rules.back() += n < 3 ? survivals : "";
    }
  }
}

std::string random_map(std::mt19937_64& random, int bits) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "MAP";
  for (int i = 0; i < (bits + 5) / 6; i++) text += digits[random() % 64];
  text[3] = digits[random() % 32];  // nothing is born from nothing
  return to_string(parse_rule(text));
}

std::vector<std::string> rules_to_compare() {
  std::vector<std::string> rules = {"B2-a/S12",
                                    "B3/S2-i34q",
                                    "B2n3/S23-q",
                                    "B34t/S2-i35a7e",
                                    "B2/S34H",
                                    "B2/S35H",
                                    "B13/S13H",
                                    "B245/S3H",
                                    "B1/S0123456H",
                                    "B456/S23H",
                                    "B13/S13V",
                                    "B2/S013V",
                                    "B1/S1V",
                                    "B234/S1234V",
                                    "B12/SV",
                                    "W30",
                                    "W90",
                                    "W110",
                                    "W22",
                                    "W250",
                                    "B3-ce4t5ai6/S1c2-k3aceiq4-ntw5y7c8"};
  add_letters(rules);
  std::mt19937_64 random(2026);
  for (int i = 0; i < 6; i++) {
    rules.push_back(random_map(random, 512));
    rules.push_back(random_map(random, 128));
    rules.push_back(random_map(random, 32));
  }
  return rules;
}

// Every kernel that steps the spec makes of the pattern what is wanted.
void check_kernels(const RuleSpec& spec, const Pattern& pattern, const Pattern& wanted) {
  for (const Kernel& kernel : kernels_here()) {
    if (!supports(kernel, grid_spec(spec))) continue;
    INFO(kernel.name());
    Universe ours(spec, kernel.factory());
    ours.place(pattern);
    ours.step(kGenerations);
    CHECK(ours.population() == wanted.cells.population());
    CHECK(planes_at_origin(ours.pattern()) == planes_at_origin(wanted));
    ran(kernel);
  }
}

}  // namespace

TEST_CASE("rules of every family evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::vector<std::string> rules = rules_to_compare();
  CHECK(rules.size() >= 60);
  std::uint64_t seed = 0;
  int living = 0;
  for (const std::string& rule : rules) {
    // Every rule on a torus, and in turns on a plane and without bounds.
    for (const std::string& universe :
         {std::string(":T48,40"), std::string(seed % 4 < 2 ? ":P48,40" : "")}) {
      const RuleSpec spec = parse_rule_spec(rule + universe);
      INFO(to_string(spec));
      Universe start(spec, reference().factory());
      const Soup soup{++seed, 26000};
      start.load(universe.empty() ? make_soup(soup, 18, 15) : make_soup(soup, 48, 40),
                 spec.origin());
      const Pattern pattern = start.pattern();
      const Pattern wanted = stepped_by_bgolly(pattern, "QuickLife", kGenerations, folder);
      CHECK(wanted.rule.value_or(RuleSpec{}) == spec);
      living += wanted.cells.population() > 0;
      check_kernels(spec, pattern, wanted);
    }
  }
  // A dead universe proves little.
  CHECK(living >= static_cast<int>(rules.size()) * 3 / 2);
}

TEST_CASE("rules of several states evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::vector<std::string> rules = {"/2/3",
                                          "345/2/4",
                                          "234/34678/24",
                                          "23/23/8",
                                          "3/2/5H",
                                          "34/2/7H",
                                          "1/12/6V",
                                          "13/2/4V",
                                          "2-a/3/4",
                                          "12/2-a/5",
                                          "23/3/256",
                                          "0235678/3468/9",
                                          "WireWorld",
                                          "MAPARYXfg/5",
                                          "12/34/18",
                                          "6/246/50",
                                          "MAPARIgP/58waM+Dx3A5idNoA/3"};
  std::uint64_t seed = 40;
  int living = 0, number = 0;
  for (const std::string& rule : rules) {
    // One of three also along a tube or a strip.
    std::vector<std::string> universes = {":T48,40", ":P48,40", ""};
    if (++number % 3 == 0) universes.push_back(number % 2 ? ":T0,40" : ":P48,0");
    for (const std::string& universe : universes) {
      const RuleSpec spec = parse_rule_spec(rule + universe);
      INFO(to_string(spec));
      Universe start(spec, reference().factory());
      const Soup soup{++seed, 30000, static_cast<std::uint16_t>(spec.rule.states())};
      const bool bounded = spec.bounded();
      start.load(make_soup_cells(soup, bounded ? 48 : 18, bounded ? 40 : 15, spec.rule.planes()),
                 spec.origin());
      const Pattern pattern = start.pattern();
      const bool wires = spec.rule.family == RuleFamily::wire_world;
      const Pattern wanted = stepped_by_bgolly(
          pattern, wires ? kRuleLoader : std::string("Generations"), kGenerations, folder);
      CHECK(wanted.rule.value_or(RuleSpec{}) == spec);
      living += wanted.cells.population() > 0;
      check_kernels(spec, pattern, wanted);
    }
  }
  CHECK(living >= static_cast<int>(rules.size()) * 2);
}
