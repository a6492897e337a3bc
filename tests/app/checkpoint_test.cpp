// What is written as a checkpoint is read back, whatever the pieces; what happens to files.

#include "core/files/checkpoint.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "scratch_folder.h"
#include "tests/support/saved.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;

CheckpointInfo sample_info(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  CheckpointInfo info;
  info.rule.rule.birth = static_cast<std::uint16_t>(random() & 0x1fe);
  info.rule.rule.survival = static_cast<std::uint16_t>(random() & 0x1ff);
  if (random() % 4 == 0) info.rule.rule = parse_rule(random() % 2 ? "B3/S2-i34q" : "MAPHmlphg");
  info.start_generation = static_cast<std::int64_t>(random() >> 2);
  info.generation = info.start_generation + static_cast<std::int64_t>(random() >> 2);
  info.source = "soup 0.5, seed " + std::to_string(seed) + " \"quoted\"\n\xc3\xa9";
  if (random() % 2) info.start_bounds = Bounds{-3, -4, 1000000000000, 6};
  return info;
}

// A soup that is a whole bounded universe or lies somewhere on the plane, as one piece.
Saved sample(std::int64_t width, std::int64_t height, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Saved out{sample_info(seed), {}, {}};
  RuleSpec& rule = out.info.rule;
  rule.topology = static_cast<Topology>(random() % 3);
  Cell at{static_cast<std::int64_t>(random() >> 3) - (std::int64_t{1} << 60), -5};
  if (rule.has_edges()) {
    rule.width = seed % 5 == 0 ? 0 : width;  // of a tube or a strip
    rule.height = height;
    at = {rule.width == 0 ? at.x : rule.origin().x, rule.origin().y};
  }
  out.extent = {at.x, at.y, width, height};
  const double density = static_cast<double>(random() % 5) / 4;
  out.pieces.push_back({at, make_soup(Soup::of(density, seed), width, height)});
  return out;
}

// Pieces and nothing else.
Saved held(const Rect& extent, std::vector<Piece> pieces) {
  Saved out;
  out.extent = extent;
  out.pieces = std::move(pieces);
  return out;
}

// The cells of all pieces in one grid.
CellGrid joined(const Saved& saved) {
  const Rect& all = saved.extent;
  CellGrid out(all.width, all.height);
  for (const Piece& piece : saved.pieces) {
    out.paste(piece.at.x - all.x, piece.at.y - all.y, piece.cells);
  }
  return out;
}

bool same_cells(const Saved& a, const Saved& b) {
  return a.info == b.info && a.extent == b.extent && joined(a) == joined(b);
}

// Pieces of 1x1 to 130x70 cells in a plane of `planes` bit planes, far apart, in no order.
Saved scattered(std::size_t count, int planes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Saved out{sample_info(seed), {-kFar, -kFar / 2, kFar, kFar}, {}};
  for (std::size_t i = 0; i < count; i++) {
    const auto width = 1 + static_cast<std::int64_t>(random() % 130);
    const auto height = 1 + static_cast<std::int64_t>(random() % 70);
    CellGrid cells(width, height, planes);
    for (int p = 0; p < planes; p++) cells.plane(p) = make_soup({random(), 30000}, width, height);
    cells.set_state(width - 1, height - 1, 1);
    const auto somewhere = [&] { return static_cast<std::int64_t>(random() >> 2) - kFar / 2; };
    out.pieces.push_back(
        {{std::min(somewhere(), kFar / 2) - kFar / 2, std::min(somewhere(), kFar / 2 - 200)},
         std::move(cells)});
  }
  return out;
}

}  // namespace

TEST_CASE("what is written is read back") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const std::pair<std::int64_t, std::int64_t> sizes[] = {
      {1, 1},     {63, 2},      {64, 3},       {65, 4},       {300, 7},
      {1, 70000}, {5000, 3000}, {40000000, 1}, {16777217, 2}, {4096, 5000}};
  std::uint64_t seed = 0;
  for (const auto& [width, height] : sizes) {
    for (int i = 0; i < (width * height < 100000 ? 20 : 1); i++) {
      CAPTURE(seed);
      const Saved c = sample(width, height, seed++);
      write_saved(path, c);
      CHECK(is_checkpoint(path));
      CHECK(same_cells(read_saved(path), c));
    }
  }
}

TEST_CASE("pieces of any size and number of planes come back as they were, in their order") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  for (int planes = 1; planes <= 8; planes++) {
    for (const std::size_t count : {1, 2, 60, 3000}) {
      CAPTURE(planes);
      CAPTURE(count);
      const Saved c = scattered(count, planes, count + static_cast<std::size_t>(planes));
      write_saved(path, c);
      CHECK(read_saved(path) == c);
      CHECK(CheckpointReader(path).planes() == planes);
    }
  }
}

TEST_CASE("pieces may lie 2^62 apart, and touch the farthest cells") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  CellGrid cell(1, 1);
  cell.set_state(0, 0, 1);
  for (const Rect& extent : {Rect{-kFar, -kFar, kFar, kFar}, Rect{1, 1, kFar, kFar},
                             Rect{-kFar / 2, -kFar / 2, kFar, kFar}, Rect{kFar, kFar, 1, 1}}) {
    CAPTURE(extent.x);
    Saved c{sample_info(3), extent, {}};
    for (const Cell& at :
         {Cell{extent.x + extent.width - 1, extent.y}, Cell{extent.x, extent.y + extent.height - 1},
          Cell{extent.x + extent.width / 2, extent.y + extent.height / 2}}) {
      c.pieces.push_back({at, cell});
    }
    write_saved(path, c);
    CHECK(read_saved(path, 1000) == c);  // no limit of memory is about empty space
    CHECK(bytes_of(path).size() < 1000);
  }
}

TEST_CASE("many small pieces of many orders take little of a file") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  std::vector<Piece> tiles;
  for (std::int64_t y = 0; y < 100; y++) {
    for (std::int64_t x = 0; x < 200; x++) {
      CellGrid cells(48, 48);
      cells.set_state(x % 48, y % 48, 1);
      tiles.push_back({{48 * x, 48 * y}, cells});
    }
  }
  Saved c{sample_info(8), {0, 0, 48 * 200, 48 * 100}, tiles};
  std::reverse(c.pieces.begin(), c.pieces.end());
  write_saved(path, c);
  CHECK(read_saved(path) == c);
  CHECK(bytes_of(path).size() < 1'000'000);
  std::shuffle(c.pieces.begin(), c.pieces.end(), std::mt19937(1));
  write_saved(path, c);
  CHECK(read_saved(path) == c);
}

TEST_CASE("the pieces asked for and given are small and cover what lives once") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const BitGrid cells = make_soup(Soup::of(0.5, 3), 70000, 900);
  std::int64_t asked = 0;
  BandSource source({-7, 5, cells.width(), cells.height()}, [&](const Rect& rect) {
    CHECK(rect.width * rect.height <= std::int64_t{1} << 24);
    asked += rect.width * rect.height;
    return cells.window({rect.x + 7, rect.y - 5, rect.width, rect.height});
  });
  write_checkpoint(path, {}, source);
  CHECK(asked == 70000 * 900);
  // One piece of all cells is cut.
  const Saved whole = held({-7, 5, 70000, 900}, {{{-7, 5}, cells}});
  const std::string other = folder.file("d.tsr");
  write_saved(other, whole);
  CHECK(bytes_of(other) == bytes_of(path));
  CheckpointReader reader(path);
  CHECK(reader.extent() == Rect{-7, 5, 70000, 900});
  std::int64_t given = 0;
  while (const auto piece = reader.next()) {
    const Rect rect = piece->rect();
    CHECK(rect.width * rect.height <= std::int64_t{1} << 24);
    given += rect.width * rect.height;
    CHECK(piece->cells == cells.window({rect.x + 7, rect.y - 5, rect.width, rect.height}));
  }
  CHECK(given == 70000 * 900);
}

TEST_CASE("dead pieces are left out, and no pieces are a dead universe") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  CellGrid cells(5, 5);
  cells.set_state(4, 4, 1);
  const Rect extent{0, 0, 50, 5};
  const Piece dead{{0, 0}, CellGrid(5, 5)}, alive{{45, 0}, cells};
  write_saved(path, held(extent, {dead, alive}));
  CHECK(read_saved(path) == held(extent, {alive}));
  const Saved none = held(extent, {});
  write_saved(path, held(extent, {dead}));
  CHECK(read_saved(path) == none);
  const std::string bytes = bytes_of(path);
  write_saved(path, none);
  CHECK(read_saved(path) == none);
  CHECK(bytes_of(path) == bytes);
}

TEST_CASE("pieces that do not fit together are refused, and no file is left") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  CellGrid cells(10, 4);
  cells.set_state(0, 0, 1);
  const Piece good{{0, 0}, cells};
  const auto refused = [&](const Rect& extent, const std::vector<Piece>& pieces) {
    CHECK_THROWS_AS(write_saved(path, held(extent, pieces)), InputError);
    CHECK(!std::filesystem::exists(path));
  };
  refused({0, 0, 10, 8}, {good, {{0, 4}, CellGrid(10, 4, 2)}});  // of other planes
  refused({0, 0, 10, 8}, {good, {{1, 4}, cells}});               // over each edge
  refused({0, 0, 10, 8}, {good, {{-1, 4}, cells}});
  refused({0, 0, 10, 8}, {good, {{0, 5}, cells}});
  refused({0, 0, 10, 8}, {good, {{0, -1}, cells}});
  refused({0, 0, 10, 8}, {{{std::numeric_limits<std::int64_t>::max(), 0}, cells}});
  refused({kFar + 1, 0, 10, 4}, {{{kFar + 1, 0}, cells}});
  refused({kFar - 8, 0, 10, 4}, {{{kFar - 8, 0}, cells}});
  refused({0, 0, 10, kFar + 1}, {good});
  refused({0, 0, 0, 4}, {});
}

TEST_CASE("bands cut long rows and cover a rectangle in reading order") {
  const Bands rows({3, -2, 100, 300000});
  REQUIRE(rows.count() == 3);
  CHECK(rows.at(0) == Rect{3, -2, 100, 131072});
  CHECK(rows.at(2) == Rect{3, -2 + 2 * 131072, 100, 300000 - 2 * 131072});
  const std::int64_t words = std::int64_t{1} << 18;
  const Bands parts({0, 0, 64 * words + 1, 2});
  REQUIRE(parts.count() == 4);
  CHECK(parts.at(1) == Rect{64 * words, 0, 1, 1});
  CHECK(parts.at(2) == Rect{0, 1, 64 * words, 1});
}

TEST_CASE("the memory limit is kept for the grid of a bounded universe") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const auto refusal = [&](std::int64_t limit) -> std::string {
    try {
      CheckpointReader reader(path, limit);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Saved c = held({-3200, -50, 6400, 100}, {});
  c.info.rule = parse_rule_spec("B3/S23:T6400,100");
  write_saved(path, c);
  CHECK(refusal(79999).find("takes 80000 bytes; the limit is 79999") != std::string::npos);
  CHECK(refusal(80000).empty());
  CHECK(refusal(0).empty());
  c.info.rule = RuleSpec{};
  write_saved(path, c);
  CHECK(refusal(1).empty());
}

TEST_CASE("the file that is replaced stays as FILE.prev; a failure leaves both") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const Saved first = sample(100, 50, 1), second = sample(90, 40, 2), third = sample(80, 30, 3);
  write_saved(path, first);
  CHECK(!std::filesystem::exists(path + ".prev"));
  write_saved(path, second);
  CHECK(same_cells(read_saved(path), second));
  CHECK(same_cells(read_saved(path + ".prev"), first));
  write_saved(path, third);
  CHECK(same_cells(read_saved(path + ".prev"), second));

  BandSource gone({0, 0, 10, 10}, [](const Rect&) -> CellGrid { throw DeviceError("gone"); });
  CHECK_THROWS_AS(write_checkpoint(path, {}, gone), DeviceError);
  CHECK(same_cells(read_saved(path), third));
  CHECK(same_cells(read_saved(path + ".prev"), second));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("what is no file is refused") {
  ScratchFolder folder;
  CHECK_THROWS_AS(read_saved(folder.file("none")), InputError);
  CHECK_THROWS_AS(read_saved(folder.path().string()), InputError);
  CHECK_THROWS_AS(read_saved("/dev/zero"), InputError);
  CHECK_THROWS_AS(write_saved(folder.file("none/c.tsr"), sample(1, 1, 1)), FileError);
  CHECK(!is_checkpoint(folder.file("none")));
  CHECK(!is_checkpoint(folder.path().string()));
  CHECK(!is_checkpoint("/dev/zero"));
}

TEST_CASE(
    "what killed writers left is removed by the next checkpoint; what living ones hold is not") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr"), abandoned = folder.file(".tessera-1-0.tmp"),
                    held = folder.file(".tessera-1-1.tmp"), other = folder.file("tessera-1-0.tmp");
  for (const std::string& name : {abandoned, held, other}) write_bytes(name, "x");
  const int descriptor = open(held.c_str(), O_WRONLY);
  REQUIRE(flock(descriptor, LOCK_EX) == 0);
  write_saved(path, sample(20, 20, 1));
  CHECK(!std::filesystem::exists(abandoned));
  CHECK(std::filesystem::exists(held));
  CHECK(std::filesystem::exists(other));
  close(descriptor);
  write_saved(path, sample(20, 20, 2));
  CHECK(!std::filesystem::exists(held));
}
