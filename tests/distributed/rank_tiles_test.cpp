// Tiles of one plane over several ranks, here threads of one process: the calls of a device that
// lies elsewhere, the cells of a grid, and what happens when a rank fails. Also run under a
// sanitizer that finds races.
#include "backends/distributed/rank_tiles.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "backends/cpu/tile_pool.h"
#include "backends/distributed/ranks_driver.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/tiles/pool_tiles.h"
#include "tests/distributed/copying_tiles.h"
#include "tests/distributed/failing_pool.h"
#include "tests/distributed/shared_lives.h"
#include "tests/distributed/threaded_ranks.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// A device that writes down what it is asked, and answers by what it was asked for.
class TellingTiles final : public TileDevice {
 public:
  explicit TellingTiles(std::string& told) : told_(told) {}
  ~TellingTiles() override { told_ += "closed;"; }

  void set_frames(const std::vector<TileFrame>& frames) override {
    tell("frames {} {}", frames.size(), frames.back().bottom);
  }
  bool makes_copies() const override { return true; }
  void set_copies(const std::vector<TileCopy>& copies) override {
    tell("copies {} {} {}", copies.size(), copies[1].tile, copies[1].parts.at(1).width);
  }
  void reserve(TileId end) override {
    if (end == 13) throw DeviceMemoryError("no room");
    tell("reserve {}", end);
  }
  void restart(int kept, int slots) override {
    slots_ = slots;
    tell("restart {} {}", kept, slots);
  }
  void patch(const TilePatch& patch) override {
    tell("patch {} {} {} {} {} {} {} {}", patch.slot, patch.visit_for, patch.linked.at(0),
         patch.links.at(0).next[7], patch.drawn.at(1), patch.rows.at(1)[47], patch.queued.at(0),
         patch.held.size());
  }
  DeviceProgress step(std::span<const DeviceStep> steps,
                      std::vector<MissingTiles>& missing) override {
    if (steps.empty()) throw std::bad_alloc();
    missing = {{7, 5}};
    return {3, steps[1].after, 0.5};
  }
  void look_ahead(int now, int generations, bool odd) override {
    tell("ahead {} {} {}", now, generations, odd);
  }
  void look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) override {
    tell("look {} {} {}", slot, of_all_slots, remember);
    facts = {{1}, {2}, {3}};
  }
  void get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) override {
    rows.assign(tiles.size(), {});
    for (std::size_t i = 0; i < tiles.size(); i++) rows[i][3] = tiles[i] + slot;
  }
  void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) override {
    if (slot == 9) throw DeviceError("lost");
    shapes = {{static_cast<TileId>(slot), cells, most, 4}};
  }
  std::int64_t bytes_per_tile() const override { return 100 * slots_; }
  std::int64_t limit() const override { return 5000 + slots_; }

 private:
  template <class... Values>
  void tell(fmt::format_string<Values...> form, Values&&... values) {
    told_ += fmt::format(form, std::forward<Values>(values)...) + ";";
  }
  std::string& told_;
};

// A processor that has no memory for anything.
class FullDriver final : public Driver {
 public:
  const char* name() const override { return "cpu"; }
  DeviceList devices() const override { return processor().driver->devices(); }
  std::vector<KernelInfo> kernels() const override { return processor().driver->kernels(); }

 private:
  BackendPlan plan(int, const BackendSpec&, const std::string&, const Tuning&) const override {
    return []() -> std::unique_ptr<StepBackend> { throw DeviceMemoryError("it is full"); };
  }
};

// What asks for tiles.
BackendSpec asking() {
  BackendSpec spec;
  spec.width = spec.height = 64;
  spec.boundary = Boundary::plane;
  spec.tiles = true;
  return spec;
}

}  // namespace

TEST_CASE("calls of tiles on another rank arrive there, and so do their answers here") {
  std::string told;
  int open = 0;
  LocalTeam team(2);
  team.run([&](Communicator& us) {
    if (us.rank() == 1) {
      std::map<std::uint64_t, ServedTiles> devices;
      devices[4] = {std::make_unique<TellingTiles>(told)};
      bool interrupted = false;
      while (!devices.empty()) interrupted = !serve_tiles(us, devices) || interrupted;
      CHECK(interrupted);
      return;
    }
    RankTiles tiles(us, 1, 4, open, {11, 12, 3, true, false});
    CHECK(open == 1);
    CHECK(tiles.bytes_per_tile() == 11);
    CHECK(tiles.limit() == 12);
    CHECK_FALSE(tiles.makes_copies());
    tiles.set_frames({{}, {1, 2, 3, 4}});
    CHECK(tiles.makes_copies());
    tiles.set_copies({{}, {9, {{}, {1, 2, 3, 4, 5, 6, 7}}}});
    interrupt_tiles(us, std::array{1});
    tiles.restart(-1, 24);
    CHECK(tiles.slots() == 24);
    CHECK(tiles.bytes_per_tile() == 2400);
    CHECK(tiles.limit() == 5024);
    tiles.reserve(50);
    tiles.reserve(40);  // has room
    tiles.reserve(51);
    CHECK(message_of<DeviceMemoryError>([&] {
            tiles.restart(2, 3);
            tiles.reserve(13);
          }) == "rank 1: no room");
    TilePatch patch{5, 6, {1}, {{}}, {2, 3}, {{}, {}}, {4}, {8, 9}};
    patch.links[0].next[7] = 77;
    patch.rows[1][47] = 99;
    tiles.patch(patch);
    std::vector<MissingTiles> missing{{1, 1}, {2, 2}};
    const std::vector<DeviceStep> steps{{0, 1, 8}, {1, 2, 8}};
    const DeviceProgress done = tiles.step(steps, missing);
    CHECK(done.steps == 3);
    CHECK(done.active == 2);
    CHECK(done.visits == 0.5);
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].tile == 7);
    CHECK(missing[0].ways == 5);
    CHECK(message_of<DeviceMemoryError>([&] { tiles.step({}, missing); }) ==
          "rank 1: out of memory");
    tiles.look_ahead(3, 4, true);
    std::vector<TileFacts> facts;
    tiles.look(1, true, false, facts);
    REQUIRE(facts.size() == 3);
    CHECK(facts[2].bits == 3);
    // More than travels with a message's head, and nothing.
    std::vector<TileId> wanted(1000);
    for (std::size_t i = 0; i < wanted.size(); i++) wanted[i] = static_cast<TileId>(i);
    std::vector<TileRows> rows;
    tiles.get(2, wanted, rows);
    REQUIRE(rows.size() == 1000);
    CHECK(rows[999][3] == 1001);
    tiles.get(2, {}, rows);
    CHECK(rows.empty());
    std::vector<LoneShape> shapes;
    tiles.lone_shapes(1, 2, 3, shapes);
    REQUIRE(shapes.size() == 1);
    CHECK(shapes[0].y == 3);
    CHECK(message_of<DeviceError>([&] { tiles.lone_shapes(9, 0, 0, shapes); }) == "rank 1: lost");
  });
  CHECK(open == 0);
  CHECK(told ==
        "frames 2 4;copies 2 9 6;restart -1 24;reserve 50;reserve 51;restart 2 3;"
        "patch 5 6 1 77 3 99 4 2;ahead 3 4 true;look 1 true false;closed;");
}

TEST_CASE("tiles of a rank that is lost are a device that fails") {
  LocalTeam team(2);
  CHECK(message_of<UnsupportedError>([&] {
          team.run([&](Communicator& us) {
            if (us.rank() == 1) throw UnsupportedError("rank 1 ended");
            int open = 0;
            RankTiles tiles(us, 1, 1, open, {1, 1});
            CHECK(message_of<DeviceError>([&] { tiles.restart(-1, 3); }) == "rank 1 is lost");
          });
        }) == "rank 1 ended");
}

TEST_CASE("random lives over ranks are those of a grid, however often tiles move") {
  const std::int64_t cases = case_count(90) / 3;
  for (int n = 0; n < 3; n++) {
    const int ranks = n + 2;
    INFO("ranks " << ranks);
    on_ranks(ranks, found, [&](RankWorker& worker) {
      check_random_lives(restless_factory(worker, ranks), n * cases, cases);
    });
  }
}

TEST_CASE("a rank without memory in the middle of a step leaves a plane that goes on") {
  for (int fails_at = 0; fails_at < 42; fails_at += 6) {
    INFO(fails_at);
    const auto failures = std::make_shared<std::atomic<int>>(0);
    LocalTeam team(2);
    team.run([&](Communicator& us) {
      if (us.rank() == 1) {
        std::map<std::uint64_t, ServedTiles> devices;
        auto pool = std::make_unique<FailingPool>(kLife, fails_at, failures);
        devices[1] = {std::make_unique<PoolTiles>(std::move(pool))};
        while (!devices.empty()) serve_tiles(us, devices);
        return;
      }
      int open = 0;
      constexpr std::int64_t kMuch = std::int64_t{1} << 62;
      std::vector<TileShare> shares(2);
      shares[0].make = [&] {
        return std::make_unique<PoolTiles>(std::make_unique<CpuTilePool>(kLife, kMuch, 1));
      };
      shares[1].make = [&] {
        return std::make_unique<RankTiles>(us, 1, 1, open, ServedFacts{1, kMuch});
      };
      check_plane_goes_on(shares, static_cast<std::uint64_t>(fails_at));
    });
    CHECK(*failures == 1);
  }
}

TEST_CASE("a rank makes the copies of a torus while it has all tiles") {
  LocalTeam team(2);
  Copying home, other;
  team.run([&](Communicator& us) {
    if (us.rank() == 1) {
      std::map<std::uint64_t, ServedTiles> devices;
      devices[1] = {std::make_unique<CopyingTiles>(kLife, home)};
      while (!devices.empty()) serve_tiles(us, devices);
      return;
    }
    int open = 0;
    std::vector<TileShare> shares(2);
    shares[0].make = [&] { return std::make_unique<CopyingTiles>(kLife, other); };
    shares[1].make = [&] {
      return std::make_unique<RankTiles>(us, 1, 1, open, ServedFacts{1, std::int64_t{1} << 62});
    };
    shares[1].speed = 2;
    check_copies_come_and_go(shares, home);
    CHECK(other.copies == 0);
  });
}

TEST_CASE("tiles that a rank cannot make are refused by all, which go on") {
  const FullDriver full;
  for (const int lame : {1, 2}) {
    const auto find = [&](const std::string&, const RankPlace& place) {
      PartDevice part = processor();
      if (place.local == lame) part.driver = &full;
      return part;
    };
    on_ranks(3, find, [&](RankWorker& worker) {
      const RanksDriver driver(worker, "cpu", {});
      const BackendSpec spec = asking();
      const auto open = [&] { driver.create(0, spec, "simd", {})->tile_device(); };
      for (int n = 0; n < 2; n++)
        CHECK(message_of<DeviceMemoryError>(open) == fmt::format("rank {}: it is full", lame));
      CHECK(message_of<UnsupportedError>([&] {
              driver.create(0, spec, "reference", {})->tile_device();
            }).ends_with("has no tiles"));
      CHECK(worker.devices("cpu").size() == 3);
    });
  }
}

TEST_CASE("a rank's tiles take its share of memory, and of the threads of its host") {
  on_ranks(2, found,
           [](RankWorker& worker) {
             const RanksDriver driver(worker, "cpu", {});
             BackendSpec spec = asking();
             spec.max_memory = 3'000'001;
             CHECK(driver.create(0, spec, "simd", {})->tile_device()->limit() == 3'000'000);
             spec.max_memory = 0;
             const std::int64_t all = processor().device.memory;
             CHECK(driver.create(0, spec, "simd", {})->tile_device()->limit() == all / 2 * 2);
             const TileOrder order{"cpu", "simd", {}, spec, {0, 0}};
             const std::vector<TileShare> own = worker.open_tiles(order);
             CHECK(own[1].speed == doctest::Approx(3 * own[0].speed));
             TileOrder asked = order;
             asked.tuning.threads = 8;
             const std::vector<TileShare> given = worker.open_tiles(asked);
             CHECK(given[0].speed == doctest::Approx(4 * own[0].speed));
             CHECK(given[1].speed == doctest::Approx(4 * own[0].speed));
           },
           {1, 3});
  on_ranks(2, found, [](RankWorker& worker) {
    const BackendSpec spec = asking();
    const RanksDriver driver(worker, "cpu", {});
    const BackendInfo info = driver.create(0, spec, "simd", {})->info();
    CHECK(info.parts == 2);
    CHECK(info.halo == kTileMargin);
    CHECK(info.link == "mpi");
    CHECK(info.processes == 2);
  });
}

TEST_CASE("grids and planes of tiles over the same ranks live side by side") {
  on_ranks(3, found, [](RankWorker& worker) {
    const RanksDriver driver(worker, "cpu", {0, LinkChoice::automatic, 0});
    const BackendFactory factory = [&](const BackendSpec& spec) {
      return driver.create(0, spec, "auto", {});
    };
    const RuleSpec torus = parse_rule_spec("B3/S23:T300,200"), plane = parse_rule_spec("B36/S23");
    UniversePair first(Universe(torus, factory, 0, SpaceChoice::tiles));
    UniversePair grid(Universe(torus, factory, 0, SpaceChoice::grid));
    CHECK(worker.grids().band(1).any());
    {
      UniversePair second(Universe(plane, factory, 0, SpaceChoice::automatic));
      for (int n = 0; n < 4; n++) {
        for (UniversePair* each : {&first, &grid, &second}) {
          each->edit({10 * n - 100, -50},
                     make_soup({static_cast<std::uint64_t>(n), 20000}, 100, 90));
          each->step(29);
          REQUIRE(each->difference() == "");
        }
        worker.note("told meanwhile");
      }
    }
    first.step(100);
    CHECK(first.difference() == "");
    grid.step(100);
    CHECK(grid.difference() == "");
  });
}
