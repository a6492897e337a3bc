#include "core/files/checkpoint.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "scratch_folder.h"

using namespace tessera;

namespace {

Checkpoint sample(std::int64_t width, std::int64_t height, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Checkpoint c;
  c.rule.rule.birth = static_cast<std::uint16_t>(random() & 0x1fe);
  c.rule.rule.survival = static_cast<std::uint16_t>(random() & 0x1ff);
  c.rule.topology = static_cast<Topology>(random() % 3);
  if (c.rule.bounded()) {
    c.rule.width = width;
    c.rule.height = height;
    c.origin = c.rule.origin();
  } else {
    c.origin = {static_cast<std::int64_t>(random() >> 3) - (std::int64_t{1} << 60), -5};
  }
  c.start_generation = static_cast<std::int64_t>(random() >> 2);
  c.generation = c.start_generation + static_cast<std::int64_t>(random() >> 2);
  c.source = "soup 0.5, seed " + std::to_string(seed) + " \"quoted\"\n\xc3\xa9";
  if (random() % 2) c.start_bounds = Bounds{-3, -4, 1000000000000, 6};
  c.cells = make_soup(Soup::of(static_cast<double>(random() % 5) / 4, seed), width, height);
  return c;
}

bool same(const Checkpoint& a, const Checkpoint& b) {
  return static_cast<const CheckpointInfo&>(a) == b && a.cells == b.cells;
}

// Gives a file whose header is `text` good checksums, as somebody who forges it would.
std::string forged(const std::string& text, const std::string& rest = "") {
  std::string bytes = std::string("\x89TSR\r\n\x1a\n", 8) + std::string("\x01\0\0\0", 4);
  const auto size = static_cast<std::uint32_t>(text.size());
  bytes.append(reinterpret_cast<const char*>(&size), 4);
  bytes += text;
  const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&sum), 8);
  return bytes + rest;
}

std::string message_of(const std::string& path, std::int64_t max_memory = 0) {
  try {
    read_checkpoint(path, max_memory);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
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
      const Checkpoint c = sample(width, height, seed++);
      write_checkpoint(path, c);
      CHECK(is_checkpoint(path));
      CHECK(same(read_checkpoint(path), c));
    }
  }
}

TEST_CASE("the pieces asked for and given are small and cover the grid once") {
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
  CheckpointReader reader(path);
  CHECK(reader.extent() == Rect{-7, 5, 70000, 900});
  std::int64_t given = 0;
  while (const auto piece = reader.next()) {
    const Rect rect = piece->rect();
    given += rect.width * rect.height;
    CHECK(piece->cells == cells.window({rect.x + 7, rect.y - 5, rect.width, rect.height}));
  }
  CHECK(given == 70000 * 900);
}

TEST_CASE("pieces that are no bands of two states are refused, and no file is left") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const std::vector<Piece> all{{{0, 0}, CellGrid(10, 4)}, {{0, 4}, CellGrid(10, 4)}};
  const std::vector<Piece> nothing;
  const std::vector<Piece> deep{{{0, 0}, CellGrid(10, 4, 2)}};
  PieceList halves({0, 0, 10, 8}, all), none({0, 0, 10, 8}, nothing), states({0, 0, 10, 4}, deep);
  for (PieceList* pieces : {&halves, &none, &states}) {
    CHECK_THROWS_AS(write_checkpoint(path, {}, *pieces), InputError);
    CHECK(!std::filesystem::exists(path));
  }
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

TEST_CASE("every flipped bit is refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  write_checkpoint(path, sample(200, 9, 4));
  const std::string good = bytes_of(path);
  for (std::size_t bit = 0; bit < good.size() * 8; bit++) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    write_bytes(path, bad);
    CAPTURE(bit);
    REQUIRE_THROWS_AS(read_checkpoint(path), ParseError);
  }
}

TEST_CASE("every truncation and anything behind the end is refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  write_checkpoint(path, sample(300, 5, 11));
  const std::string good = bytes_of(path);
  for (std::size_t size = 0; size < good.size(); size++) {
    write_bytes(path, good.substr(0, size));
    CAPTURE(size);
    REQUIRE_THROWS_AS(read_checkpoint(path), ParseError);
  }
  write_bytes(path, good + '\0');
  CHECK(message_of(path) == path + ":byte " + std::to_string(good.size()) +
                                ": the checkpoint ends here, but the file goes on");
  write_bytes(path, good + good);
  CHECK_THROWS_AS(read_checkpoint(path), ParseError);
}

TEST_CASE("random bytes are refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; i++) {
    std::string bytes(random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (i % 2) bytes.insert(0, std::string("\x89TSR\r\n\x1a\n\x01\0\0\0", 12));
    write_bytes(path, bytes);
    CHECK_THROWS_AS(read_checkpoint(path), ParseError);
  }
}

TEST_CASE("forged headers are refused with their reason, before memory is taken") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const auto header = [](const std::string& rule, const std::string& generation,
                         const std::string& width, const std::string& height, const std::string& x,
                         const std::string& rest = "null") {
    return "{\"rule\":\"" + rule + "\",\"generation\":" + generation + ",\"width\":" + width +
           ",\"height\":" + height + ",\"x\":" + x +
           ",\"y\":0,\"source\":\"\",\"start_generation\":0," + "\"start_bounds\":" + rest + "}";
  };
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "not a JSON object"},
      {std::string(60000, '['), "not a JSON object"},
      {"{}", "the header has no rule"},
      {header("B3/S29", "0", "1", "1", "0"), "8 neighbours"},
      {header("B3/S23", "-1", "1", "1", "0"), "generation must be"},
      {header("B3/S23", "1.5", "1", "1", "0"), "generation must be"},
      {header("B3/S23", "18446744073709551615", "1", "1", "0"), "generation must be"},
      {header("B3/S23", "0", "0", "1", "0"), "width must be"},
      {header("B3/S23", "0", "1099511627776", "1099511627776", "0"), "cannot be in the 0 bytes"},
      {header("B3/S23", "0", "1000000", "1000000", "0"), "cannot be in the 0 bytes"},
      {header("B3/S23", "0", "1", "1", "4611686018427387905"), "x must be"},
      {header("B3/S23:T8,8", "0", "8", "9", "-4"), "not that of the universe B3/S23:T8,8"},
      {header("B3/S23:T8,8", "0", "8", "8", "0"), "not that of the universe B3/S23:T8,8"},
      {header("B3/S23", "0", "1", "1", "0", "[1,2,3]"), "start_bounds must be"},
      {header("B3/S23", "0", "1", "1", "0", "[1,2,0,3]"), "inside out"},
      {header("B3/S23", "0", "1", "1", "0", "[1,2,\"a\",3]"), "start_bounds must be"},
  };
  for (const auto& [text, reason] : cases) {
    write_bytes(path, forged(text));
    const std::string message = message_of(path);
    CAPTURE(message);
    CHECK(message.starts_with(path + ":"));
    CHECK(message.find(reason) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("cells beyond the grid's width are refused, though their checksum is right") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  CheckpointInfo info;
  BandSource source({0, 0, 65, 2}, [](const Rect& rect) {
    BitGrid cells(rect.width, rect.height);
    cells.row(1)[1] = 6;  // columns 65 and 66
    return cells;
  });
  write_checkpoint(path, info, source);
  CHECK(message_of(path).find("cells beyond the grid's width") != std::string::npos);
}

TEST_CASE("the memory limit is kept") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  write_checkpoint(path, sample(6400, 100, 1));
  CHECK(message_of(path, 79999).find("takes 80000 bytes; the limit is 79999") != std::string::npos);
  CHECK(message_of(path, 80000).empty());
}

TEST_CASE("the file that is replaced stays as FILE.prev; a failure leaves both") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const Checkpoint first = sample(100, 50, 1), second = sample(90, 40, 2),
                   third = sample(80, 30, 3);
  write_checkpoint(path, first);
  CHECK(!std::filesystem::exists(path + ".prev"));
  write_checkpoint(path, second);
  CHECK(same(read_checkpoint(path), second));
  CHECK(same(read_checkpoint(path + ".prev"), first));
  write_checkpoint(path, third);
  CHECK(same(read_checkpoint(path + ".prev"), second));

  BandSource gone({0, 0, 10, 10}, [](const Rect&) -> CellGrid { throw DeviceError("gone"); });
  CHECK_THROWS_AS(write_checkpoint(path, {}, gone), DeviceError);
  CHECK(same(read_checkpoint(path), third));
  CHECK(same(read_checkpoint(path + ".prev"), second));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("what is no file is refused") {
  ScratchFolder folder;
  CHECK_THROWS_AS(read_checkpoint(folder.file("none")), InputError);
  CHECK_THROWS_AS(read_checkpoint(folder.path().string()), InputError);
  CHECK_THROWS_AS(read_checkpoint("/dev/zero"), InputError);
  CHECK_THROWS_AS(write_checkpoint(folder.file("none/c.tsr"), sample(1, 1, 1)), FileError);
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
  write_checkpoint(path, sample(20, 20, 1));
  CHECK(!std::filesystem::exists(abandoned));
  CHECK(std::filesystem::exists(held));
  CHECK(std::filesystem::exists(other));
  close(descriptor);
  write_checkpoint(path, sample(20, 20, 2));
  CHECK(!std::filesystem::exists(held));
}
