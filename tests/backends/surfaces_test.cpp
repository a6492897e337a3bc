// Universes whose edges are shifted or twisted: against bgolly, and against plain tori that cover
// them.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/pattern_io.h"
#include "core/stepping/backend_spec.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr const char* kRules[] = {"B3/S23", "B36/S125", "B2-a/S12", "B2/S34H", "B13/S013V", "W110"};

// Whole words, odd sizes, sides of 1 and 2.
const std::vector<std::string> kUniverses = {
    ":T30+5,20", ":T30-7,20", ":T31,21+4", ":T66,130-60", ":T1,9+4",   ":T9+2,1",    ":T2+1,2",
    ":T3,1",     ":K30*,20",  ":K30,20*",  ":K31*,21",    ":K31,21*",  ":K30*+1,20", ":K30,20*+1",
    ":K64*+1,7", ":K7,64*+1", ":K1*,12",   ":K1,12*+1",   ":K12*+1,1", ":K13,1*",    ":K2*,2",
    ":C30,20",   ":C31,21",   ":C64,65",   ":C1,11",      ":C12,1",    ":C2,2",      ":C1,1",
    ":S20",      ":S21",      ":S65",      ":S128",       ":S3",       ":S2",        ":S1"};

std::optional<Pattern> bgolly_after(const ScratchFolder& folder, const Pattern& start,
                                    std::int64_t generations) {
  const std::string in = folder.file("in.rle"), out = folder.file("out.rle");
  write_pattern(in, start);
  const Shell shell = run_shell(fmt::format("bgolly -a QuickLife -m {} -i {} -o '{}' '{}' 2>&1",
                                            generations, generations, out, in));
  INFO(shell.output);
  REQUIRE(shell.status == 0);
  return read_pattern(out);
}

// Steps a universe by every kernel that takes it; the bits must be `wanted`.
void check_kernels(const RuleSpec& spec, const CellGrid& start, std::int64_t generations,
                   const CellGrid& wanted) {
  for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
    Universe ours(spec, kernel.factory());
    ours.load(start, spec.origin());
    ours.step(generations);
    CHECK(ours.window(ours.extent()) == wanted);
  });
}

// A soup on a shifted torus or a Klein bottle, and on the torus that covers it: `copies` of it
// stand across its seam, each where the seam leads from the one before.
CellGrid cover_of(const CellGrid& cells, const RuleSpec& spec, std::int64_t copies) {
  const std::int64_t w = spec.width, h = spec.height;
  const bool down = !spec.seam.vertical;
  CellGrid out(down ? w : w * copies, down ? h * copies : h);
  for (std::int64_t copy = 0; copy < copies; copy++) {
    for (std::int64_t y = 0; y < h; y++) {
      for (std::int64_t x = 0; x < w; x++) {
        const std::int64_t side = down ? w : h, along = down ? x : y;
        // The copy's own coordinate along the seam is this far from the first one's.
        std::int64_t from = along;
        if (spec.topology == Topology::shifted_torus) {
          from = floor_mod(along + copy * spec.seam.shift, side);
        } else if (copy % 2 == 1) {
          from = floor_mod(side - 1 - along - spec.seam.shift, side);
        }
        const bool live = down ? cells.state(from, y) : cells.state(x, from);
        if (live) out.plane(0).set(down ? x : copy * w + x, down ? copy * h + y : y, true);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("surfaces evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  std::uint64_t seed = 0;
  int living = 0;
  for (const std::string& universe : kUniverses) {
    for (const int generations : {1, 9}) {
      const RuleSpec spec = parse_rule_spec(kRules[seed % std::size(kRules)] + universe);
      INFO(to_string(spec) << ", generations " << generations);
      CHECK(to_string(spec).ends_with(universe));
      Universe start(spec, reference().factory());
      start.fill({++seed, 26000});
      const Pattern pattern = start.pattern();
      const CellGrid cells = start.window(start.extent());
      const Pattern wanted = *bgolly_after(folder, pattern, generations);
      CHECK(wanted.rule.value_or(RuleSpec{}) == spec);
      living += wanted.cells.population() > 0;
      for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
        Universe ours(spec, kernel.factory());
        ours.load(cells, spec.origin());
        ours.step(generations);
        CHECK(ours.population() == wanted.cells.population());
        CHECK(at_origin(ours.pattern().cells) == at_origin(wanted.cells));
      });
    }
  }
  CHECK(living >= static_cast<int>(kUniverses.size()));
}

TEST_CASE("a shifted torus and a Klein bottle are steps of the torus that covers them") {
  std::mt19937_64 random(30);
  const std::int64_t trials = case_count(60);
  for (std::int64_t trial = 0; trial < trials; trial++) {
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    RuleSpec spec;
    spec.rule = parse_rule(kRules[random() % std::size(kRules)]);
    if (!spec.rule.outer_totalistic()) spec.rule = parse_rule("B3678/S34678");
    spec.width = 1 + below(trial % 5 == 0 ? 200 : 40);
    spec.height = 1 + below(40);
    spec.seam.vertical = random() % 2;
    const std::int64_t side = spec.seam.vertical ? spec.height : spec.width;
    std::int64_t copies = 2;
    if (random() % 2 && side > 1) {
      spec.topology = Topology::shifted_torus;
      spec.seam.shift = (1 + below(side - 1)) * (random() % 2 ? 1 : -1);
      copies = side / std::gcd(side, spec.seam.shift);
    } else {
      spec.topology = Topology::klein_bottle;
      spec.seam.shift = side % 2 == 0 ? below(2) : 0;
    }
    REQUIRE(parse_rule_spec(to_string(spec)) == spec);
    INFO(to_string(spec));
    const CellGrid cells = make_soup({random(), 30000}, spec.width, spec.height);
    const std::int64_t generations = 1 + below(12);
    RuleSpec torus = spec;
    torus.topology = Topology::torus;
    torus.seam = {};
    torus.width = spec.seam.vertical ? spec.width * copies : spec.width;
    torus.height = spec.seam.vertical ? spec.height : spec.height * copies;
    const auto cover = reference().create(backend_spec(torus));
    cover->upload(cover_of(cells, spec, copies));
    cover->step(generations);
    const CellGrid wanted = cover->download({0, 0, spec.width, spec.height});
    // It still covers: the last copy goes back to the first.
    CHECK(cover->download() == cover_of(wanted, spec, copies));
    check_kernels(spec, cells, generations, wanted);
  }
}

TEST_CASE("every kernel steps surfaces of any rule as the reference does") {
  std::mt19937_64 random(31);
  for (const std::string& universe :
       {std::string(":T700+333,150"), std::string(":T129,700-64"), std::string(":K640*+1,99"),
        std::string(":K127,300*+1"), std::string(":C191,257"), std::string(":S320")}) {
    for (const char* rule : kRules) {
      const RuleSpec spec = parse_rule_spec(rule + universe);
      INFO(to_string(spec));
      const CellGrid cells = make_soup({random(), 30000}, spec.width, spec.height);
      const auto judge = reference().create(backend_spec(spec));
      judge->upload(cells);
      judge->step(7);
      check_kernels(spec, cells, 7, judge->download());
    }
  }
}
