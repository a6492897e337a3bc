// One grid over several ranks, here threads of one process that know of each other what a
// Communicator tells. Also run under a sanitizer that finds races.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "backends/distributed/ranks_driver.h"
#include "core/base/error.h"
#include "tests/distributed/threaded_ranks.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

BackendSpec spec_of(std::int64_t width, std::int64_t height, Boundary boundary) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = boundary;
  return spec;
}

// A device that steps like the processor and fails when it is asked to `fail`.
class FailingDriver final : public Driver {
 public:
  explicit FailingDriver(std::string fail) : fail_(std::move(fail)) {}
  const char* name() const override { return "failing"; }
  DeviceList devices() const override { return {{DeviceInfo{}}, ""}; }
  std::vector<KernelInfo> kernels() const override { return {{"reference", "", {}}}; }

 private:
  class Backend final : public StepBackend {
   public:
    Backend(const BackendSpec& spec, std::string fail)
        : StepBackend(spec, {"failing", "", "reference", {}}),
          fail_(std::move(fail)),
          cells_(reference().create(spec)) {}

   private:
    void at(const char* call) const {
      if (fail_ == call) throw DeviceError(std::string(call) + " failed");
    }
    void do_upload(const CellGrid& cells) override { cells_->upload(cells); }
    void do_step(std::int64_t generations) override {
      at("step");
      cells_->step(generations);
    }
    void do_synchronize() override {
      at("synchronize");
      cells_->synchronize();
    }
    CellGrid do_download(const Rect& rect) override {
      at("download");
      return cells_->download(rect);
    }
    void do_edit(const Cell& where, const CellGrid& cells) override {
      at("edit");
      cells_->edit(where, cells);
    }
    Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                     std::int64_t row0) override {
      at("survey");
      return cells_->survey(rect, parts, column0, row0);
    }
    void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
      at("view");
      cells_->view(rect, scale, counts);
    }

    std::string fail_;
    std::unique_ptr<StepBackend> cells_;
  };

  BackendPlan plan(int, const BackendSpec& spec, const std::string&, const Tuning&) const override {
    return [spec, fail = fail_] {
      if (fail == "create") throw DeviceMemoryError("create failed");
      return std::make_unique<Backend>(spec, fail);
    };
  }

  std::string fail_;
};

}  // namespace

TEST_CASE("what the parts of a process tell each other arrives") {
  for (const int size : {1, 2, 5}) {
    CAPTURE(size);
    LocalTeam team(size);
    team.run([&](Communicator& us) {
      const auto me = static_cast<std::uint64_t>(us.rank()), all = static_cast<std::uint64_t>(size);
      for (std::uint64_t round = 0; round < 50; round++) {
        std::vector<std::byte> bytes(me == 0 ? round % 7 : 3, std::byte(round + me));
        us.broadcast(bytes);
        CHECK(bytes == std::vector<std::byte>(round % 7, std::byte(round)));
        std::array<std::uint64_t, 2> sum{me + round, 1}, least{me + 5, ~me}, most(least);
        us.reduce(Reduction::sum, sum);
        us.reduce(Reduction::least, least);
        us.reduce(Reduction::most, most);
        CHECK(sum == std::array{all * (all - 1) / 2 + all * round, all});
        CHECK(least == std::array{std::uint64_t{5}, ~(all - 1)});
        CHECK(most == std::array{all + 4, ~std::uint64_t{0}});
        // Two tags to the next one, which takes the second one first.
        const std::array<std::uint64_t, 2> mine{me * 2 + round, me * 3};
        std::array<std::uint64_t, 2> got{};
        const int next = (us.rank() + 1) % size, last = (us.rank() + size - 1) % size;
        const auto part = [](auto& of, std::size_t i) { return std::span(of).subspan(i, 1); };
        const std::array out{Outgoing{next, 0, std::as_bytes(part(mine, 0))},
                             Outgoing{next, 1, std::as_bytes(part(mine, 1))}};
        const std::array in{Incoming{last, 1, std::as_writable_bytes(part(got, 1))},
                            Incoming{last, 0, std::as_writable_bytes(part(got, 0))}};
        us.exchange(out, in);
        const auto from = static_cast<std::uint64_t>(last);
        CHECK(got == std::array{from * 2 + round, from * 3});
      }
    });
  }
}

TEST_CASE("who waits for bytes of a part that failed is told") {
  LocalTeam team(3);
  CHECK(message_of<DeviceError>([&] {
          team.run([](Communicator& us) {
            if (us.rank() == 1) throw DeviceError("lost");
            std::array<std::byte, 1> byte{};
            const Incoming in{1, 0, byte};
            us.exchange({}, {&in, 1});
          });
        }) == "lost");
}

TEST_CASE("a grid over ranks is the grid of one device") {
  std::mt19937_64 random(4);
  for (int n = 0; n < 100; n++) {
    const int size = 1 + static_cast<int>(random() % 5);
    constexpr Boundary kBoundaries[] = {
        Boundary::torus,        Boundary::plane, Boundary::torus,         Boundary::shifted_torus,
        Boundary::klein_bottle, Boundary::plane, Boundary::cross_surface, Boundary::sphere};
    const Boundary boundary = kBoundaries[n % 8];
    BackendSpec spec = spec_of(1 + static_cast<std::int64_t>(random() % 200),
                               1 + static_cast<std::int64_t>(random() % 60), boundary);
    if (boundary == Boundary::sphere) spec.width = spec.height;
    if (boundary == Boundary::shifted_torus) spec.seam = {n / 8 % 2 == 1, 3 + n / 16};
    if (boundary == Boundary::klein_bottle) spec.seam = {n / 8 % 2 == 1, n / 16 % 2};
    CAPTURE(size);
    CAPTURE(boundary);
    CAPTURE(spec.width);
    CAPTURE(spec.height);
    on_ranks(size, found, [&](RankWorker& worker) {
      const RanksDriver driver(worker, "cpu", {});
      const auto grid = driver.create(0, spec, "word", {});
      const auto judge = reference().create(spec);
      const Soup soup{random(), 32768};
      grid->fill(soup);
      judge->fill(soup);
      for (int round = 0; round < 6; round++) {
        const auto now = static_cast<std::int64_t>(random() % 20);
        grid->step(now);
        judge->step(now);
        const std::int64_t x = static_cast<std::int64_t>(random()) & 0xffff, y = x / 7;
        const Rect rect{x % spec.width, y % spec.height, 1 + spec.width - x % spec.width - 1,
                        1 + (spec.height - y % spec.height - 1) / 2};
        if (round % 2 == 1) {
          const BitGrid patch = make_soup({random(), 20000}, rect.width, rect.height);
          grid->edit({rect.x, rect.y}, patch);
          judge->edit({rect.x, rect.y}, patch);
        }
        grid->synchronize();
        REQUIRE(grid->download(rect) == judge->download(rect));
        REQUIRE(grid->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
        REQUIRE(grid->survey(rect, kWholeSurvey, -3, 9) ==
                judge->survey(rect, kWholeSurvey, -3, 9));
        CellCounts seen, wanted;
        const std::int64_t scale = 1 + static_cast<std::int64_t>(random() % 9);
        grid->view(rect, scale, seen);
        judge->view(rect, scale, wanted);
        REQUIRE(seen == wanted);
      }
    });
  }
}

// A processor on which every kernel goes from byte to byte, and so is slower by far.
class SlowDriver final : public Driver {
 public:
  const char* name() const override { return "slow"; }
  DeviceList devices() const override { return processor().driver->devices(); }
  std::vector<KernelInfo> kernels() const override { return processor().driver->kernels(); }

 private:
  BackendPlan plan(int, const BackendSpec& spec, const std::string&, const Tuning&) const override {
    return [spec] { return reference().create(spec); };
  }
};

TEST_CASE("ranks with slower devices get fewer rows, and those that look alike as many") {
  const SlowDriver slow;
  const BackendSpec spec = spec_of(70, 600, Boundary::torus);
  enum class Sign { none, name, threads };
  for (const int lame : {0, 2}) {
    for (const Sign sign : {Sign::none, Sign::name, Sign::threads}) {
      CAPTURE(lame);
      CAPTURE(static_cast<int>(sign));
      const auto find = [&](const std::string&, const RankPlace& place) {
        PartDevice part = processor();
        if (place.local != lame) return part;
        part.driver = &slow;
        part.device.software = true;  // so that it is measured quickly
        if (sign == Sign::name) part.device.name = "another one";
        return part;
      };
      std::vector<int> threads(3, 1);
      if (sign == Sign::threads) threads[static_cast<std::size_t>(lame)] = 2;
      const auto work = [&](RankWorker& worker) {
        const RanksDriver driver(worker, "cpu", {1, LinkChoice::automatic});
        const auto judge = reference().create(spec);
        const auto grid = driver.create(0, spec, "gates", {});
        const std::int64_t rows = worker.grids().band(1).grid().own.rows;
        if (sign == Sign::none) CHECK(rows == 200);
        if (sign != Sign::none && lame == 0) CHECK(rows < 150);
        if (sign != Sign::none && lame == 2) CHECK(rows > 220);
        judge->fill(Soup{});
        grid->fill(Soup{});
        judge->step(40);
        grid->step(40);
        CHECK(grid->survey(kWholeSurvey) == judge->survey(kWholeSurvey));
        CHECK(grid->download() == judge->download());
      };
      on_ranks(3, find, work, threads);
    }
  }
}

TEST_CASE("rows pass between ranks whether they hold them alike or in two ways") {
  const SlowDriver other;
  Tuning tuning;
  tuning.group = find_kernels({"cpu"}, {"simd"})
                     .at(0)
                     .info.parameter(&Tuning::group)
                     ->candidates.back();  // a row to a vector
  for (const int lame : {-1, 0, 1}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane, Boundary::klein_bottle}) {
      CAPTURE(lame);
      CAPTURE(boundary);
      BackendSpec spec = spec_of(1100, 90, boundary);
      spec.seam = {false, boundary == Boundary::klein_bottle ? 1 : 0};
      const auto find = [&](const std::string&, const RankPlace& place) {
        PartDevice part = processor();
        if (place.local == lame) part.driver = &other;
        return part;
      };
      on_ranks(3, find, [&](RankWorker& worker) {
        const RanksDriver driver(worker, "cpu", {5, LinkChoice::automatic});
        const auto judge = reference().create(spec);
        const auto grid = driver.create(0, spec, "simd", tuning);
        judge->fill(Soup{});
        grid->fill(Soup{});
        for (int round = 0; round < 3; round++) {
          judge->step(13);
          grid->step(13);
          judge->edit({40 * round, 29}, BitGrid(9, 2));
          grid->edit({40 * round, 29}, BitGrid(9, 2));
          CHECK(grid->download() == judge->download());
        }
      });
    }
  }
}

TEST_CASE("halos are as deep as suits the threads that ranks are given") {
  int differ = 0;
  for (const std::int64_t side : {1024, 2048, 4096, 6000}) {
    CAPTURE(side);
    const auto halo_of = [&](int threads_there, int threads_asked) {
      std::int64_t halo = 0;
      const auto work = [&](RankWorker& worker) {
        Tuning tuning;
        tuning.threads = threads_asked;
        const RanksDriver driver(worker, "cpu", {});
        halo = driver.create(0, spec_of(side, side, Boundary::torus), "simd", tuning)->info().halo;
      };
      on_ranks(4, found, work, std::vector<int>(4, threads_there));
      return halo;
    };
    const std::int64_t one = halo_of(1, 0);
    CHECK(halo_of(4, 4) == one);
    differ += halo_of(4, 0) != one;
  }
  CHECK(differ > 0);
}

TEST_CASE("a device that fails on one rank is told of by rank 0, and nobody waits for ever") {
  const BackendSpec spec = spec_of(70, 40, Boundary::torus);
  for (const int lost : {0, 1, 3}) {
    for (const std::string call :
         {"create", "step", "synchronize", "download", "edit", "survey", "view"}) {
      CAPTURE(lost);
      CAPTURE(call);
      const FailingDriver good(""), bad(call);
      const auto find = [&](const std::string&, const RankPlace& place) {
        return PartDevice{place.local == lost ? &bad : &good, DeviceInfo{}};
      };
      on_ranks(4, find, [&](RankWorker& worker) {
        const RanksDriver driver(worker, "failing", {});
        const auto use = [&] {
          const auto grid = driver.create(0, spec, "reference", {});
          grid->fill(Soup{});
          grid->step(33);
          grid->synchronize();
          grid->survey(kWholeSurvey);
          CellCounts counts;
          grid->view({0, 0, 70, 40}, 3, counts);
          grid->download();
        };
        const std::string what =
            call == "create" ? message_of<DeviceMemoryError>(use) : message_of<DeviceError>(use);
        CHECK(what.starts_with("rank " + std::to_string(lost) + ": "));
        CHECK(what.ends_with(" failed"));
      });
    }
  }
}

TEST_CASE("ranks without a device, and halos that are deeper than bands, are refused") {
  const auto none_on_2 = [](const std::string&, const RankPlace& place) {
    if (place.local == 2) throw InputError("none here");
    return processor();
  };
  on_ranks(3, none_on_2, [](RankWorker& worker) {
    CHECK(message_of<UnsupportedError>([&] { RanksDriver(worker, "cpu", {}); }) ==
          "rank 2: none here");
  });
  on_ranks(3, found, [](RankWorker& worker) {
    const RanksDriver driver(worker, "cpu", {11, LinkChoice::automatic});
    CHECK(message_of<UnsupportedError>([&] {
            driver.create(0, spec_of(9, 30, Boundary::torus), "word", {});
          }).find("have 10 each") != std::string::npos);
    CHECK(message_of<UnsupportedError>([&] {
            RanksDriver(worker, "cpu", {0, LinkChoice::peer});
          }).starts_with("link peer: "));
  });
}
