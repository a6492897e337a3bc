// Rules of longer range: every kernel against the reference, which counts plainly, and against
// bgolly, the program that Debian's package "golly" ships.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/box_backend.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/span_backend.h"
#include "core/pattern_io.h"
#include "core/rules/range_rule.h"
#include "core/stepping/backend_spec.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int between(int least, int most) { return least + below(most - least + 1); }
  std::uint64_t word() { return random_(); }

 private:
  std::mt19937_64 random_;
};

// A run of counts around those that soups of some density have, so that cells live and die.
CountSet::Run drawn_run(Dice& dice, int most) {
  const int first = dice.between(1, std::max(1, most / 2));
  return {first, std::min(most, first + dice.below(most / 4 + 2))};
}

Rule drawn_rule(Dice& dice, int radius, RangeShape shape) {
  RangeRule rule;
  rule.radius = radius;
  rule.shape = shape;
  rule.middle = dice.below(2) == 0;
  if (shape == RangeShape::custom) {
    rule.cells.resize(static_cast<std::size_t>(radius * (radius + 1) + 1) / 2);
    for (std::uint8_t& byte : rule.cells) byte = static_cast<std::uint8_t>(dice.below(256));
  }
  const int most = std::max(1, rule.most());
  for (CountSet* counts : {&rule.birth, &rule.survival}) {
    std::vector<CountSet::Run> runs;
    for (int k = dice.between(counts == &rule.birth, 3); k > 0; k--)
      runs.push_back(drawn_run(dice, most));
    *counts = CountSet::of(runs);
  }
  Rule out{0, 0, RuleFamily::range, {}};
  out.state_count = static_cast<std::uint16_t>(dice.below(3) ? 2 : dice.between(3, 20));
  out.range = kept_range_rule(rule);
  return out;
}

// Whether this processor has vectors of so many words, and code can be made for them.
bool has_vectors(int lanes) {
  const bool here =
      lanes == 8 ? __builtin_cpu_supports("avx512bw") != 0 : __builtin_cpu_supports("avx2") != 0;
  return here && !missing_machine_code(lanes);
}

// Half of the time another shape than the kernel's own choice.
void draw_shape(Dice& dice, const KernelInfo& kernel, Tuning& tuning) {
  if (dice.below(2)) return;
  for (const auto member : {&Tuning::group, &Tuning::rows}) {
    const TuningParameter* const parameter = kernel.parameter(member);
    if (!parameter) continue;
    const std::vector<int>& values = parameter->candidates;
    const int most = std::min(parameter->most, 30);
    tuning.*member =
        parameter->searched()
            ? values[static_cast<std::size_t>(dice.below(static_cast<int>(values.size())))]
            : dice.between(parameter->least, most);
  }
}

std::map<int, int> cases_of_lanes;  // cases that were stepped with code for such vectors, or none

void check_against_reference(const BackendSpec& spec, Dice& dice) {
  INFO(to_string(spec.rule) << ", " << spec.width << "x" << spec.height
                            << (spec.boundary == Boundary::torus ? " torus" : " plane"));
  Soup soup{dice.word(), static_cast<std::uint32_t>(dice.between(6000, 50000))};
  if (dice.below(2)) soup.states = static_cast<std::uint16_t>(spec.rule.states());
  const auto judge = reference().create(spec);
  judge->fill(soup);
  const CellGrid start = judge->download();
  const int steps = dice.between(1, 4);
  judge->step(steps);
  const CellGrid wanted = judge->download();
  const Rect all{0, 0, spec.width, spec.height};
  // Machine code of both kinds and what stands in for it, whichever `sums` takes here.
  Tuning tuning_of_own;
  tuning_of_own.threads = dice.between(1, 3);
  const auto step_on = [&](StepBackend&& own) {
    own.upload(start);
    own.step(steps);
    CHECK(own.download() == wanted);
  };
  for (const int lanes : {0, 4, 8}) {
    if ((lanes > 0 && !has_vectors(lanes)) || !BoxBackend::takes(spec, lanes)) continue;
    CAPTURE(lanes);
    step_on(BoxBackend(spec, {}, tuning_of_own, lanes));
    cases_of_lanes[lanes]++;
  }
  step_on(SpanBackend(spec, {}, tuning_of_own));
  for_each_kernel(spec, [&](const Kernel& kernel) {
    if (kernel.info.name == "reference") return;
    Tuning tuning;
    if (kernel.info.parameter(&Tuning::threads)) tuning.threads = dice.between(1, 3);
    draw_shape(dice, kernel.info, tuning);
    const auto ours = kernel.create(spec, tuning);
    ours->upload(start);
    CHECK(ours->download() == start);
    ours->step(steps);
    CHECK(ours->download() == wanted);
    const Survey found = ours->survey(kWholeSurvey), right = judge->survey(kWholeSurvey);
    CHECK(found.hash == right.hash);
    CHECK(found.population == right.population);
    CHECK(found.bounds == right.bounds);
    // By itself it may be counted in the kernel's own words.
    CHECK(ours->survey({.population = true}).population == right.population);
    const std::int64_t x = dice.below(static_cast<int>(spec.width)),
                       y = dice.below(static_cast<int>(spec.height));
    const Rect part{x, y, dice.between(1, static_cast<int>(spec.width - x)),
                    dice.between(1, static_cast<int>(spec.height - y))};
    CHECK(ours->download(part) == wanted.window(part));
    ours->edit({part.x, part.y}, start.window(part));
    CellGrid edited = wanted;
    edited.paste(part.x, part.y, start.window(part));
    CHECK(ours->download(all) == edited);
  });
}

BackendSpec spec_of(const Rule& rule, std::int64_t width, std::int64_t height, bool torus) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = torus ? Boundary::torus : Boundary::plane;
  spec.rule = rule;
  return spec;
}

}  // namespace

TEST_CASE("kernels of longer range give the reference's bits") {
  Dice dice(51);
  const std::int64_t cases = case_count(300);
  for (std::int64_t i = 0; i < cases; i++) {
    // Half of them count boxes, which have a kernel of their own.
    const auto shape = static_cast<RangeShape>(i % 2 ? 0 : i / 2 % 12);
    const int radius = dice.below(8) ? dice.between(1, 8) : dice.between(9, 24);
    // The judge looks at each neighbour of each cell.
    const int most = std::max(4, 2'000'000 / (2 * radius + 1) / (2 * radius + 1));
    const int width = i % 7 == 0 ? dice.between(1, 4) : dice.between(1, std::min(400, most));
    const int height = dice.between(1, std::clamp(most / width, 1, 90));
    check_against_reference(spec_of(drawn_rule(dice, radius, shape), width, height, i % 3 != 0),
                            dice);
  }
  for (const auto& [lanes, count] : cases_of_lanes)
    fmt::print("[tessera] machine code for {} words: {} cases\n", lanes, count);
}

TEST_CASE("the longest ranges are right") {
  Dice dice(52);
  for (const int radius : {31, 32, 63, 64, 100, 500}) {
    for (const bool torus : {false, true}) {
      for (const RangeShape shape : {RangeShape::moore, RangeShape::circular})
        check_against_reference(spec_of(drawn_rule(dice, radius, shape), 9, 5, torus), dice);
    }
  }
}

TEST_CASE("rules with more limits than gates are worth are right") {
  Dice dice(56);
  std::string odd;
  for (int count = 1; count < 80; count += 2) odd += fmt::format(",{}", count);
  for (const char* states : {"2", "9"}) {
    const std::string text = fmt::format("R5,C{},M0,S{},B{}-30,NC", states, odd.substr(1), 20);
    check_against_reference(spec_of(parse_rule(text), 97, 40, states[0] == '2'), dice);
  }
}

TEST_CASE("wide grids of many blocks and tall ones of many rows are right") {
  Dice dice(53);
  const Rule bosco = parse_rule("R5,C0,M1,S34..58,B34..45,NM");
  check_against_reference(spec_of(bosco, 2111, 40, true), dice);
  check_against_reference(spec_of(bosco, 1024, 90, true), dice);
  check_against_reference(spec_of(bosco, 40, 1700, false), dice);
  check_against_reference(spec_of(parse_rule("R2,C5,M0,S3..7,B5..6,NM"), 3001, 33, false), dice);
}

TEST_CASE("Bosco's rule takes few gates per word, and so does a cross of any range") {
  const BackendSpec spec = spec_of(parse_rule("R5,C0,M1,S34..58,B34..45,NM"), 64, 8, true);
  CHECK(BoxBackend(spec, {}, {}, 0).cost() <= 36);
  for (const int lanes : {4, 8}) {
    if (!has_vectors(lanes)) continue;
    // No sums of rows are kept for two gates more.
    CHECK(BoxBackend(spec, {}, {}, lanes).cost() <= 38);
    const auto cross = spec_of(parse_rule("R20,C2,S24-40,B24-32,N+"), 64, 8, true);
    CHECK(BoxBackend(cross, {}, {}, lanes).cost() <= 56);
  }
}

TEST_CASE("the infinite plane grows in time for what moves many cells a generation") {
  Dice dice(54);
  // Everything beside a live cell comes alive: nothing moves faster.
  for (const char* text :
       {"R3,C2,S,B1-48,NM", "R7,C2,S1-3,B1-2,N+", "R2,C4,S,B1-9,NN", "R40,C2,S,B1,NX"}) {
    CAPTURE(text);
    const Rule rule = parse_rule(text);
    const std::int64_t reach = rule.reach(), generations = reach > 20 ? 4 : reach > 3 ? 5 : 9;
    const std::int64_t side = 2 * reach * generations + 12;
    const CellGrid soup = make_soup_cells({dice.word(), 20000}, 6, 5, rule.planes());
    // On a torus on which nothing has gone round.
    const auto judge =
        make_factory("cpu", reach > 3 ? "sums" : "reference", {})(spec_of(rule, side, side, true));
    CellGrid start(side, side, rule.planes());
    start.paste(side / 2, side / 2, soup);
    judge->upload(start);
    judge->step(generations);
    for_each_kernel(grid_spec({rule}), [&](const Kernel& kernel) {
      if (kernel.info.name == "reference" && reach > 3) return;
      Universe ours({rule}, kernel.factory());
      ours.load(soup, {0, 0});
      for (std::int64_t g = 0; g < generations; g += 3)
        ours.step(std::min<std::int64_t>(3, generations - g));
      CHECK(ours.window({-side / 2, -side / 2, side, side}) == judge->download());
      CHECK(ours.population() == judge->download().population());
    });
  }
}

TEST_CASE("rules of longer range evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::string in = folder.file("in.rle"), out = folder.file("out.rle");
  Dice dice(55);
  int living = 0, cases = 0;
  for (int i = 0; i < 60; i++) {
    constexpr RangeShape kGolly[] = {RangeShape::moore, RangeShape::von_neumann,
                                     RangeShape::circular};
    const int radius = dice.below(4) ? dice.between(1, 5) : dice.between(6, 12);
    Rule rule = drawn_rule(dice, radius, kGolly[i % 3]);
    RangeRule one = *rule.range;
    for (CountSet* counts : {&one.birth, &one.survival}) {
      if (counts->runs.empty()) *counts = CountSet::of({{1, 2}});
      counts->runs.resize(1);
    }
    rule.range = kept_range_rule(one);
    RuleSpec spec{rule};
    if (i % 4 != 3) {
      spec.topology = i % 4 == 2 ? Topology::plane : Topology::torus;
      spec.width = dice.between(2 * radius, 90);  // Golly makes smaller ones larger
      spec.height = dice.between(2 * radius, 60);
    }
    const int generations = spec.bounded() ? 5 : 3;
    INFO(to_string(spec));
    Universe start(spec, reference().factory());
    Soup soup{dice.word(), static_cast<std::uint32_t>(dice.between(10000, 40000))};
    soup.states = static_cast<std::uint16_t>(rule.states());
    start.load(make_soup_cells(soup, spec.bounded() ? spec.width : 20,
                               spec.bounded() ? spec.height : 20, rule.planes()),
               spec.bounded() ? spec.origin() : Cell{});
    const Pattern pattern = start.pattern();
    write_pattern(in, pattern);
    const Shell shell =
        run_shell(fmt::format("bgolly -a 'Larger than Life' -m {} -i {} -o '{}' '{}' 2>&1",
                              generations, generations, out, in));
    INFO(shell.output);
    REQUIRE(shell.status == 0);
    const Pattern wanted = read_pattern(out);
    CHECK(to_string(wanted.rule.value_or(RuleSpec{})) == to_string(spec));
    living += wanted.cells.population() > 0;
    for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
      if (kernel.info.name == "reference" && !spec.bounded() && radius > 5) return;
      Universe ours(spec, kernel.factory());
      ours.place(pattern);
      ours.step(generations);
      const Pattern now = ours.pattern();
      CHECK(at_origin(now.cells) == at_origin(wanted.cells));
      CHECK(now.planes.size() == wanted.planes.size());
      CHECK(ours.population() == wanted.cells.population());
    });
    cases++;
  }
  MESSAGE(living << " of " << cases << " end with live cells");
  CHECK(living >= cases / 3);
}
