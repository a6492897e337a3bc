#include <doctest/doctest.h>
#include <zlib.h>

#include <random>

#include "cell_model.h"
#include "gzip_bytes.h"
#include "pattern_error.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const std::string kText = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";

}  // namespace

TEST_CASE("compressed patterns are told by content") {
  const Pattern p = parse_pattern(kText, "p");
  for (const char* name : {"p.rle", "p.rle.gz", "p.txt"})
    CHECK(parse_pattern(gzipped(kText), name) == p);
  // Members in a row, an empty one among them, are one file.
  const std::string parts = gzipped(kText.substr(0, 10)) + gzipped("") +
                            gzipped(kText.substr(10, 25)) + gzipped(kText.substr(35));
  CHECK(parse_pattern(parts, "p") == p);
  CHECK(refusal(gzipped(""), "p.rle.gz").starts_with("p.rle.gz:1:1: the file is empty; "));
  CHECK(refusal(gzipped("bo$\n2bq!"), "p.rle.gz").starts_with("p.rle.gz:2:4: states from 25"));
}

TEST_CASE("compressed patterns larger than a block are read whole") {
  std::mt19937_64 random(4);
  Pattern p;
  for (int y = 0; y < 700; y++) {
    for (int x = 0; x < 900; x++) {
      if (random() % 2) p.cells.append(x, y, 1);
    }
  }
  fit_box(p);
  for (const PatternFormat format :
       {PatternFormat::rle, PatternFormat::cells, PatternFormat::life105}) {
    const std::string text = format_pattern(p, format);
    CHECK(text.size() > 400000);
    CHECK(parse_pattern(text, "p") == p);
    CHECK(parse_pattern(gzipped(text), "p") == p);
  }
}

TEST_CASE("compressed patterns that are damaged are refused at the byte") {
  const std::string good = gzipped(kText);
  const std::string size = std::to_string(good.size());
  const std::string early = "the compressed data end early; the file is cut short";
  for (std::size_t cut = 2; cut < good.size(); cut++) {
    CHECK(refusal(good.substr(0, cut), "p.gz") ==
          "p.gz:byte " + std::to_string(cut) + ": " + early);
  }
  const auto changed = [&](std::size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    return bytes;
  };
  CHECK(refusal(changed(good.size() - 6), "p.gz") ==
        "p.gz:byte " + std::to_string(good.size() - 4) +
            ": the compressed data are damaged (incorrect data check)");
  CHECK(refusal(changed(good.size() - 1), "p.gz") ==
        "p.gz:byte " + size + ": the compressed data are damaged (incorrect length check)");
  CHECK(refusal(changed(2), "p.gz")
            .ends_with(": the compressed data are damaged (unknown compression method)"));
  CHECK(refusal(good + "tail", "p.gz") ==
        "p.gz:byte " + size + ": something that is not gzip follows the compressed data");
  CHECK(refusal(good + "\x1f", "p.gz").ends_with(early));
  CHECK(refusal(good + "\x1f\x8c", "p.gz").ends_with("are damaged (incorrect header check)"));
  // Damage after the final '!' is found, too.
  const std::string long_tail = gzipped(kText + std::string(1 << 20, '\n'));
  CHECK(refusal(long_tail.substr(0, long_tail.size() - 4), "p.gz").ends_with(early));
}

TEST_CASE("compressed bombs are refused, what packs well is not") {
  // 64 MiB and a ratio of about 1000.
  const std::string bomb = gzipped("x = 1, y = 1\n" + std::string(64 << 20, ' '));
  CHECK(bomb.size() < 70000);
  const std::string message =
      "the compressed data unpack to more than 64 MiB and 200 times their size; unpack them first "
      "(gunzip) if that is "
      "meant";
  CHECK(has(refusal(bomb, "bomb.rle.gz"), {"bomb.rle.gz:byte ", message.c_str()}));
  CHECK(
      has(refusal(gzipped("!\n" + std::string(70 << 20, '.')), "b"), {"b:byte ", message.c_str()}));
  CHECK(has(refusal(gzipped("bo!" + std::string(70 << 20, '\n')), "b"),
            {"b:byte ", message.c_str()}));
  const Pattern small = parse_pattern(gzipped("!\n" + std::string(32 << 20, '.') + "O"), "b");
  CHECK(small.width == (32 << 20) + 1);
  CHECK(parse_pattern(gzipped(std::string(32 << 20, 'o') + "!"), "b").cells.population() ==
        32 << 20);
}
