// B0 on the infinite plane: against bgolly, and against the rule taken literally on a torus on
// which nothing can have gone round.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/pattern_io.h"
#include "core/stepping/backend_spec.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/complement.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const std::vector<std::string> kRules = {
    "B03/S23",      "B0123478/S01234678", "B01/S8",    "B0/S",       "B08/S1",   "B02a/S3-n5",
    "B02c3/S238",   "B03-k/S2-i34q8",     "B024/S13H", "B013/S236H", "B02/S13V", "B01/S4V",
    "B0123/S01234V"};

std::string random_rule(std::mt19937_64& random) {
  std::string text = "B0";
  for (int n = 1; n <= 8; n++)
    if (random() % 3 == 0) text += std::to_string(n);
  text += "/S";
  for (int n = 0; n <= 8; n++)
    if (random() % 2 == 0) text += std::to_string(n);
  return text;
}

// What is stored, by the definition: live cells, or where the far away background is alive, dead
// ones. Where the rule has S8, too, it is so from the beginning, and a file's cells are dead ones.
bool stores_complement(const Rule& rule, std::int64_t generation) {
  return rule.next_of(kPatterns - 1) || generation % 2 == 1;
}

}  // namespace

TEST_CASE("B0 on the infinite plane is the rule, seen against its background") {
  std::mt19937_64 random(8);
  std::vector<std::string> rules = kRules;
  for (int i = 0; i < 20; i++) rules.push_back(random_rule(random));
  for (const std::string& text : rules) {
    INFO(text);
    RuleSpec spec{parse_rule(text)};
    REQUIRE(spec.rule.has_b0());
    constexpr std::int64_t kSide = 20, kMost = 13, kTorus = kSide + 2 * kMost + 4;
    const CellGrid soup = make_soup({random(), 30000}, kSide, kSide);
    RuleSpec literal = spec;
    literal.topology = Topology::torus;
    literal.width = literal.height = kTorus;
    const auto torus = reference().create(backend_spec(literal));
    CellGrid start(kTorus, kTorus);
    start.paste(kMost + 2, kMost + 2, soup);
    torus->upload(stores_complement(spec.rule, 0) ? complement(start) : start);
    std::vector<CellGrid> wanted;
    for (std::int64_t g = 0; g <= kMost; g++) {
      if (g > 0) torus->step(1);
      const CellGrid cells = torus->download();
      wanted.push_back(stores_complement(spec.rule, g) ? complement(cells) : cells);
    }
    for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
      Universe ours(spec, kernel.factory());
      ours.load(soup, {0, 0});
      for (const std::int64_t step : {1, 2, 3, 7}) {
        ours.step(step);
        const auto& now = wanted[static_cast<std::size_t>(ours.generation())];
        CHECK(ours.window({-kMost - 2, -kMost - 2, kTorus, kTorus}) == now);
        CHECK(ours.population() == now.population());
      }
    });
  }
}

TEST_CASE("B0 on the infinite plane evolves as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::string in = folder.file("in.rle"), out = folder.file("out.rle");
  std::mt19937_64 random(9);
  std::vector<std::string> rules = kRules;
  for (int i = 0; i < 8; i++) rules.push_back(random_rule(random));
  int living = 0;
  for (const std::string& text : rules) {
    const RuleSpec spec{parse_rule(text)};
    for (const int generations : {1, 5, 6}) {
      INFO(text << ", generations " << generations);
      Universe start(spec, reference().factory());
      start.load(make_soup({random(), 26000}, 18, 15), {0, 0});
      const Pattern pattern = start.pattern();
      write_pattern(in, pattern);
      const Shell shell = run_shell(
          fmt::format("bgolly -a QuickLife -m {} -i 1 -o '{}' '{}' 2>&1", generations, out, in));
      INFO(shell.output);
      REQUIRE(shell.status == 0);
      const Pattern wanted = read_pattern(out);
      CHECK(wanted.rule.value_or(RuleSpec{}) == spec);
      living += wanted.cells.population() > 0;
      for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
        Universe ours(spec, kernel.factory());
        ours.place(pattern);
        ours.step(generations);
        CHECK(ours.population() == wanted.cells.population());
        CHECK(at_origin(ours.pattern().cells) == at_origin(wanted.cells));
      });
    }
  }
  CHECK(living >= static_cast<int>(rules.size()) * 2);
}
