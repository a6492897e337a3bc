#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cell_model.h"
#include "core/base/error.h"
#include "core/pattern_io.h"
#include "random_pattern.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/as_written.h"
#include "tests/support/messages.h"
#include "tests/support/oracles.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("the suffix names the format that is written") {
  for (const char* name : {"a.rle", "a.RLE", "a.rle.gz", "-", "b/a.x.rle"}) {
    CHECK(pattern_format_of(name) == PatternFormat::rle);
  }
  for (const char* name : {"a.mc", "a.MC", "a.mc.gz"})
    CHECK(pattern_format_of(name) == PatternFormat::macrocell);
  for (const char* name : {"a.cells", "a.cells.gz", "a.Cells.GZ"})
    CHECK(pattern_format_of(name) == PatternFormat::cells);
  for (const char* name : {"a.lif", "a.life", "a.lif.gz"})
    CHECK(pattern_format_of(name) == PatternFormat::life106);
  for (const char* name : {"a.l", "a.l.gz"})
    CHECK(pattern_format_of(name) == PatternFormat::life105);
  for (const char* name : {"a", "a.txt", "a.gz", "rle", "a.rle/b", "", "a.rle.bz2", "a.mcl"}) {
    CHECK(message_of<InputError>([&] { pattern_format_of(name); }) ==
          std::string(name) +
              ": the suffix names no pattern format; accepted are .rle, .mc (macrocell), .cells, "
              ".lif and .life (Life 1.06), .l (Life 1.05), each also with .gz");
  }
}

TEST_CASE("files are written whole and read back") {
  ScratchFolder folder;
  RandomPatterns patterns(21);
  for (int i = 0; i < 20; i++) {
    Pattern p = patterns.next();
    if (p.cells.empty()) continue;
    for (const char* suffix :
         {".rle", ".mc", ".cells", ".l", ".rle.gz", ".mc.gz", ".cells.gz", ".l.gz", ".RLE.GZ"}) {
      const std::string path = folder.file(std::string("p") + suffix);
      write_pattern(path, p);
      CHECK(read_pattern(path) == as_written(p, pattern_format_of(path)));
      const bool packed = bytes_of(path).starts_with("\x1f\x8b");
      CHECK(packed == (path.ends_with("gz") || path.ends_with("GZ")));
    }
    const std::string path = folder.file("p.lif.gz");
    write_pattern(path, p);
    const Pattern back = read_pattern(path);
    CHECK(back.cells.population() == p.cells.population());
    CHECK(back.comments == p.comments);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    CHECK(entry.path().filename().string().front() == 'p');
  }
}

TEST_CASE("a summary says what is in a file of any format") {
  ScratchFolder folder;
  Pattern p;
  p.cells = drawn(".O./..O/OOO");
  p.width = 3;
  p.height = 3;
  p.position = Cell{-4, 7};
  p.rule = parse_rule_spec("B36/S23");
  p.generation = 12;
  p.name = "a glider";
  p.comments = {"one", "two"};
  Pattern notes = p;
  notes.cells = {};
  for (const char* suffix : {".rle", ".mc", ".cells", ".l", ".lif", ".mc.gz"}) {
    const std::string path = folder.file(std::string("p") + suffix);
    write_pattern(path, p);
    PatternFormat format{};
    const PatternSummary summary = read_summary(path, &format);
    CHECK(format == pattern_format_of(path));
    CHECK(summary.pattern == notes);
    CHECK(summary.population == 5);
    CHECK(*summary.bounds == Bounds{0, 0, 2, 2});
  }
  write_pattern(folder.file("empty.mc"), {});
  const PatternSummary empty = read_summary(folder.file("empty.mc"));
  CHECK(empty.population == 0);
  CHECK_FALSE(empty.bounds);
}

TEST_CASE("the same pattern gives the same compressed bytes") {
  ScratchFolder folder;
  Pattern p;
  p.cells = drawn(".O/O.");
  write_pattern(folder.file("a.rle.gz"), p);
  write_pattern(folder.file("b.rle.gz"), p);
  CHECK(bytes_of(folder.file("a.rle.gz")) == bytes_of(folder.file("b.rle.gz")));
}

TEST_CASE("a format that cannot hold a pattern leaves the old file as it was") {
  ScratchFolder folder;
  const std::string path = folder.file("p.cells");
  write_bytes(path, "!old\nO\n");
  Pattern p;
  p.cells = runs_of_list({{0, 0, std::int64_t{1} << 40}});
  CHECK_THROWS_AS(write_pattern(path, p), InputError);
  CHECK(bytes_of(path) == "!old\nO\n");
  write_pattern(folder.file("p.rle"), p);
  CHECK(read_pattern(folder.file("p.rle")).cells == p.cells);
}

TEST_CASE("files that cannot be read are told apart") {
  ScratchFolder folder;
  const std::string missing = folder.file("missing.rle");
  CHECK(message_of<InputError>([&] { read_pattern(missing); }) ==
        missing + ": cannot open: No such file or directory");
  const std::string path = folder.path().string();
  CHECK(message_of<InputError>([&] { read_pattern(path); }) ==
        path + ": this is a folder; a file is accepted");
  const std::string below = folder.file("p.rle") + "/x.rle";
  write_bytes(folder.file("p.rle"), "o!");
  CHECK(message_of<InputError>([&] { read_pattern(below); }) ==
        below + ": cannot open: Not a directory");
  // Nobody will ever write to this pipe.
  const std::string pipe = folder.file("pipe.rle");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(message_of<InputError>([&] { read_pattern(pipe); }) ==
        pipe + ": this is a pipe; a file is accepted, or - to read standard input");
  if (geteuid() != 0) {
    REQUIRE(chmod(folder.file("p.rle").c_str(), 0) == 0);
    CHECK(message_of<InputError>([&] {
            read_pattern(folder.file("p.rle"));
          }).ends_with(": cannot open: Permission denied"));
  }
}

TEST_CASE("a pipe that is handed over open is read like a file") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string text = "bo$2bo$3o!";
  REQUIRE(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(ends[1]);
  CHECK(read_pattern("/dev/fd/" + std::to_string(ends[0])).cells == drawn(".O./..O/OOO"));
  close(ends[0]);
}

TEST_CASE("devices that never end are refused at once") {
  CHECK(message_of<ParseError>([&] {
          read_pattern("/dev/zero");
        }).starts_with("/dev/zero:1:1: not a pattern but binary data; "));
  CHECK(message_of<ParseError>([&] {
          read_pattern("/dev/null");
        }).starts_with("/dev/null:1:1: the file is empty; "));
}

TEST_CASE("the patterns of all known facts are read as they were published") {
  CHECK(oracles().patterns.size() > 10);
  CHECK(oracles().bounded.size() >= 2);
  for (const auto* list : {&oracles().patterns, &oracles().bounded}) {
    for (const KnownPattern& known : *list) {
      CAPTURE(known.name);
      REQUIRE(known.facts.front().generation == 0);
      CHECK(known.pattern.cells.population() == known.facts.front().population);
      const Cell at = known.pattern.position.value_or(Cell{0, 0});
      const std::optional<Bounds> box = known.pattern.cells.bounds();
      REQUIRE(box.has_value());
      CHECK(box->shifted(at.x, at.y) == *known.facts.front().bounds);
    }
  }
}
