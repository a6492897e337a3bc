// Macrocell files and bounded universes, as Golly's own files and bgolly, the program that Debian's
// package "golly" ships, have them.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "backends/drivers.h"
#include "cell_model.h"
#include "core/base/error.h"
#include "core/pattern_io.h"
#include "core/patterns/macrocell.h"
#include "core/patterns/state_runs.h"
#include "core/universe.h"
#include "random_pattern.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/as_written.h"
#include "tests/support/bgolly.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLimit = std::int64_t{8} << 30;

struct GollyFile {
  std::int64_t population;
  Bounds bounds;
};

// The macrocell files of Life in Debian's package "golly-data" 3.3, counted by a program that
// shares nothing with this one.
const std::map<std::string, GollyFile> kLifeFiles = {
    {"broken-lines.mc", {1766, {0, 0, 226, 117}}},
    {"catacryst.mc", {58, {0, 0, 2554, 1771}}},
    {"demonoid-c512-hashlife-friendly.mc.gz", {106639, {0, 0, 272448, 268311}}},
    {"gotts-dots.mc", {41, {0, 0, 186, 38}}},
    {"hashlife-oddity1.mc", {45, {0, 0, 113, 24}}},
    {"hashlife-oddity2.mc", {40, {0, 0, 118, 24}}},
    {"hexadecimal.mc.gz", {2104670, {0, 0, 32767, 20479}}},
    {"jagged.mc", {637, {0, 0, 124, 66}}},
    {"jagged2.mc", {651, {0, 0, 124, 85}}},
    {"linear-propagator-p237228340.mc.gz", {290096, {-297, -245, 14826692, 14826662}}},
    {"loafer-gun-p8388608-linear.mc.gz", {104601, {29, 0, 1048736, 1048954}}},
    {"logarithmic-width.mc", {4600, {0, 0, 1076, 164}}},
    {"metacatacryst.mc", {52, {0, 0, 59738, 14662}}},
    {"metapixel-galaxy.mc.gz", {7408195, {-16384, -16383, 14335, 14336}}},
    {"metapixel-p216-gun.mc.gz", {128116349, {-262144, -262143, 28671, -18432}}},
    {"metapixel-parity64.mc.gz", {100491984, {-65536, -65535, 65535, 65536}}},
    {"mosquito5.mc", {71, {0, 0, 2753, 649}}},
    {"nick-gotts-1.mc", {50, {0, 0, 61, 78}}},
    {"nick-gotts-2.mc", {32, {0, 0, 37, 197}}},
    {"puzzle.mc", {40, {0, 0, 126, 27}}},
    {"ruler.mc", {997, {0, 0, 168, 115}}},
    {"totalperiodic.mc", {196, {0, 0, 55, 59}}},
    {"unlimited-novelty.mc", {50, {0, 0, 61, 68}}},
    {"wedge-grow.mc", {26, {0, 0, 16192, 15088}}},
};

// Live cells of Golly's Goucher-replicator.mc.gz, a file of several states.
constexpr std::int64_t kReplicator = 5'736'072;

// Above this many live cells a file is described and not unpacked, which would take seconds.
constexpr std::int64_t kMostCells = 10'000'000;

std::vector<fs::path> macrocell_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kGollyPatterns)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".mc") || name.ends_with(".mc.gz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Opens a pattern as programs do, or requires that the message says how much memory that takes.
void open_file(const fs::path& file, const GollyFile& known) {
  const Pattern pattern = read_pattern(file.string());
  CHECK(pattern.cells.population() == known.population);
  Universe universe(pattern.rule.value_or(RuleSpec{}), make_factory("cpu", "word", {}), kLimit);
  try {
    universe.place(pattern);
  } catch (const InputError& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(message.find(" needs ") != std::string::npos);
    CHECK(message.ends_with("; 8 GiB is the limit"));
    return;
  }
  CHECK(universe.population() == known.population);
  CHECK(*universe.bounds() == known.bounds);
}

// An algorithm of Golly's takes this file to a generation and writes it as a macrocell file.
Pattern by_golly(const ScratchFolder& folder, const std::string& file, std::int64_t generations,
                 const std::string& algorithm = "HashLife") {
  const std::string out = folder.file("by-golly.mc");
  const Shell shell =
      run_shell(fmt::format("bgolly -a {} -m {} -i {} -o '{}' '{}' 2>&1", algorithm, generations,
                            std::max<std::int64_t>(1, generations), out, file));
  INFO(shell.output);
  REQUIRE(shell.status == 0);
  Pattern pattern = read_pattern(out);
  pattern.generation = 0;  // with -m 0 that of the file, otherwise where it ended
  return pattern;
}

// What Golly keeps of a pattern in a macrocell file.
Pattern kept(const Pattern& pattern) {
  Pattern result = boxed(pattern);
  result.name.clear();
  result.author.clear();
  result.comments.clear();
  result.generation = 0;
  if (!result.rule) result.rule = RuleSpec{};
  return result;
}

}  // namespace

TEST_CASE("the macrocell files of Life that Golly ships open, or say what memory that takes") {
  if (!bgolly_is_here()) return;
  std::size_t found = 0;
  int constructors = 0;
  for (const fs::path& file : macrocell_files()) {
    INFO(file.string());
    const auto known = kLifeFiles.find(file.filename().string());
    if (file.filename() == "wolfram22.mc") {
      CHECK(read_summary(file.string()).pattern.rule == parse_rule_spec("W22"));
      continue;
    }
    if (file.filename() == "primes.mc") {
      const Pattern primes = read_pattern(file.string());
      CHECK(primes.rule == parse_rule_spec("WireWorld"));
      CHECK(primes.planes.size() == 2);
      continue;
    }
    if (file.filename() == "Goucher-replicator.mc.gz") {
      // As bgolly counts it.
      CHECK(read_summary(file.string()).population == kReplicator);
      continue;
    }
    if (known == kLifeFiles.end()) {
      // Constructors of several states, whose rules are made here.
      constructors++;
      CHECK(read_summary(file.string()).pattern.rule == parse_rule_spec("JvN29"));
      continue;
    }
    found++;
    const PatternSummary summary = read_summary(file.string());
    CHECK(summary.population == known->second.population);
    const Cell at = summary.pattern.position.value_or(Cell{0, 0});
    CHECK(summary.bounds->shifted(at.x, at.y) == known->second.bounds);
    CHECK(summary.pattern.rule.value_or(RuleSpec{}) == RuleSpec{});
    ByteSource bytes(file.string());
    TextSource text(bytes);
    CHECK(Macrocell(text).memory() <= kLimit);
    if (summary.population <= kMostCells) open_file(file, known->second);
  }
  CHECK(constructors == 4);
  CHECK(found == kLifeFiles.size());
  CHECK(kLifeFiles.size() == 24);
}

TEST_CASE("Golly and this program read what the other one writes") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  RandomPatterns patterns(22);
  for (int i = 0; i < 40; i++) {
    Pattern p = patterns.next();
    p.rule = patterns.below(2) ? parse_rule_spec("B3/S23") : parse_rule_spec("B36/S23");
    p.generation &= (std::int64_t{1} << 40) - 1;
    CAPTURE(i);
    // Golly's RLE reader holds 32 bits of a position, its macrocell reader all.
    const std::string ours = folder.file("ours.mc");
    write_pattern(ours, p);
    CHECK(by_golly(folder, ours, 0) == kept(p));
    if (p.position) p.position = Cell{p.position->x % 1000000, p.position->y % 1000000};
    const std::string rle = folder.file("ours.rle");
    write_pattern(rle, p);
    CHECK(by_golly(folder, rle, 0) == kept(p));
    write_pattern(folder.file("ours.mc.gz"), p);
    CHECK(by_golly(folder, folder.file("ours.mc.gz"), 0) == kept(p));
  }
}

TEST_CASE("Golly and this program read what the other one writes of several states") {
  if (!bgolly_is_here()) return;
  struct Written {
    const char* rule;
    std::string algorithm;
  };
  const Written all[] = {{"345/2/4", "Generations"},
                         {"/2/3", "Generations"},
                         {"23/3/255", "Generations"},
                         {"WireWorld", kRuleLoader},
                         {"Langtons-Loops", kRuleLoader},
                         {"Worm-shared", kRuleLoader},
                         {"Banks-I", kRuleLoader},
                         {"JvN29", "JvN"},
                         {"Hutton32", "JvN"}};
  const ScratchFolder folder;
  RandomPatterns patterns(15);
  for (const Written& written : all) {
    for (int i = 0; i < 4; i++) {
      const Pattern from = patterns.next();
      Pattern p = from;
      p.cells = {};
      p.rule = parse_rule_spec(written.rule);
      p.position = Cell{patterns.below(1000) - 500, patterns.below(1000) - 500};
      const int states = p.rule->rule.states();
      // Now and then state 1 alone.
      StateRuns runs(from);
      while (const std::optional<StateRun> run = runs.next()) {
        for (std::int64_t x = 0; x < run->length; x++) {
          const auto state = i == 0 ? 1 : 1 + static_cast<int>(patterns.below(states - 1));
          append_run(p, {run->x + x, run->y, 1, state});
        }
      }
      p.generation &= (std::int64_t{1} << 40) - 1;
      CAPTURE(written.rule);
      CAPTURE(i);
      for (const char* name : {"ours.mc", "ours.rle"}) {
        const std::string ours = folder.file(name);
        write_pattern(ours, p);
        const Pattern back = by_golly(folder, ours, 0, written.algorithm);
        CHECK(back == kept(p));
      }
    }
  }
}

TEST_CASE("an RLE on a bounded universe lies where Golly places it, and evolves as there") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  std::mt19937_64 random(23);
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 40; i++) {
    // Every other pattern fills its universe.
    const std::int64_t width = 3 + below(60), height = 3 + below(40);
    const std::int64_t wide = i % 2 ? width : 1 + below(static_cast<std::uint64_t>(width));
    const std::int64_t high = i % 2 ? height : 1 + below(static_cast<std::uint64_t>(height));
    // One of three has a side without end.
    const std::int64_t endless = below(6);
    std::string text =
        fmt::format("x = {}, y = {}, rule = B3/S23:{}{},{}\n", wide, high, below(2) ? 'T' : 'P',
                    endless == 0 ? 0 : width, endless == 1 ? 0 : height);
    for (std::int64_t y = 0; y < high; y++) {
      for (std::int64_t x = 0; x < wide; x++) text += below(2) ? 'o' : 'b';
      text += y + 1 == high ? "!\n" : "$\n";
    }
    CAPTURE(text);
    const std::string file = folder.file("p.rle");
    write_bytes(file, text);
    const Pattern pattern = read_pattern(file);
    Universe universe(*pattern.rule, make_factory("cpu", "word", {}));
    universe.place(pattern);
    for (const std::int64_t generations : {0, 1, 37}) {
      const Pattern wanted = by_golly(folder, file, generations);
      CHECK(*wanted.rule == *pattern.rule);
      Universe theirs(*pattern.rule, make_factory("cpu", "word", {}));
      theirs.place(wanted);
      universe.step(generations - universe.generation());
      CHECK(universe.population() == wanted.cells.population());
      CHECK(universe.hash() == theirs.hash());
    }
  }
}

TEST_CASE("Golly's patterns open") {
  if (!bgolly_is_here()) return;
  // Of all but archives and scripts.
  int opened = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kGollyPatterns)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.ends_with(".zip") || path.ends_with(".lua")) continue;
    CAPTURE(path);
    CHECK_NOTHROW(read_summary(path));
    opened++;
  }
  CHECK(opened == 341);
}
