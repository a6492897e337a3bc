// Checkpoints of tiles over several ranks: each writes what it owns. Read again by themselves, the
// files must hold the cells of one grid, each of them once.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "backends/distributed/shared_tiles_backend.h"
#include "core/base/error.h"
#include "core/files/checkpoint_shards.h"
#include "tests/app/scratch_folder.h"
#include "tests/distributed/shared_lives.h"
#include "tests/distributed/threaded_ranks.h"
#include "tests/support/cases.h"
#include "tests/support/saved.h"
#include "tests/support/states.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// As many shards as parts, and one more where gliders are away.
std::vector<Shard> save(Universe& universe, const std::string& path) {
  CheckpointInfo info;
  info.rule = universe.spec();
  info.generation = universe.generation();
  const ShardOrder order = order_shards(path, info, universe.extent(), info.rule.rule.planes());
  const std::vector<Shard> shards = universe.write_shards(order);
  write_manifest(order, shards);
  return shards;
}

// What differs between a file and a universe that a grid agrees with, or nothing.
std::string difference(const std::string& path, Universe& universe) {
  std::int64_t cells = 0;
  for (const Piece& piece : read_saved(path).pieces) cells += piece.cells.population();
  CheckpointReader reader(path);
  Universe read(reader.info().rule, make_factory("cpu", "auto", {}), 0, SpaceChoice::grid);
  read.load(reader);
  read.set_generation(reader.info().generation);
  if (cells != universe.survey().population) return "cells are missing, or there twice";
  return read.survey() == universe.survey() ? "" : "surveys differ";
}

}  // namespace

TEST_CASE("ranks write the tiles that they own, and others read the cells of a grid") {
  const std::int64_t cases = case_count(45);
  std::set<std::size_t> counts;
  for (int ranks = 2; ranks <= 4; ranks++) {
    on_ranks(ranks, found, [&](RankWorker& worker) {
      const BackendFactory factory = restless_factory(worker, ranks);
      for (std::int64_t i = ranks; i < cases; i += 3) {
        INFO("case " << i << " on " << ranks << " ranks");
        Random random(static_cast<std::uint64_t>(i));
        RuleSpec spec{random_rule(random), Topology::infinite, 0, 0};
        Rect all{-300, -200, 600, 400};
        if (i % 2) {
          spec = random_bounded(random, Variety::any);
          all = spec.cells();
        }
        UniversePair pair(Universe(spec, factory, 0, SpaceChoice::tiles));
        ScratchFolder folder;
        const std::string path = folder.file("c.tsr");
        for (int n = 0; n < 3; n++) {
          const BitGrid cells = random_cells(random, 60);
          const std::int64_t width = std::min(cells.width(), all.width);
          const std::int64_t height = std::min(cells.height(), all.height);
          pair.edit({all.x + draw(random, 0, all.width - width),
                     all.y + draw(random, 0, all.height - height)},
                    cells.window({0, 0, width, height}));
          pair.step(draw(random, 0, 100));
          const std::vector<Shard> shards = save(pair.subject(), path);
          counts.insert(shards.size() - static_cast<std::size_t>(ranks));
          REQUIRE(difference(path, pair.subject()) == "");
          REQUIRE(pair.difference() == "");  // nothing has changed
        }
      }
    });
  }
  CHECK(counts == std::set<std::size_t>{0});
}

TEST_CASE("cells of several states and rules in turns are stepped and written by several ranks") {
  for (int ranks = 2; ranks <= 3; ranks++) {
    on_ranks(ranks, found, [&](RankWorker& worker) {
      std::uint64_t seed = 1;
      for (const char* rule : {"345/2/4", "WireWorld:T150,100", "12/34/9", "B2-a/S12:P131,127",
                               "B3/S23|B36/S23", "B03/S23"}) {
        INFO(std::string(rule) << " on " << ranks << " ranks");
        const RuleSpec spec = parse_rule_spec(rule);
        const BackendFactory factory = restless_factory(worker, ranks, "gates");
        UniversePair pair(Universe(spec, factory, 0, SpaceChoice::tiles), "reference");
        ScratchFolder folder;
        Draw draw(seed++);
        for (int n = 0; n < 3; n++) {
          pair.edit({30 * n - 60, 20 * n - 30}, random_states(50, 40, spec.rule, draw));
          pair.step(17 + n);
          CHECK(save(pair.subject(), folder.file("c.tsr")).size() >=
                static_cast<std::size_t>(ranks));
          REQUIRE(difference(folder.file("c.tsr"), pair.subject()) == "");
          REQUIRE(pair.difference() == "");
        }
      }
    });
  }
}

TEST_CASE("gliders that are away are written with what lies beside them") {
  on_ranks(2, found, [](RankWorker& worker) {
    Universe plane(parse_rule_spec("B3/S23"), restless_factory(worker, 2), 0, SpaceChoice::tiles);
    const auto place = [&](const char* rle, const Cell& at) {
      Pattern pattern = parse_pattern(rle, "drawn.rle");
      pattern.position = at;
      plane.place(pattern);
    };
    ScratchFolder folder;
    const std::string path = folder.file("c.tsr");
    place("2o$2o!", {-60, -60});
    for (int n = 0; n < 5; n++) place("bo$2bo$3o!", {20 * n, 90 * n - 100});
    for (int n = 0; n < 3; n++) {
      plane.step(901);
      CHECK(save(plane, path).size() == 3);
      REQUIRE(difference(path, plane) == "");
    }
  });
}

TEST_CASE("a universe without cells is saved, too, and a rank that cannot write says so") {
  on_ranks(3, found, [](RankWorker& worker) {
    Universe plane(parse_rule_spec("B3/S23"), restless_factory(worker, 3), 0, SpaceChoice::tiles);
    ScratchFolder folder;
    const std::string path = folder.file("c.tsr");
    CHECK(save(plane, path).size() == 3);
    CHECK(difference(path, plane) == "");
    const auto nowhere = [&] {
      CheckpointInfo info;
      info.rule = plane.spec();
      ShardOrder order = order_shards(path, info, {0, 0, 1, 1}, 1);
      order.path = folder.file("none/c.tsr");
      plane.write_shards(order);
    };
    CHECK_THROWS_AS(nowhere(), FileError);
    CHECK(difference(path, plane) == "");
  });
}
