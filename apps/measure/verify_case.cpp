#include "apps/measure/verify_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "apps/measure/draw.h"
#include "apps/measure/draw_table.h"
#include "core/rules/background.h"
#include "core/rules/isotropic_letters.h"
#include "core/rules/range_rule.h"
#include "core/rules/rule_map.h"
#include "core/stepping/backend_spec.h"

namespace tessera {
namespace {

constexpr double kWork = 0x1p24;
// What the reference does for a cell under a rule file, beside a rule that counts.
constexpr double kFileWork = 256;
constexpr std::int64_t kCells = std::int64_t{1} << 18;

// A side for which kernels tend to fail: at, below or above a multiple of their units.
std::int64_t draw_side(Draw& draw) {
  // Words, vectors, strips of 30 columns per word, and tiles of several words or rows.
  constexpr std::int64_t kBlocks[] = {8, 16, 30, 32, 60, 64, 120, 128, 240, 256, 480, 512, 1024};
  switch (draw.below(10)) {
    case 0:
    case 1:
      return draw.between(1, 9);
    case 2:
    case 3:
    case 4:
      return draw.between(1, 300);
    case 5:
    case 6:
      return std::max<std::int64_t>(1, 64 * draw.between(1, 9) + draw.between(-1, 1));
    case 7:
      return 512 * draw.between(1, 5) + draw.between(-1, 1);
    default:
      return draw.one_of(kBlocks) * draw.between(1, 4) + draw.between(-1, 1);
  }
}

// Width and height of at most kCells cells.
std::pair<std::int64_t, std::int64_t> draw_size(Draw& draw) {
  if (draw.chance(8)) {
    const std::int64_t lengthy = (std::int64_t{1} << draw.between(12, 15)) + draw.between(-1, 1);
    const std::int64_t narrow = draw.between(1, 6);
    return draw.chance(50) ? std::pair{lengthy, narrow} : std::pair{narrow, lengthy};
  }
  while (true) {
    const std::int64_t width = draw_side(draw), height = draw_side(draw);
    if (width * height <= kCells) return {width, height};
  }
}

Soup draw_soup(Draw& draw) {
  constexpr std::uint32_t kDensities[] = {0,     1,     655,   6554,  19661, 32768,
                                          32768, 32768, 49152, 65535, 65536};
  const std::uint32_t density =
      draw.chance(50) ? draw.one_of(kDensities) : static_cast<std::uint32_t>(draw.below(65537));
  return {draw.word(), density};
}

// Counts up to `most`, by halves, with letters behind some.
std::string draw_counts(Draw& draw, int most, bool letters) {
  std::string text;
  for (int n = 0; n <= most; n++) {
    if (draw.chance(50)) continue;
    text += static_cast<char>('0' + n);
    if (!letters || draw.chance(30)) continue;
    for (const char letter : arrangement_letters(n)) {
      if (draw.chance(50)) text += letter;
    }
  }
  return text;
}

Rule two_parts(Draw& draw, int most, bool letters, const char* suffix) {
  const std::string birth = draw_counts(draw, most, letters);
  return parse_rule(fmt::format("B{}/S{}{}", birth, draw_counts(draw, most, letters), suffix));
}

Rule random_map(Draw& draw) {
  Rule rule{0, 0, RuleFamily::map, {}};
  for (std::uint64_t& word : rule.table.words) word = draw.word();
  return rule;
}

Rule without_b0_in_range(const Rule& rule) {
  if (!rule.has_b0()) return rule;
  RangeRule range = *rule.range;
  std::vector<CountSet::Run>& runs = range.birth.runs;
  runs.front().first = 1;
  if (runs.front().last == 0) runs.erase(runs.begin());
  Rule out = rule;
  out.range = kept_range_rule(range);
  return out;
}

// A rule of longer range, most often a short one: the reference looks at each neighbour.
Rule draw_range(Draw& draw) {
  RangeRule range;
  range.radius = static_cast<int>(draw.chance(80) ? draw.between(1, 5) : draw.between(6, 12));
  range.shape = draw.chance(50)
                    ? RangeShape::moore
                    : static_cast<RangeShape>(draw.below(static_cast<int>(RangeShape::custom)));
  range.middle = draw.chance(50);
  const int most = range.most();
  for (CountSet* counts : {&range.birth, &range.survival}) {
    std::vector<CountSet::Run> runs;
    for (std::int64_t k = draw.between(1, 3); k > 0; k--) {
      const auto first = static_cast<int>(draw.below(most + 1));
      runs.push_back(
          {first, static_cast<int>(draw.between(first, std::min(most, first + most / 4)))});
    }
    *counts = CountSet::of(std::move(runs));
  }
  Rule rule{0, 0, RuleFamily::range, {}};
  rule.range = kept_range_rule(range);
  if (draw.chance(30)) {
    rule = without_b0_in_range(rule);
    rule.state_count = static_cast<std::uint16_t>(draw.between(3, 12));
  }
  return rule;
}

// The same rule, but nothing is born from nothing.
Rule without_b0(const Rule& rule) {
  const std::string text = to_string(rule);
  if (rule.family == RuleFamily::wolfram)
    return parse_rule(fmt::format("W{}", std::stoi(text.substr(1)) & ~1));
  if (rule.ranged()) return without_b0_in_range(rule);
  if (rule.from_file()) return rule;
  Rule out = rule;
  if (rule.counts_eight()) {
    out.birth &= 0x1fe;
    return out;
  }
  for (int p = 0; p < kPatterns; p++) {
    if (gathered(p, cells_of(rule.family)) == 0) {
      out.table.words[static_cast<std::size_t>(p) / 64] &= ~(std::uint64_t{1} << p % 64);
    }
  }
  return out;
}

// Around multiples of 64, where words begin, near and far.
std::int64_t draw_place(Draw& draw) {
  return (draw.chance(10) ? std::int64_t{1} << 40 : 0) + draw.between(-200, 200);
}

// Edges that are shifted or twisted, for a spec that has its size.
void draw_seam(Draw& draw, RuleSpec& spec) {
  constexpr Topology kSurfaces[] = {Topology::shifted_torus, Topology::klein_bottle,
                                    Topology::cross_surface, Topology::sphere};
  spec.topology = draw.one_of(kSurfaces);
  spec.seam.vertical = draw.chance(50);
  const std::int64_t side = spec.seam.vertical ? spec.height : spec.width;
  switch (spec.topology) {
    case Topology::shifted_torus:
      spec.seam.shift = draw.between(1 - side, side - 1);
      if (spec.seam.shift == 0) spec.topology = Topology::torus;
      break;
    case Topology::klein_bottle:
      spec.seam.shift = side % 2 == 0 ? draw.below(2) : 0;
      break;
    default:
      if (spec.topology == Topology::sphere)
        spec.width = spec.height = std::min(spec.width, spec.height);
  }
  const bool marked =
      spec.topology == Topology::shifted_torus || spec.topology == Topology::klein_bottle;
  if (!marked) spec.seam = {};
}

// One side of a torus or of a plane without end, for a spec that has its size. Cells lie where they
// like along it.
void draw_endless(Draw& draw, VerifyCase& trial) {
  RuleSpec& spec = trial.rule;
  if (spec.rule.from_file() && spec.rule.has_b0()) return;
  spec.rule = without_b0(spec.rule);
  (draw.chance(50) ? spec.width : spec.height) = 0;
  trial.patch = spec.cells();
  if (spec.width == 0) trial.patch.x = draw_place(draw), trial.patch.width = draw.between(1, 120);
  if (spec.height == 0) trial.patch.y = draw_place(draw), trial.patch.height = draw.between(1, 120);
}

// A rule of several states, often few.
Rule draw_states(Draw& draw) {
  Rule rule;
  switch (draw.below(8)) {
    case 0:
      return parse_rule("WireWorld");
    case 1:
      rule = without_b0(two_parts(draw, 6, false, "H"));
      break;
    case 2:
      rule = without_b0(two_parts(draw, 4, false, "V"));
      break;
    case 3:
      rule = without_b0(two_parts(draw, 8, true, ""));
      break;
    case 4:
      rule = without_b0(random_map(draw));
      break;
    default:
      rule = without_b0(two_parts(draw, 8, false, ""));
  }
  rule.state_count = static_cast<std::uint16_t>(draw.chance(70) ? draw.between(3, 12)
                                                                : draw.between(3, kMostStates));
  return rule;
}

// A rule of one of the families that are not outer-totalistic.
Rule draw_other_rule(Draw& draw) {
  switch (draw.below(5)) {
    case 0:
      return two_parts(draw, 6, false, "H");
    case 1:
      return two_parts(draw, 4, false, "V");
    case 2:
      return parse_rule(fmt::format("W{}", draw.below(256)));
    case 3:
      return random_map(draw);
    default:
      return two_parts(draw, 8, true, "");
  }
}

RuleSpec draw_rule(Draw& draw) {
  RuleSpec spec;
  const std::int64_t kind = draw.below(10);
  if (kind == 6) {
    spec.rule = draw.chance(30) ? draw_range(draw) : draw_other_rule(draw);
  } else if (kind == 5) {
    spec.rule = draw.chance(25) ? draw_file_rule(draw, draw.chance(70)) : draw_states(draw);
  } else if (kind >= 7) {
    const auto named = named_rules();
    spec.rule = named[draw.below(std::ssize(named))].rule;
  } else if (kind >= 3) {
    spec.rule.birth = static_cast<std::uint16_t>(draw.below(512));
    spec.rule.survival = static_cast<std::uint16_t>(draw.below(512));
  }
  const std::int64_t universe = draw.below(20);
  spec.topology = universe < 9    ? Topology::torus
                  : universe < 16 ? Topology::plane
                                  : Topology::infinite;
  // Few kernels take B0 on the infinite plane.
  if (!spec.bounded() && spec.rule.from_file() && spec.rule.has_b0())
    spec.rule = draw_file_rule(draw, true);
  if (!spec.bounded() && (spec.rule.ranged() || draw.chance(70))) spec.rule = without_b0(spec.rule);
  return spec;
}

// Another rule that takes turns with the spec's, where there is one.
void draw_turns(Draw& draw, RuleSpec& spec) {
  Rule odd = draw_rule(draw).rule;
  if (!spec.bounded()) odd = without_b0(odd);
  if (odd.states() != spec.rule.states() || odd == spec.rule) return;
  if (odd.from_file() != spec.rule.from_file()) return;
  const bool plain = !spec.bounded() || backend_spec(spec).plain_edges();
  if (odd.ranged() && (!plain || (!spec.bounded() && spec.has_b0()))) return;
  if (!spec.bounded() && odd.from_file() && odd.has_b0()) return;
  // The far away cells of a plane must repeat after two generations.
  if (!spec.bounded() && spec.has_b0() && !background_rules(spec.rule, odd)) return;
  spec.odd_rule = odd;
}

// Generations around what a kernel does in one launch.
std::int64_t draw_steps(Draw& draw) {
  constexpr std::int64_t kLaunches[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  const std::int64_t launch = draw.one_of(kLaunches);
  switch (draw.below(8)) {
    case 0:
      return draw.below(2);
    case 1:
      return draw.between(1, 200);
    default:
      return std::max<std::int64_t>(0, launch * draw.between(1, 3) + draw.between(-1, 1));
  }
}

Rect draw_within(Draw& draw, const Rect& all) {
  const std::int64_t width = draw.between(1, all.width), height = draw.between(1, all.height);
  return {all.x + draw.below(all.width - width + 1), all.y + draw.below(all.height - height + 1),
          width, height};
}

}  // namespace

std::int64_t VerifyCase::generations() const {
  return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

Rect VerifyCase::soup_rect() const {
  if (!rule.bounded()) return patch;
  return rule.cells();
}

Cell VerifyCase::margin() const {
  const std::int64_t reached = generations() * rule.reach();
  return {rule.width == 0 ? reached : 0, rule.height == 0 ? reached : 0};
}

double VerifyCase::work() const {
  const std::int64_t n = generations();
  const Rect rect = soup_rect();
  const Cell room = margin();
  // A cell of a longer range is looked at with its neighbours, each of which takes longer.
  const double side = 2.0 * rule.reach() + 1, each = rule.ranged()           ? side * side / 3
                                                     : rule.rule.from_file() ? kFileWork
                                                                             : 1;
  return static_cast<double>(rect.width + 2 * room.x) *
         static_cast<double>(rect.height + 2 * room.y) * static_cast<double>(n) * each;
}

VerifyCase make_case(std::uint64_t seed) {
  Draw draw(seed);
  VerifyCase trial;
  trial.seed = seed;
  trial.rule = draw_rule(draw);
  const Rule& rule = trial.rule.rule;
  const auto soup = [&] {
    Soup drawn = draw_soup(draw);
    if (rule.states() > 2 && draw.chance(70))
      drawn.states = static_cast<std::uint16_t>(rule.states());
    return drawn;
  };
  trial.soup = soup();
  if (trial.rule.has_edges()) {
    std::tie(trial.rule.width, trial.rule.height) = draw_size(draw);
    const bool seam = draw.chance(6) && !rule.ranged();
    if (seam) draw_seam(draw, trial.rule);
    // By numbers of its own, so that the others stay what they are for a seed.
    Draw more(mix64(seed));
    if (!seam && more.chance(5)) draw_endless(more, trial);
  } else {
    const std::int64_t x = draw_place(draw), y = draw_place(draw);
    trial.patch = {x, y, draw.between(1, 120), draw.between(1, 120)};
  }
  for (std::int64_t calls = draw.between(1, 4); calls > 0; calls--) {
    trial.steps.push_back(draw_steps(draw));
    if (trial.work() > kWork) trial.steps.pop_back();
  }
  if (trial.steps.empty()) trial.steps.push_back(rule.ranged() || rule.from_file() ? 0 : 1);
  if (draw.chance(8)) draw_turns(draw, trial.rule);
  if (trial.work() > kWork) trial.rule.odd_rule.reset();
  if (draw.chance(30)) trial.edit = VerifyEdit{draw_within(draw, trial.soup_rect()), soup()};
  return trial;
}

std::string to_string(const VerifyCase& trial) {
  const auto density = [](const Soup& soup) { return soup.density / 65536.0; };
  const auto place = [](const Rect& r) {
    return fmt::format("{},{},{}x{}", r.x, r.y, r.width, r.height);
  };
  const auto states = [](const Soup& soup) { return soup.states > 2 ? ", all states" : ""; };
  std::string text = fmt::format("{}, soup {} seed {}{}", to_string(trial.rule),
                                 density(trial.soup), trial.soup.seed, states(trial.soup));
  if (!trial.rule.bounded()) text += " at " + place(trial.patch);
  text += ", generations ";
  for (std::size_t i = 0; i < trial.steps.size(); i++)
    text += fmt::format("{}{}", i == 0 ? "" : "+", trial.steps[i]);
  if (trial.edit) {
    text += fmt::format(", after the first of which {} becomes soup {} seed {}{}",
                        place(trial.edit->rect), density(trial.edit->soup), trial.edit->soup.seed,
                        states(trial.edit->soup));
  }
  return text;
}

}  // namespace tessera
