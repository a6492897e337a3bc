#include "apps/measure/tuner.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/drivers.h"
#include "backends/tuning/tuning_table.h"
#include "core/base/error.h"
#include "tests/measure/fake_clock.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const RuleSpec kTorus = parse_rule_spec("B3/S23:T64,64");

// Steps right, but takes the time that a model gives for its tuning.
class SlowedBackend final : public StepBackend {
 public:
  SlowedBackend(std::unique_ptr<StepBackend> good, BackendInfo info, FakeClock& clock, double each)
      : StepBackend(good->spec(), std::move(info)),
        good_(std::move(good)),
        clock_(clock),
        each_(each) {}

 private:
  void do_upload(const CellGrid& cells) override { good_->upload(cells); }
  void do_step(std::int64_t generations) override {
    // The clock moves as if a million times as many were stepped.
    clock_.pass(each_ * static_cast<double>(generations));
    good_->step(generations);
  }
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override { return good_->download(rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override { good_->edit(at, cells); }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    good_->view(rect, scale, counts);
  }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return good_->survey(rect, parts, column0, row0);
  }

  std::unique_ptr<StepBackend> good_;
  FakeClock& clock_;
  double each_;
};

// A driver whose kernel costs (t + c) / (t (d - 2t)^2) per generation, as in section V-B of the
// paper.
class ModelDriver final : public Driver {
 public:
  explicit ModelDriver(FakeClock& clock) : clock_(clock) {}
  const char* name() const override { return "model"; }
  DeviceList devices() const override { return {{DeviceInfo{}}, ""}; }
  std::vector<KernelInfo> kernels() const override {
    return {{"tiles",
             "",
             {{&Tuning::generations, "generations", "per launch", {1, 2, 3, 4, 6, 8, 12, 16}},
              {&Tuning::rows, "side", "of a tile", {32, 64}},
              {&Tuning::threads, "threads", "that no tuner tries", {}, 1, 8}}}};
  }

 private:
  BackendPlan plan(int, const BackendSpec& spec, const std::string&,
                   const Tuning& tuning) const override {
    BackendInfo info{"model", "none", "tiles", tuning};
    if (info.tuning.generations == 0) info.tuning.generations = 2;
    if (info.tuning.rows == 0) info.tuning.rows = 32;
    const double t = info.tuning.generations, d = info.tuning.rows, c = 3;
    if (2 * t >= d) throw InputError("no cell is left of such a tile");
    const double each = (t + c) / (t * (d - 2 * t) * (d - 2 * t));
    return [=, &clock = clock_] {
      return std::make_unique<SlowedBackend>(make_factory("cpu", "word", {})(spec), info, clock,
                                             each);
    };
  }

  FakeClock& clock_;
};

// A driver that accepts no more generations than words, where more of both is faster and more of
// one is slower.
class CoupledDriver final : public Driver {
 public:
  explicit CoupledDriver(FakeClock& clock) : clock_(clock) {}
  const char* name() const override { return "coupled"; }
  DeviceList devices() const override { return {{DeviceInfo{}}, ""}; }
  std::vector<KernelInfo> kernels() const override {
    return {{"tiles",
             "",
             {{&Tuning::generations, "generations", "per launch", {4, 8, 12}},
              {&Tuning::rows, "rows", "per lane", {4, 8}},
              {&Tuning::words, "words", "per row", {8, 12}}}}};
  }

 private:
  BackendPlan plan(int, const BackendSpec& spec, const std::string&,
                   const Tuning& tuning) const override {
    BackendInfo info{"coupled", "none", "tiles", tuning};
    Tuning& t = info.tuning;
    if (t.generations == 0) t.generations = 8;
    if (t.rows == 0) t.rows = 5;  // a value that cannot be asked for
    if (t.words == 0) t.words = 8;
    if (t.generations > t.words) throw InputError("more generations than words");
    if (t.rows == 4) throw DeviceError("it does not start");
    const double each = t.generations == 12  ? 0.8
                        : t.words == 12      ? 1.1
                        : t.generations == 8 ? 1
                                             : 1.5;
    return [=, &clock = clock_] {
      return std::make_unique<SlowedBackend>(make_factory("cpu", "word", {})(spec), info, clock,
                                             each * (info.tuning.rows == 8 ? 1.2 : 1));
    };
  }

  FakeClock& clock_;
};

}  // namespace

TEST_CASE(
    "values that are only taken together are tried together, and a device that fails ends no "
    "search") {
  FakeClock clock;
  const CoupledDriver driver(clock);
  const Kernel kernel{&driver, {}, driver.kernels().front(), true};
  const TunerResult result = tune_kernel(kernel, kTorus, {3, 0.5, 1e9, 1.4}, clock);
  CHECK(result.own == Tuning{8, 0, 8, 0, 0});
  CHECK(result.best == Tuning{12, 0, 12, 0, 0});
  CHECK(result.whole);
  const auto count = [&](Candidate::Kind kind) {
    return std::count_if(result.candidates.begin(), result.candidates.end(),
                         [&](const Candidate& c) { return c.kind == kind; });
  };
  CHECK(count(Candidate::Kind::not_taken) > 0);
  CHECK(count(Candidate::Kind::failed) > 0);
}

TEST_CASE("the search finds the minimum of the model, and leaves what is hopeless") {
  FakeClock clock;
  const ModelDriver driver(clock);
  const Kernel kernel{&driver, {}, driver.kernels().front(), true};
  const TunerPlan plan{3, 0.5, 1e9, 1.2};
  const TunerResult result = tune_kernel(kernel, kTorus, plan, clock);
  // For d = 64 and c = 3: 4tt + 18t - 192 = 0, so t = 5.04; 4 costs 0.000558, 6 costs 0.000555.
  CHECK(result.best.rows == 64);
  CHECK((result.best.generations == 6 || result.best.generations == 4));
  CHECK(result.own == Tuning{2, 32, 0, 0, 0});
  CHECK(result.best_speed > result.own_speed);
  CHECK(result.whole);
  CHECK(result.candidates.front().tuning == result.own);
  bool hopeless = false;
  for (const Candidate& c : result.candidates) {
    if (c.kind != Candidate::Kind::hopeless) continue;
    hopeless = true;
    CHECK(c.cells_per_second.runs.size() == 1);  // not timed again
  }
  CHECK(hopeless);
}

TEST_CASE("a search ends when its time is over, or when it is told to") {
  FakeClock clock;
  const ModelDriver driver(clock);
  const Kernel kernel{&driver, {}, driver.kernels().front(), true};
  const TunerResult late = tune_kernel(kernel, kTorus, {1, 0.5, 0.001, 1.2}, clock);
  CHECK(late.candidates.size() == 1);
  CHECK(!late.whole);
  CHECK(late.best == late.own);
  const TunerResult stopped =
      tune_kernel(kernel, kTorus, {1, 0.5, 1e9, 1.2}, clock,
                  [](const TunerResult& r) { return r.candidates.size() < 3; });
  CHECK(stopped.candidates.size() == 3);
  CHECK(!stopped.whole);
}

TEST_CASE("what tune wrote is read as tunings of known devices") {
  const std::string text = R"({"command": "tune", "rule": "B3/S23", "results": [
    {"backend": "cuda:1", "device": "A GPU", "kernel": "strips", "width": 4096, "height": 4096, "gain": 1.07,
     "best": {"generations": 8, "rows": 4, "words": 12, "group": 2, "threads": 0}},
    {"backend": "cuda:1", "device": "A GPU", "kernel": "strips", "width": 1024, "height": 1024, "gain": 1.01, "best": {}},
    {"backend": "cuda:1", "device": "A GPU", "kernel": "word", "width": 64, "height": 64, "skipped": "nothing to tune"}]})";
  const std::vector<KnownTuning> known = read_known_tunings("a.json", text);
  REQUIRE(known.size() == 1);
  CHECK(known[0].backend == "cuda");
  CHECK(known[0].device == "A GPU");
  CHECK(known[0].kernel == "strips");
  CHECK(known[0].rule == "B3/S23");
  CHECK(known[0].smallest == 23);
  CHECK(known[0].largest == 25);
  CHECK(known[0].tuning == Tuning{8, 4, 12, 2, 0});
  for (const char* bad : {"", "{", "[]", R"({"results": [{}]})"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(read_known_tunings("a.json", bad), ParseError);
  }
}

TEST_CASE("the tunings that are built in are ones that their kernels declare") {
  for (const KnownTuning& known : known_tunings()) {
    CAPTURE(known.backend);
    CAPTURE(known.kernel);
    CHECK(known.smallest <= known.largest);
    for (const Driver* driver : drivers()) {
      if (known.backend != driver->name()) continue;
      bool found = false;
      for (const KernelInfo& kernel : driver->kernels()) {
        if (kernel.name != known.kernel) continue;
        found = true;
        CHECK(kernel.objection(known.tuning).value_or("") == "");
        CHECK(known.tuning.threads == 0);
      }
      CHECK(found);
    }
  }
}
