// What the simd kernel of the CPU is made of: passes cut into tasks anywhere, the shapes that its
// model chooses, grids that are turned.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/strip_plan.h"
#include "backends/cpu/transposed_backend.h"
#include "backends/drivers.h"
#include "core/cells/soup.h"
#include "core/stepping/backend_spec.h"
#include "tests/support/cases.h"
#include "tests/support/kernels.h"
#include "tests/support/oracles.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Free {
  void operator()(std::uint64_t* words) const { std::free(words); }
};
using Words = std::unique_ptr<std::uint64_t[], Free>;

Words zeros(std::int64_t count) {
  const std::size_t bytes = (static_cast<std::size_t>(count) * 8 + 63) / 64 * 64;
  Words words(static_cast<std::uint64_t*>(std::aligned_alloc(64, bytes)));
  REQUIRE(words);
  std::fill_n(words.get(), count, 0);
  return words;
}

// Numbers from 0 to n-1, drawn one after the other from a seed.
struct Draw {
  std::uint64_t state;
  std::int64_t operator()(std::int64_t n) {
    state += 0x9E3779B97F4A7C15;
    return static_cast<std::int64_t>(mix64(state) % static_cast<std::uint64_t>(n));
  }
};

// Rows from which on a thread takes half of another's, in passes as small as these.
constexpr std::int64_t kLeastTaken = 6;

BackendSpec spec_of(const std::string& text) { return backend_spec(parse_rule_spec(text)); }

BitGrid stepped(const BackendSpec& spec, const BitGrid& cells, std::int64_t generations) {
  const auto judge = make_factory("cpu", "reference", {})(spec);
  judge->upload(cells);
  judge->step(generations);
  return judge->download().plane(0);
}

// One pass over a soup, as `cuts`, which begin with row 0, cut it: by one thread for each, which
// take halves of each other's stretches, or all by this thread.
BitGrid one_pass(const BackendSpec& spec, const BitGrid& cells, const StripPlan& plan,
                 const std::vector<std::int64_t>& cuts, bool threads) {
  const StripLayout layout = StripLayout::of(spec, strip_lanes(), plan.segments, plan.generations);
  const RowSeams seams(layout);
  const StripRows rows(layout);
  const Margins margins(layout, plan.generations);
  const Words front = zeros(layout.buffer_words()), back = zeros(layout.buffer_words());
  for (std::int64_t y = 0; y < spec.height; y++) rows.write(front.get(), y, cells.row(y));
  strip_close_rows(layout, seams, front.get(), 0, layout.band_rows);
  for (const auto* list : {&margins.inside, &margins.above, &margins.below}) {
    strip_write_margins(layout, *list, plan.generations, front.get());
  }
  const auto tasks = static_cast<int>(cuts.size());
  const std::int64_t words = strip_handed_words(layout, 1, plan.generations);
  Stretches stretches(tasks);
  const Words handed = zeros(words * Stretches::most_of(tasks));
  stretches.place(handed.get(), words, strip_handed_rows(1), strip_handed_row_words(layout));
  std::vector<std::int64_t> ends = cuts;
  ends.push_back(layout.band_rows);
  stretches.set(ends, plan.generations);
  std::atomic<int> below = 0;
  const auto run = [&](int task) {
    const Words scratch = zeros(strip_scratch_words(layout, plan.generations, plan.rows));
    StripPass pass;
    pass.layout = &layout;
    pass.seams = &seams;
    pass.rule = spec.rule;
    pass.front = front.get();
    pass.back = back.get();
    pass.scratch = scratch.get();
    pass.before_below = [&] { below++; };
    pass.generations = plan.generations;
    pass.rows = plan.rows;
    Stretch& own = stretches[task];
    for (pass.stretch = own.start() ? &own : nullptr; pass.stretch;
         pass.stretch = threads ? stretches.take_half(kLeastTaken) : nullptr) {
      strip_pass(pass);
    }
  };
  if (threads) {
    std::vector<std::jthread> others;
    for (int task = 0; task < tasks; task++) others.emplace_back(run, task);
  } else {
    // From the lowest on, since each takes the rows that the one below leaves.
    for (int task = tasks; task-- > 0;) run(task);
  }
  CHECK(below == 1);
  BitGrid out(spec.width, spec.height);
  for (std::int64_t y = 0; y < spec.height; y++) rows.read(back.get(), y, out.row(y));
  return out;
}

}  // namespace

TEST_CASE("a pass cut into tasks anywhere gives the same bits") {
  const char* const rules[] = {"B3/S23", "B36/S23", "B3678/S34678", "B02/S017"};
  const auto cases = static_cast<std::uint64_t>(case_count(600));
  for (std::uint64_t seed = 1; seed <= cases; seed++) {
    CAPTURE(seed);
    Draw draw{seed};
    BackendSpec spec;
    spec.rule = parse_rule(rules[draw(4) * draw(2)]);
    spec.boundary = draw(2) == 0 ? Boundary::torus : Boundary::plane;
    StripPlan plan;
    plan.segments = 1 << draw(4);
    if (plan.segments > strip_lanes()) continue;
    plan.generations = 1 + static_cast<int>(draw(20));
    plan.rows = strip_rows()[static_cast<std::size_t>(
        draw(static_cast<std::int64_t>(strip_rows().size())))];
    // Every other width is one beside whole strips, or just that.
    spec.width = draw(2) == 0
                     ? 1 + draw(200)
                     : std::max<std::int64_t>(1, 64 * plan.segments * (1 + draw(3)) + draw(3) - 1);
    spec.height = 1 + draw(250);
    const std::int64_t band_rows =
        StripLayout::of(spec, strip_lanes(), plan.segments, plan.generations).band_rows;
    std::vector<std::int64_t> cuts{0};
    while (cuts.back() < band_rows && cuts.size() < 9) {
      const std::int64_t next = cuts.back() + 2 + draw(draw(2) == 0 ? 5 : 60);
      if (next + 2 > band_rows) break;
      cuts.push_back(next);
    }
    CAPTURE(spec.width);
    CAPTURE(spec.height);
    CAPTURE(plan.segments);
    CAPTURE(plan.generations);
    CAPTURE(plan.rows);
    CAPTURE(cuts.size());
    const BitGrid cells = make_soup(Soup::of(0.4, seed), spec.width, spec.height);
    const BitGrid wanted = stepped(spec, cells, plan.generations);
    REQUIRE(one_pass(spec, cells, plan, cuts, false) == wanted);
    REQUIRE(one_pass(spec, cells, plan, cuts, true) == wanted);
  }
}

TEST_CASE("stretches that are halved and passed on in any order step each row once") {
  const auto cases = static_cast<std::uint64_t>(case_count(600));
  for (std::uint64_t seed = 1; seed <= cases; seed++) {
    CAPTURE(seed);
    Draw draw{seed};
    const int tasks = 1 + static_cast<int>(draw(6)), generations = 1 + static_cast<int>(draw(40));
    std::vector<std::int64_t> cuts{draw(9)};
    for (int i = 0; i < tasks; i++) cuts.push_back(cuts.back() + 2 + draw(100));
    Stretches stretches(tasks);
    stretches.set(cuts, generations);
    // What each task is at work on, and the row of generation 0 up to which it is.
    struct Work {
      Stretch* stretch = nullptr;
      std::int64_t row = 0;
      bool begun = false;
    };
    std::vector<Work> works(static_cast<std::size_t>(tasks));
    std::vector<std::pair<std::int64_t, std::int64_t>> done;
    std::int64_t stepped = 0;
    for (int busy = tasks; busy > 0;) {
      Work& work = works[static_cast<std::size_t>(draw(tasks))];
      if (!work.begun) {
        work.begun = true;
        Stretch& own = stretches[static_cast<int>(&work - works.data())];
        if (own.start()) work.stretch = &own, work.row = own.first() - generations;
      } else if (!work.stretch) {
        continue;
      } else {
        work.row += 1 + draw(20);
        const Stretch::End end = work.stretch->claim(work.row);
        if (work.row - generations < end.last) continue;
        done.emplace_back(work.stretch->first(), end.last);
        stepped += work.stretch->stepped();
        work.stretch = nullptr;
      }
      if (!work.stretch) work.stretch = stretches.take_half(kLeastTaken);
      if (work.stretch) {
        work.row = work.stretch->first() - generations;
        for (Work& other : works) {
          if (!other.stretch || other.stretch == work.stretch) continue;
          if (other.stretch->claim(other.row).below == work.stretch) REQUIRE(other.row <= work.row);
        }
      } else {
        busy--;
      }
    }
    std::ranges::sort(done);
    std::int64_t row = cuts.front();
    for (const auto& [first, last] : done) {
      REQUIRE(first == row);
      REQUIRE(last - first >= 2);
      row = last;
    }
    REQUIRE(row == cuts.back());
    REQUIRE(stepped == cuts.back() - cuts.front() + generations);
  }
}

TEST_CASE("stretches are halved so that both have as much to step, as far as rows are left") {
  constexpr int kGenerations = 96;
  for (const std::int64_t claimed : {-90, -50, 0, 100, 500, 800, 840, 870}) {
    CAPTURE(claimed);
    Stretches stretches(2);
    stretches.set(std::vector<std::int64_t>{0, 1000, 2000}, kGenerations);
    REQUIRE(stretches[0].start());
    stretches[0].claim(claimed);
    Stretch* const lower = stretches.take_half(kLeastTaken);
    REQUIRE(lower);
    // Rows of all generations that each has to step: generation t has come to row `claimed` - t.
    std::int64_t kept = 0;
    for (int t = 1; t <= kGenerations; t++) {
      const std::int64_t behind = kGenerations - t;
      kept += lower->first() - behind - std::max<std::int64_t>(claimed - t, -behind);
    }
    const std::int64_t given = (1000 - lower->first()) * kGenerations;
    if (lower->first() - kGenerations > claimed) {
      CHECK(std::abs(kept - given) < given / 50);
    } else {
      CHECK(lower->first() - kGenerations == claimed);
      CHECK(kept > given);
    }
  }
}

TEST_CASE("the model never expects more threads to take longer, and leaves small grids to one") {
  for (const char* size : {"B3/S23:T64,64", "B3/S23:P200,100", "B3/S23:T1024,1024",
                           "B3/S23:T2047,2049", "B3/S23:T16384,16384", "B3/S23:T100000,30"}) {
    CAPTURE(size);
    const BackendSpec spec = spec_of(size);
    double before = 0;
    for (int threads = 1; threads <= 64; threads *= 2) {
      Tuning tuning;
      tuning.threads = threads;
      const StripPlan plan = plan_strips(spec, StripWork::of(spec.rule), strip_lanes(), tuning);
      CHECK(plan.nanoseconds > 0);
      if (threads > 1) CHECK(plan.nanoseconds <= before);
      before = plan.nanoseconds;
      const StripLayout layout =
          StripLayout::of(spec, strip_lanes(), plan.segments, plan.generations);
      const int tasks = plan_tasks(layout, plan.generations, plan.rows, threads);
      CHECK(tasks <= threads);
      if (spec.width * spec.height <= 20000) CHECK(tasks == 1);
      if (spec.width == 16384) CHECK(tasks >= threads / 2);
    }
  }
}

TEST_CASE("a turned grid answers as the grid itself does") {
  for (const char* text : {"B3/S23:T1029,1023", "B3/S23:P517,511", "B36/S23:T65,64",
                           "B3/S23:P1,130", "B02/S017:P129,63", "B3/S23:T300,7"}) {
    CAPTURE(text);
    const BackendSpec spec = spec_of(text);
    const auto judge = make_factory("cpu", "reference", {})(spec);
    TransposedBackend turned(spec,
                             make_factory("cpu", "simd", {})(TransposedBackend::turned(spec)));
    const Soup soup = Soup::of(0.3, 77);
    judge->fill(soup);
    turned.fill(soup);
    const BitGrid patch = make_soup(Soup::of(0.6, 5), (spec.width + 1) / 2, (spec.height + 2) / 3);
    const Cell at{spec.width - patch.width(), spec.height - patch.height()};
    for (int round = 0; round < 2; round++) {
      judge->step(7);
      turned.step(7);
      CHECK(turned.download() == judge->download());
      CHECK(population_of(turned) == population_of(*judge));
      CHECK(bounds_of(turned) == bounds_of(*judge));
      CHECK(hash_at(turned, 3, -5) == hash_at(*judge, 3, -5));
      const Rect part{at.x, at.y, patch.width(), patch.height()};
      CHECK(turned.download(part) == judge->download(part));
      DensityImage seen, wanted;
      turned.view(part, 3, seen);
      judge->view(part, 3, wanted);
      CHECK(seen == wanted);
      judge->edit(at, patch);
      turned.edit(at, patch);
    }
    turned.upload(BitGrid(spec.width, spec.height));
    CHECK(!bounds_of(turned));
  }
}

TEST_CASE("sizes around whole strips step exactly") {
  // Widths and heights where a strip, a segment or a row of vectors more is begun.
  for (const char* text :
       {"B3/S23:T1029,1023", "B3/S23:P1029,1023", "B3/S23:T1023,1025", "B3/S23:T1000,1000",
        "B3/S23:P517,511", "B3/S23:T511,513", "B3/S23:T600,600", "B36/S23:P2053,2047",
        "B3/S23:T2047,2049", "B3/S23:P513,1537", "B36/S23:T1537,513", "B3/S23:P4101,600"}) {
    CAPTURE(text);
    const BackendSpec spec = spec_of(text);
    const auto judge = make_factory("cpu", "double-word", {})(spec);
    const auto simd = make_factory("cpu", "simd", {})(spec);
    judge->fill(Soup::of(0.5, 3));
    simd->fill(Soup::of(0.5, 3));
    for (const int generations : {1, 40, 131}) {
      judge->step(generations);
      simd->step(generations);
      CHECK(hash_of(*simd) == hash_of(*judge));
      CHECK(population_of(*simd) == population_of(*judge));
      CHECK(bounds_of(*simd) == bounds_of(*judge));
    }
  }
}
