// Checkpoints that are damaged or forged, and old ones.

#include <doctest/doctest.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <random>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/universe.h"
#include "scratch_folder.h"
#include "tests/support/saved.h"

using namespace tessera;
using namespace tessera::test;

namespace {

using Words = std::vector<std::uint64_t>;

template <class Number>
std::string bytes_of_number(Number value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string frame_of(const Words& words) {
  std::string out(ZSTD_compressBound(8 * words.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), words.data(), 8 * words.size(), 1));
  return out;
}

// Makes files with good checksums, as somebody who forges them would.
struct Forged {
  std::string bytes;

  explicit Forged(const std::string& header, std::uint32_t version = 2)
      : bytes(std::string("\x89TSR\r\n\x1a\n", 8) + bytes_of_number(version)) {
    add(bytes_of_number(static_cast<std::uint32_t>(header.size())) + header);
  }
  Forged& add(const std::string& more) {
    bytes += more;
    const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size());
    bytes += bytes_of_number(sum);
    return *this;
  }
  Forged& section(const std::string& type, const std::string& payload) {
    return add(type + bytes_of_number(static_cast<std::uint32_t>(payload.size())) + payload);
  }
  Forged& plane(const Words& words, std::uint32_t number = 0) {
    return section("PLNE", bytes_of_number(number) +
                               bytes_of_number(static_cast<std::uint32_t>(8 * words.size())) +
                               frame_of(words));
  }
  Forged& end(std::uint64_t pieces) { return section("END.", bytes_of_number(pieces)); }
};

std::string header(const std::string& rule, const std::string& generation, const std::string& width,
                   const std::string& height, const std::string& x,
                   const std::string& start_bounds = "null", const std::string& planes = "1") {
  return "{\"rule\":\"" + rule + "\",\"generation\":" + generation + ",\"width\":" + width +
         ",\"height\":" + height + ",\"x\":" + x + ",\"y\":0,\"source\":\"\"," +
         "\"start_generation\":0,\"start_bounds\":" + start_bounds + ",\"planes\":" + planes + "}";
}

// A place of a piece, and the words of its cells.
Words piece(std::int64_t x, std::int64_t y, std::uint64_t width, std::uint64_t height,
            const Words& cells) {
  Words out{static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), width | height << 32};
  out.insert(out.end(), cells.begin(), cells.end());
  return out;
}

std::string message_of(const std::string& path) {
  try {
    read_saved(path);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

// Small files of both versions.
std::vector<std::string> good_files() {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  Saved c;
  c.extent = {-1000, 4, 2000, 60};
  c.info.source = "a soup";
  for (std::int64_t i = 0; i < 4; i++) {
    CellGrid cells(60 + i, 7, 2);
    for (int p = 0; p < 2; p++) cells.plane(p) = make_soup({7, 30000}, 60 + i, 7);
    c.pieces.push_back({{400 - 300 * i, 4 + 10 * i}, cells});
  }
  write_saved(path, c);
  return {bytes_of(path), bytes_of(TESSERA_TEST_DATA "/version1-plane.tsr"),
          bytes_of(TESSERA_TEST_DATA "/version1-blocks.tsr")};
}

void check_refused(const std::string& path, const std::string& bytes, const std::string& reason) {
  write_bytes(path, bytes);
  const std::string message = message_of(path);
  CAPTURE(reason);
  CAPTURE(message);
  CHECK(message.starts_with(path + ":"));
  CHECK(message.find(reason) != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("files of version 1 are read") {
  const struct {
    const char* file;
    const char* rule;
    std::int64_t generation, population;
    std::uint64_t hash;
    Rect extent;
  } files[] = {
      {"plane", "B3/S23", 300, 178, 0x9fb9e357b4753c59, {-48, -19, 63, 54}},
      {"torus", "B3/S23:T90,50", 20, 775, 0xfe6b1d2c81c81368, {-45, -25, 90, 50}},
      {"blocks", "B3/S23:P100000,400", 5, 5, 0xbaf86a2351befc00, {-50000, -200, 100000, 400}},
  };
  ScratchFolder folder;
  for (const auto& file : files) {
    CAPTURE(file.file);
    const std::string path = std::string(TESSERA_TEST_DATA "/version1-") + file.file + ".tsr";
    CHECK(is_checkpoint(path));
    CheckpointReader reader(path);
    CHECK(to_string(reader.info().rule) == file.rule);
    CHECK(reader.info().generation == file.generation);
    CHECK(reader.planes() == 1);
    CHECK(reader.extent() == file.extent);
    Universe universe(reader.info().rule, make_factory("cpu", "word", {}));
    universe.load(reader);
    CHECK(universe.population() == file.population);
    CHECK(universe.hash() == file.hash);
    // As version 2 it holds the same.
    CheckpointReader again(path);
    const std::string copy = folder.file("copy.tsr");
    write_checkpoint(copy, again.info(), again);
    CHECK(bytes_of(copy)[8] == 2);
    CheckpointReader second(copy);
    CHECK(second.info() == reader.info());
    universe.clear();
    universe.load(second);
    CHECK(universe.hash() == file.hash);
  }
}

TEST_CASE("every flipped bit is refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  for (const std::string& good : good_files()) {
    for (std::size_t bit = 0; bit < good.size() * 8; bit++) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
      write_bytes(path, bad);
      CAPTURE(bit);
      REQUIRE_THROWS_AS(read_saved(path), ParseError);
    }
  }
}

TEST_CASE("every truncation and anything behind the end is refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  for (const std::string& good : good_files()) {
    write_bytes(path, good);
    CHECK(message_of(path).empty());
    for (std::size_t size = 0; size < good.size(); size++) {
      write_bytes(path, good.substr(0, size));
      CAPTURE(size);
      REQUIRE_THROWS_AS(read_saved(path), ParseError);
    }
    write_bytes(path, good + '\0');
    CHECK(message_of(path) == path + ":byte " + std::to_string(good.size()) +
                                  ": the checkpoint ends here, but the file goes on");
    write_bytes(path, good + good);
    CHECK_THROWS_AS(read_saved(path), ParseError);
  }
}

TEST_CASE("random bytes are refused") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; i++) {
    std::string bytes(random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (i % 3 == 1) bytes.insert(0, std::string("\x89TSR\r\n\x1a\n\x02\0\0\0", 12));
    if (i % 3 == 2) bytes.insert(0, Forged(header("B3/S23", "0", "9", "9", "0")).bytes + "PLNE");
    write_bytes(path, bytes);
    CHECK_THROWS_AS(read_saved(path), ParseError);
  }
}

TEST_CASE("forged headers are refused with their reason, before memory is taken") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "not a JSON object"},
      {std::string(60000, '['), "not a JSON object"},
      {"{}", "the header has no rule"},
      {header("B3/S29", "0", "1", "1", "0"), "8 neighbours"},
      {header("B3/S23", "-1", "1", "1", "0"), "generation must be"},
      {header("B3/S23", "1.5", "1", "1", "0"), "generation must be"},
      {header("B3/S23", "18446744073709551615", "1", "1", "0"), "generation must be"},
      {header("B3/S23", "0", "0", "1", "0"), "width must be"},
      {header("B3/S23", "0", "1", "1", "4611686018427387905"), "x must be"},
      {header("B3/S23", "0", "2", "1", "4611686018427387904"), "reach beyond 2^62"},
      {header("B3/S23:T8,8", "0", "8", "9", "-4"), "not that of the universe B3/S23:T8,8"},
      {header("B3/S23:T8,8", "0", "8", "8", "0"), "not that of the universe B3/S23:T8,8"},
      {header("B3/S23", "0", "1", "1", "0", "[1,2,3]"), "start_bounds must be"},
      {header("B3/S23", "0", "1", "1", "0", "[1,2,0,3]"), "inside out"},
      {header("B3/S23", "0", "1", "1", "0", "[1,2,\"a\",3]"), "start_bounds must be"},
  };
  for (const auto& [text, reason] : cases) {
    check_refused(path, Forged(text, 1).bytes, reason);
    check_refused(path, Forged(text, 2).end(0).bytes, reason);
  }
  for (const char* planes : {"0", "9", "null", "-1"}) {
    check_refused(path, Forged(header("B3/S23", "0", "1", "1", "0", "null", planes)).end(0).bytes,
                  "planes must be a whole number in 1 .. 8");
  }
  for (const std::uint32_t version : {0u, 3u, 0x10002u}) {
    check_refused(path, Forged(header("B3/S23", "0", "1", "1", "0"), version).bytes,
                  "versions 1 to 2 are accepted");
  }
  // Version 1 held every cell of its grid.
  check_refused(path, Forged(header("B3/S23", "0", "1099511627776", "1099511627776", "0"), 1).bytes,
                "cannot be in the 0 bytes");
  check_refused(path, Forged(header("B3/S23", "0", "1000000", "1000000", "0"), 1).bytes,
                "cannot be in the 0 bytes");
}

TEST_CASE("forged sections are refused with their reason") {
  ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  const auto file = [] { return Forged(header("B3/S23", "0", "100", "10", "0")); };
  const auto deep = [] { return Forged(header("B3/S23", "0", "100", "10", "0", "null", "2")); };
  const Words good = piece(20, 2, 3, 1, {5});
  write_bytes(path, file().plane(good).end(1).bytes);
  CHECK(message_of(path).empty());
  write_bytes(path, deep().plane(good).plane(good, 1).end(1).bytes);
  CHECK(message_of(path).empty());

  const std::pair<Words, const char*> batches[] = {
      {piece(98, 2, 3, 1, {5}), "outside the 100x10 cells"},
      {piece(-1, 2, 3, 1, {5}), "outside the 100x10 cells"},
      {piece(20, 10, 3, 1, {5}), "outside the 100x10 cells"},
      {piece(20, 9, 3, 2, {5, 5}), "outside the 100x10 cells"},
      {piece(std::numeric_limits<std::int64_t>::min(), 2, 3, 1, {5}), "outside the 100x10 cells"},
      {piece(std::numeric_limits<std::int64_t>::max(), 2, 3, 1, {5}), "outside the 100x10 cells"},
      {piece(20, 2, 0xffffffff, 0xffffffff, {5}), "outside the 100x10 cells"},
      {piece(20, 2, 0, 1, {}), "is empty"},
      {piece(20, 2, 3, 0, {}), "is empty"},
      {piece(20, 2, 3, 2, {5}), "cut short"},
      {piece(20, 2, 70, 1, {5}), "cut short"},
      {{1, 2}, "cut short"},
      {piece(20, 2, 3, 1, {8}), "beyond its width"},
      {piece(20, 2, 65, 2, {0, 1, 0, 2}), "beyond its width"},
  };
  for (const auto& [words, reason] : batches) {
    check_refused(path, file().plane(words).end(1).bytes, reason);
    Words behind = good;
    behind.insert(behind.end(), words.begin(), words.end());
    check_refused(path, file().plane(behind).end(2).bytes, reason);
  }
  for (const char* list : {"", "[]", "{}", "[", "\"x\"", "[1"})
    check_refused(path, file().section("SHRD", list).end(0).bytes, "not a list of files");
  const std::string sum = "\"checksum\":\"0123456789abcdef\"";
  for (const std::string& each : {std::string("1"), std::string("[]"), std::string("{}"),
                                  "{" + sum + "}", std::string("{\"file\":\"x\"}"),
                                  "{\"file\":1," + sum + "}", "{\"file\":\"a/x\"," + sum + "}",
                                  std::string("{\"file\":\"x\",\"checksum\":\"123456789abcdef\"}"),
                                  std::string("{\"file\":\"x\",\"checksum\":\"0123456789abcdeg\"}"),
                                  std::string("{\"file\":\"x\",\"checksum\":81985529216486895}")}) {
    check_refused(path, file().section("SHRD", "[" + each + "]").end(0).bytes,
                  "no name without a folder, or no checksum");
  }
  const std::string list = "[{\"file\":\"x\"," + sum + "}]";
  check_refused(path, file().section("SHRD", list).section("SHRD", list).end(0).bytes,
                "comes once");
  check_refused(path, file().plane(good).section("SHRD", list).end(1).bytes, "comes once");
  check_refused(path, file().section("SHRD", std::string((1 << 24) + 1, ' ')).end(0).bytes,
                "are accepted");
  check_refused(path, file().section("CELL", "x").end(0).bytes, "unknown type 'CELL'");
  check_refused(path, file().section("\n\x01\xff ", "x").end(0).bytes, "unknown type '??");
  check_refused(path, file().plane(good).end(2).bytes, "has 1 pieces, but names 2");
  check_refused(path, file().section("END.", "1").bytes, "a section END. of 1 bytes");
  check_refused(path, file().plane(good).end(1).end(1).bytes, "but the file goes on");
  check_refused(path, file().plane(good).bytes, "cut short here");
  check_refused(path, file().plane(good, 1).end(1).bytes, "bit plane 1 where plane 0");
  check_refused(path, file().section("PLNE", "1234567").bytes, "a section PLNE of 7 bytes");
  check_refused(path, file().section("PLNE", std::string(3 << 20, 'x')).bytes, "are accepted");
  const auto lengths = [&](std::uint32_t unpacked) {
    return file()
        .section("PLNE", bytes_of_number(0u) + bytes_of_number(unpacked) + frame_of(good))
        .end(1)
        .bytes;
  };
  for (const std::uint32_t unpacked : {0u, 33u, 4000000000u, (8u << 18) + 32u}) {
    check_refused(path, lengths(unpacked), "bytes of pieces; whole words");
  }
  for (const std::uint32_t unpacked : {24u, 40u}) {
    check_refused(path, lengths(unpacked), "does not unpack to its pieces");
  }
  // Planes belong together.
  check_refused(path, deep().plane(good).end(1).bytes, "bit plane 1 of the pieces before this");
  check_refused(path, deep().plane(good).plane(good).end(1).bytes, "bit plane 0 where plane 1");
  check_refused(path, deep().plane(good).plane(piece(21, 2, 3, 1, {5}), 1).end(1).bytes,
                "do not have the same pieces");
  check_refused(path, deep().plane(good).plane(piece(20, 2, 3, 2, {5, 5}), 1).end(1).bytes,
                "do not have the same pieces");
  Words one_more = good;
  const Words another = piece(30, 2, 3, 1, {5});
  one_more.insert(one_more.end(), another.begin(), another.end());
  check_refused(path, deep().plane(good).plane(one_more, 1).end(1).bytes,
                "do not have the same pieces");
  check_refused(path, deep().plane(good).plane(piece(20, 2, 3, 1, {8}), 1).end(1).bytes,
                "beyond its width");
}

TEST_CASE("cells beyond the grid's width are refused in version 1, too") {
  ScratchFolder folder;
  const std::string frame = frame_of({0, 0, 0, 6});  // columns 65 and 66
  check_refused(folder.file("c.tsr"),
                Forged(header("B3/S23", "0", "65", "2", "0"), 1)
                    .add(bytes_of_number(static_cast<std::uint32_t>(frame.size())) + frame)
                    .bytes,
                "cells beyond the grid's width");
}
