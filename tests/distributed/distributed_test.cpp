// One grid over several parts, against the reference: halos of any depth, edits on the way, all
// questions that can be asked, and what happens when a part fails.

#include "backends/distributed/distributed_backend.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/surroundings.h"
#include "core/universe.h"
#include "tests/support/fake_backend.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Dice {
  explicit Dice(std::uint64_t seed) : random(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  std::mt19937_64 random;
};

// Parts make their backends at the same time.
BackendFactory word_kernel() { return find_kernels({"cpu"}, {"word"}).at(0).factory(); }

BackendSpec draw_spec(Dice& dice) {
  BackendSpec spec;
  spec.width = dice.between(1, 200);
  spec.height = dice.between(1, 90);
  spec.boundary = dice.below(2) == 0 ? Boundary::torus : Boundary::plane;
  if (dice.below(3) > 0) {
    spec.rule.birth = static_cast<std::uint16_t>(dice.below(512));
    spec.rule.survival = static_cast<std::uint16_t>(dice.below(512));
  }
  return spec;
}

// Shifted and twisted edges, and rules that mind what is mirrored.
BackendSpec draw_surface(Dice& dice) {
  constexpr Boundary kSurfaces[] = {Boundary::shifted_torus, Boundary::klein_bottle,
                                    Boundary::cross_surface, Boundary::sphere};
  constexpr const char* kRules[] = {"B2-a/S12", "B2/S34H", "B13/S013V",
                                    "W110",     "345/2/4", "WireWorld"};
  BackendSpec spec = draw_spec(dice);
  spec.width = dice.between(1, dice.below(4) == 0 ? 12 : 150);
  spec.height = dice.between(1, dice.below(4) == 0 ? 12 : 60);
  spec.boundary = kSurfaces[dice.below(4)];
  spec.seam.vertical = dice.below(2) == 1;
  const std::int64_t side = spec.seam.vertical ? spec.height : spec.width;
  if (spec.boundary == Boundary::sphere) spec.width = spec.height;
  if (spec.boundary == Boundary::shifted_torus) spec.seam.shift = dice.between(-side, side);
  if (spec.boundary == Boundary::klein_bottle) spec.seam.shift = dice.below(2);
  const std::int64_t rule = dice.below(12);
  if (rule < 6) spec.rule = parse_rule(kRules[rule]);
  if (rule == 6) {
    spec.rule = {0, 0, RuleFamily::map};
    for (int p = 0; p < kPatterns; p++)
      if (dice.below(5) < 2) spec.rule.table.set(p);
  }
  if (rule == 7) spec.odd_rule = parse_rule(kRules[dice.below(4)]);
  return spec;
}

DistributedPlan draw_plan(Dice& dice, const BackendSpec& spec) {
  std::vector<double> weights;
  for (std::int64_t parts = dice.between(1, 6); parts > 0; parts--)
    weights.push_back(static_cast<double>(dice.between(1, 9)));
  DistributedPlan plan{plan_bands(spec.height, weights), 0, LinkChoice::automatic};
  if (plan.bands.size() < 2 && spec.plain_edges()) return plan;
  const std::int64_t rows = std::ranges::min(plan.bands, {}, &BandRows::rows).rows;
  plan.halo = dice.below(2) == 0 ? rows : dice.between(1, rows);
  if (!unrolls(spec)) plan.halo = 1;
  return plan;
}

std::unique_ptr<StepBackend> make_several(const BackendSpec& spec, const DistributedPlan& plan,
                                          const BackendFactory& make) {
  return DistributedBackend::create(spec, {"test", "", "", {}}, plan,
                                    std::vector<BackendFactory>(plan.bands.size(), make));
}

void check_answers(StepBackend& several, StepBackend& judge, Dice& dice) {
  REQUIRE(several.survey(kWholeSurvey) == judge.survey(kWholeSurvey));
  const std::int64_t width = judge.spec().width, height = judge.spec().height;
  const std::int64_t x = dice.below(width), y = dice.below(height);
  const Rect rect{x, y, dice.between(1, width - x), dice.between(1, height - y)};
  REQUIRE(several.download(rect) == judge.download(rect));
  REQUIRE(several.survey(rect, kWholeSurvey, 5, -7) == judge.survey(rect, kWholeSurvey, 5, -7));
  for (const std::int64_t scale : {std::int64_t{1}, dice.between(1, 40), std::int64_t{1} << 61}) {
    CellCounts ours, theirs;
    several.view(rect, scale, ours);
    judge.view(rect, scale, theirs);
    REQUIRE(ours == theirs);
  }
}

// Throws where a part is told to.
class FailingBackend final : public StepBackend {
 public:
  FailingBackend(std::unique_ptr<StepBackend> inner, std::int64_t good_steps)
      : StepBackend(inner->spec(), inner->info()),
        inner_(std::move(inner)),
        good_steps_(good_steps) {}

 private:
  void do_upload(const CellGrid& cells) override { inner_->upload(cells); }
  void do_step(std::int64_t generations) override {
    if (good_steps_-- == 0) throw DeviceError("the device fell off");
    inner_->step(generations);
  }
  void do_synchronize() override { inner_->synchronize(); }
  CellGrid do_download(const Rect& rect) override { return inner_->download(rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override { inner_->edit(at, cells); }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return inner_->survey(rect, parts, column0, row0);
  }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    inner_->view(rect, scale, counts);
  }

  std::unique_ptr<StepBackend> inner_;
  std::int64_t good_steps_;
};

std::int64_t count(const std::vector<std::string>& calls, const std::string& call) {
  return std::ranges::count(calls, call);
}

}  // namespace

TEST_CASE("bands of any height with halos of any depth give the bits of one grid") {
  const BackendFactory word = word_kernel();
  const std::int64_t cases = case_count(600);
  for (std::int64_t seed = 0; seed < cases; seed++) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const BackendSpec spec = draw_spec(dice);
    const DistributedPlan plan = draw_plan(dice, spec);
    CAPTURE(seed);
    INFO(fmt::format("{}x{} {} {}, {} bands, halo {}", spec.width, spec.height,
                     spec.boundary == Boundary::torus ? "torus" : "plane", to_string(spec.rule),
                     plan.bands.size(), plan.halo));
    const auto judge = reference().create(spec);
    const auto several = make_several(spec, plan, word);
    CHECK(several->info().parts == static_cast<int>(plan.bands.size()));
    CHECK(several->info().halo == plan.halo);
    CHECK(several->info().link == (plan.halo > 0 ? "host" : ""));
    const Soup soup{dice.random(), static_cast<std::uint32_t>(dice.below(65537))};
    judge->fill(soup);
    several->fill(soup);
    for (int turn = 0; turn < 4; turn++) {
      const std::int64_t now = dice.between(0, plan.halo + 3);
      for (std::int64_t i = 0; i < now; i++) several->step(1);
      several->step(now);
      judge->step(2 * now);
      check_answers(*several, *judge, dice);
      const std::int64_t x = dice.below(spec.width), y = dice.below(spec.height);
      const Soup other{dice.random(), 32768};
      if (turn % 2 == 0) {
        const BitGrid patch =
            make_soup(other, dice.between(1, spec.width - x), dice.between(1, spec.height - y));
        judge->edit({x, y}, patch);
        several->edit({x, y}, patch);
      } else {
        const std::int64_t rows = dice.between(1, spec.height - y);
        judge->fill(other, y, rows, 12345);
        several->fill(other, y, rows, 12345);
      }
    }
    check_answers(*several, *judge, dice);
  }
}

TEST_CASE("edges that are shifted or twisted give the bits of one grid over bands") {
  const BackendFactory word = word_kernel(), any = reference().factory();
  const std::int64_t cases = case_count(600);
  std::int64_t deep = 0;
  for (std::int64_t seed = 0; seed < cases; seed++) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const BackendSpec spec = draw_surface(dice);
    const DistributedPlan plan = draw_plan(dice, spec);
    CAPTURE(seed);
    INFO(fmt::format("{}x{} surface {} seam {}{:+} {}, {} bands, halo {}", spec.width, spec.height,
                     static_cast<int>(spec.boundary), spec.seam.vertical ? "|" : "-",
                     spec.seam.shift, to_string(spec.rule), plan.bands.size(), plan.halo));
    const bool plain = spec.rule.outer_totalistic() && !spec.odd_rule;
    const auto judge = reference().create(spec);
    const auto several = make_several(spec, plan, plain ? word : any);
    CHECK(several->info().halo == plan.halo);
    CHECK(several->info().link == "host");
    deep += plan.halo > 1;
    const Soup soup{dice.random(), static_cast<std::uint32_t>(dice.below(65537)),
                    static_cast<std::uint16_t>(spec.rule.states())};
    judge->fill(soup);
    several->fill(soup);
    std::int64_t generation = 0;
    for (int turn = 0; turn < 3; turn++) {
      const std::int64_t now = dice.between(1, 2 * plan.halo + 1);
      several->step(now, generation % 2 != 0);
      judge->step(now, generation % 2 != 0);
      generation += now;
      check_answers(*several, *judge, dice);
      const std::int64_t x = dice.below(spec.width), y = dice.below(spec.height);
      const CellGrid patch =
          make_soup_cells({dice.random(), 32768, soup.states}, dice.between(1, spec.width - x),
                          dice.between(1, spec.height - y), spec.rule.planes());
      judge->edit({x, y}, patch);
      several->edit({x, y}, patch);
    }
    check_answers(*several, *judge, dice);
  }
  CHECK(deep > cases / 10);
}

TEST_CASE("a halo is as deep as edges can be looked across") {
  const auto made = [](const std::string& rule, std::int64_t halo) {
    const BackendSpec spec = backend_spec(parse_rule_spec(rule));
    return make_factory("cpu*3", "auto", {}, nullptr, {halo, LinkChoice::automatic})(spec);
  };
  CHECK(made("B3/S23:T90+7,120", 30)->info().halo == 30);
  CHECK(made("B2/S34H:T90+7,120", 30)->info().halo == 30);
  CHECK(made("B3/S23:K90*,120", 30)->info().halo == 30);
  CHECK(made("B3/S23:K90,120*", 0)->info().halo > 1);
  for (const char* rule : {"B3/S23:S90", "B3/S23:C90,120", "B2/S34H:K90*,120", "W110:K90*,120"}) {
    INFO(rule);
    CHECK(made(rule, 0)->info().halo == 1);
    CHECK(made(rule, 1)->info().halo == 1);
    CHECK(has(message_of<UnsupportedError>([&] { made(rule, 2); }),
              {"a halo of 2 generations", "a halo of 1 is accepted"}));
  }
  const BackendSpec spec = backend_spec(parse_rule_spec("B3/S23:K90*,120"));
  CHECK(has(message_of<UnsupportedError>([&] {
              make_factory("cpu*2", "word", {}, nullptr, {0, LinkChoice::peer})(spec);
            }),
            {"link peer", "auto and host are accepted here"}));
}

TEST_CASE("rules of longer range, and rules in turns, give the bits of one grid over bands") {
  const char* specs[] = {"R5,C2,S34..58,B34..45,NM:T97,120",
                         "R3,C2,S8..12,B7..9,NN:P130,90",
                         "R2,C3,M1,S5..9,B4..6,N+:T64,50",
                         "B3/S23|B36/S23:T70,61",
                         "B2/S|B3/S23:P129,40",
                         "R4,C2,S20..35,B18..24,NM|B3/S23:T40,55",
                         "B3/S23|R4,C2,S20..35,B18..24,NM:P40,55",
                         "345/2/4|WireWorld:T75,40"};
  std::uint64_t seed = 0;
  for (const char* text : specs) {
    const BackendSpec spec = backend_spec(parse_rule_spec(text));
    for (const std::size_t parts : {2, 3}) {
      for (const std::int64_t halo : {1, 3}) {
        INFO(text);
        CAPTURE(parts);
        CAPTURE(halo);
        Dice dice(++seed);
        const DistributedPlan plan{plan_bands(spec.height, std::vector(parts, 1.0)), halo,
                                   LinkChoice::automatic};
        const auto several = make_several(spec, plan, make_factory("cpu", "auto", {}));
        const auto judge = reference().create(spec);
        for (StepBackend* each : {several.get(), judge.get()})
          each->fill(Soup{seed, 30000, static_cast<std::uint16_t>(spec.rule.states())});
        std::int64_t generation = 0;
        for (const std::int64_t now : {1, 2, 5, 0, 4}) {
          for (StepBackend* each : {several.get(), judge.get()})
            each->step(now, generation % 2 != 0);
          generation += now;
          check_answers(*several, *judge, dice);
        }
      }
    }
  }
}

TEST_CASE("halos are exchanged when they are used up, and again after an edit, and not before") {
  BackendSpec spec;
  spec.width = 70;
  spec.height = 400;
  spec.boundary = Boundary::plane;
  std::vector<std::string> calls[2];
  const DistributedPlan plan{plan_bands(spec.height, {1, 1}), 64, LinkChoice::automatic};
  std::vector<BackendFactory> make;
  for (std::vector<std::string>& mine : calls) {
    make.push_back([&mine](const BackendSpec& band) {
      return std::make_unique<FakeBackend>(band, Cell{0, 1}, &mine);
    });
  }
  const auto several = DistributedBackend::create(spec, {"test", "", "", {}}, plan, make);
  const auto exchanges = [&] {
    CHECK(count(calls[0], "download") == count(calls[1], "download"));
    CHECK(count(calls[0], "edit") == count(calls[1], "edit"));
    return count(calls[0], "download");
  };
  for (int i = 0; i < 64; i++) several->step(1);
  CHECK(exchanges() == 1);
  several->step(1);
  CHECK(exchanges() == 2);
  several->step(63);
  CHECK(exchanges() == 2);
  several->survey(kWholeSurvey);
  several->step(64);
  CHECK(exchanges() == 3);
  several->step(640);
  CHECK(exchanges() == 13);
  BitGrid cell(1, 1);
  several->step(1);
  several->edit({3, 3}, cell);    // of the upper band
  several->edit({3, 399}, cell);  // of the lower one
  several->step(1);
  CHECK(count(calls[0], "download") == 15);
}

TEST_CASE("a part that fails ends the step for all with its own error") {
  BackendSpec spec;
  spec.width = 100;
  spec.height = 60;
  for (std::size_t lost = 0; lost < 3; lost++) {
    for (const std::int64_t good : {0, 1, 3}) {
      CAPTURE(lost);
      CAPTURE(good);
      std::vector<BackendFactory> make(3, word_kernel());
      make[lost] = [inner = make[lost], good](const BackendSpec& band) {
        return std::make_unique<FailingBackend>(inner(band), good);
      };
      const DistributedPlan plan{plan_bands(spec.height, {1, 1, 1}), 4, LinkChoice::automatic};
      const auto several = DistributedBackend::create(spec, {"test", "", "", {}}, plan, make);
      several->fill(Soup{});
      CHECK(message_of<DeviceError>([&] { several->step(20); }) == "the device fell off");
    }
  }
  // And one that cannot be made.
  std::vector<BackendFactory> make(3, word_kernel());
  make[1] = [](const BackendSpec&) -> std::unique_ptr<StepBackend> {
    throw UnsupportedError("not this one");
  };
  const DistributedPlan plan{plan_bands(spec.height, {1, 1, 1}), 4, LinkChoice::automatic};
  CHECK(message_of<UnsupportedError>([&] {
          DistributedBackend::create(spec, {"test", "", "", {}}, plan, make);
        }) == "not this one");
}

TEST_CASE("a link from device to device is refused where there is none") {
  CHECK(parse_link("--link", "auto") == LinkChoice::automatic);
  CHECK(parse_link("--link", "host") == LinkChoice::host);
  CHECK(parse_link("--link", "peer") == LinkChoice::peer);
  CHECK(has(message_of<InputError>([] { parse_link("--link", "string"); }),
            {"--link string", "auto, peer, nccl or host is expected"}));
  CHECK(parse_link("--link", "nccl") == LinkChoice::nccl);
  BackendSpec spec;
  spec.width = spec.height = 64;
  const BackendFactory make = make_factory("cpu*2", "word", {}, nullptr, {0, LinkChoice::peer});
  CHECK(has(message_of<UnsupportedError>([&] { make(spec); }),
            {"link peer", "cpu passes no rows to other devices", "auto and host"}));
}

TEST_CASE("rows pass from backend to backend without the host where both can do that") {
  BackendSpec spec;
  spec.width = 777;
  spec.height = 150;
  for (const Kernel& kernel : kernels_here()) {
    if (!supports(kernel, spec)) continue;
    INFO(kernel.name());
    const auto from = kernel.create(spec), to = kernel.create(spec), judge = kernel.create(spec);
    if (!from->row_port()) {
      skipped(kernel, "it passes no rows to other devices");
      continue;
    }
    REQUIRE(to->row_port());
    for (const RowSide side : {RowSide::above, RowSide::below})
      CHECK_FALSE(to->row_port()->join(*from->row_port(), side));
    for (StepBackend* each : {from.get(), to.get()}) each->fill(Soup{});
    BitGrid expected = to->download().plane(0);
    for (const std::int64_t rows : {1, 7, 30, 3}) {
      for (const RowSide side : {RowSide::above, RowSide::below}) {
        // Queued steps come first on either side, and the next ones see the new rows.
        from->step(5);
        to->step(3);
        from->row_port()->post(side, 100, rows);
        to->row_port()->take(*from->row_port(), side, 11);
        judge->upload(expected);
        judge->step(3);
        expected = judge->download().plane(0);
        expected.paste(0, 11, from->download({0, 100, spec.width, rows}).plane(0));
        CHECK(to->download() == expected);
      }
    }
    ran(kernel);
  }
}

TEST_CASE("several parts are named, and told what is wrong with a name") {
  BackendSpec spec;
  spec.width = spec.height = 64;
  const auto name = [&](const std::string& backend) {
    return KernelChooser(backend, "word").choose(spec).backend();
  };
  CHECK(name("cpu*3") == "cpu:0*3");
  CHECK(name("cpu:0*3") == "cpu:0*3");
  CHECK(name("cpu+cpu:0*2") == "cpu:0*3");
  CHECK(name("cpu,cpu") == "cpu:0*2");
  CHECK(name("cpu*1") == "cpu:0");
  CHECK(name("cpu:all") == "cpu:0");
  const auto refusal = [&](const std::string& backend) {
    CAPTURE(backend);
    return message_of<InputError>([&] { name(backend); });
  };
  CHECK(has(refusal("cpu*0"), {"backend 'cpu*0'", "1 to 256"}));
  CHECK(has(refusal("cpu*257"), {"backend 'cpu*257'", "1 to 256"}));
  CHECK(has(refusal("cpu*99999999999999999999"), {"1 to 256"}));
  CHECK(has(refusal("cpu*"), {"1 to 256"}));
  CHECK(has(refusal("cpu*x"), {"1 to 256"}));
  CHECK(has(refusal("cpu*2*3"), {"1 to 256"}));
  CHECK(has(refusal("cpu*200+cpu*200"), {"400 parts", "1 to 256"}));
  CHECK(has(refusal("cpu+"), {"''", "is no part"}));
  CHECK(has(refusal("+cpu"), {"''", "is no part"}));
  CHECK(has(refusal("cpu+auto"), {"'auto'", "is no part"}));
  CHECK(has(refusal("cpu+cpu:1"), {"cpu:1", "no such device"}));
  CHECK(has(refusal("cpu+gpu"), {"backend 'gpu' is not known"}));
  CHECK(has(refusal("gpu:all"), {"backend 'gpu' is not known"}));
}

TEST_CASE("a driver of several parts chooses bands and halos, and refuses what cannot be") {
  BackendSpec spec;
  spec.width = 300;
  spec.height = 100;
  const auto make = [&](const std::string& backend, const BandOptions& bands) {
    return make_factory(backend, "word", {}, nullptr, bands)(spec);
  };
  CHECK(make("cpu*4", {})->info().parts == 4);
  CHECK(make("cpu*4", {})->info().halo >= 1);
  CHECK(make("cpu*4", {25, LinkChoice::host})->info().halo == 25);
  const std::string what = message_of<UnsupportedError>([&] { make("cpu*4", {26, {}}); });
  CHECK(has(what, {"halo of 26 generations", "100 rows in 4 bands have 25 each", "at most 25"}));
  spec.height = 3;
  CHECK(make("cpu*8", {})->info().parts == 3);
  spec.height = 1;
  const auto alone = make("cpu*8", {});
  CHECK(alone->info().parts == 1);
  CHECK(alone->info().halo == 0);
  CHECK(alone->info().link.empty());
  CHECK(alone->info().backend == "cpu:0*8");
}

TEST_CASE("the processor's threads are shared by the parts that step on it") {
  BackendSpec spec;
  spec.width = 2000;
  spec.height = 2000;
  Tuning six;
  six.threads = 6;
  CHECK(make_factory("cpu*3", "simd", six)(spec)->info().tuning.threads == 2);
  CHECK(make_factory("cpu*8", "simd", six)(spec)->info().tuning.threads == 1);
}

TEST_CASE("the infinite plane grows over several parts") {
  Universe several(RuleSpec{}, make_factory("cpu*3", "word", {}));
  Universe one(RuleSpec{}, make_factory("cpu", "word", {}), 0, SpaceChoice::grid);
  const BitGrid soup = make_soup(Soup{}, 40, 40);
  several.load(soup, {-20, -20});
  one.load(soup, {-20, -20});
  for (int i = 0; i < 12; i++) {
    several.step(37);
    one.step(37);
    REQUIRE(several.survey() == one.survey());
  }
  CHECK(several.info().backend == "cpu:0*3");
}
