// The rule files that Golly ships, stepped here and by bgolly, the program that Debian's package
// "golly" ships.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/measure/draw_table.h"
#include "backends/drivers.h"
#include "core/pattern_io.h"
#include "core/rules/file_rule.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kGenerations = 60;
constexpr std::int64_t kFewGenerations = 30;  // of the infinite plane, which fills
constexpr std::int64_t kSlowGenerations = 2;  // of the reference

// Copies of Golly's rule files under names that no other rule has, as Life has.
std::vector<std::string> rule_files(const ScratchFolder& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kGollyRules)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".rule")) continue;
    files.push_back(folder.file("file-" + name));
    std::filesystem::copy_file(entry.path(), files.back());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string loader_of(const ScratchFolder& folder) {
  return "RuleLoader -s " + folder.path().string() + "/";
}

CellGrid soup_of(const RuleSpec& spec, std::uint64_t seed, std::int64_t width,
                 std::int64_t height) {
  const Soup soup{seed, 30000, static_cast<std::uint16_t>(spec.rule.states())};
  return make_soup_cells(soup, width, height, spec.rule.planes());
}

// What the reference makes of a soup, which is slow under rules of many lines.
void check_reference(const RuleSpec& spec, const CellGrid& soup) {
  Universe slow(spec, reference().factory());
  slow.load(soup, spec.origin());
  slow.step(kSlowGenerations);
  const std::vector<CellRuns> wanted = planes_at_origin(slow.pattern());
  for (const Kernel& kernel : kernels_here()) {
    if (kernel.info.name == "reference" || !supports(kernel, grid_spec(spec))) continue;
    INFO(kernel.name());
    Universe ours(spec, kernel.factory());
    ours.load(soup, spec.origin());
    ours.step(kSlowGenerations);
    CHECK(planes_at_origin(ours.pattern()) == wanted);
  }
}

// The kernels of rule files but the reference make of a soup what bgolly makes of it, which looks
// for the rule in `rules`. Whether something still lives then.
bool check_bgolly(const RuleSpec& spec, const CellGrid& soup, const std::string& rules,
                  const ScratchFolder& folder) {
  Universe start(spec, reference().factory());
  start.load(soup, spec.origin());
  const Pattern pattern = start.pattern();
  const std::int64_t generations = spec.bounded() ? kGenerations : kFewGenerations;
  const Pattern wanted = stepped_by_bgolly(pattern, rules, generations, folder);
  for (const Kernel& kernel : kernels_here()) {
    if (kernel.info.name == "reference" || !supports(kernel, grid_spec(spec))) continue;
    INFO(kernel.name());
    Universe ours(spec, kernel.factory());
    ours.place(pattern);
    ours.step(generations);
    CHECK(ours.population() == wanted.cells.population());
    CHECK(planes_at_origin(ours.pattern()) == planes_at_origin(wanted));
    ran(kernel);
  }
  return wanted.cells.population() > 0;
}

}  // namespace

TEST_CASE("rule files of Golly evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::vector<std::string> files = rule_files(folder);
  CHECK(files.size() == 51);
  std::uint64_t seed = 0;
  int living = 0, tables = 0, boundless = 0;
  for (const std::string& file : files) {
    const RuleSpec small = parse_rule_spec(file + ":T11,10");
    REQUIRE(small.rule.from_file());
    tables += small.rule.file->table.has_value();
    seed++;
    // Each in one universe; bounded where cells are born from nothing.
    const char* universes[] = {"", ":T48,40", ":P48,40"};
    const RuleSpec spec =
        parse_rule_spec(file + universes[small.rule.has_b0() ? 1 + seed % 2 : seed % 3]);
    boundless += !spec.bounded();
    INFO(to_string(spec));
    check_reference(small, soup_of(small, seed, 11, 10));
    const CellGrid soup =
        spec.bounded() ? soup_of(spec, seed, 48, 40) : soup_of(spec, seed, 18, 15);
    living += check_bgolly(spec, soup, loader_of(folder), folder);
  }
  CHECK(tables == 26);
  CHECK(boundless >= 12);
  // A dead universe proves little.
  CHECK(living >= 40);
}

TEST_CASE("rules of universal constructors evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  std::uint64_t seed = 0;
  for (const char* rule : {"JvN29", "Nobili32", "Hutton32"}) {
    const RuleSpec small = parse_rule_spec(std::string(rule) + ":T11,10");
    REQUIRE(small.rule.from_file());
    CHECK(to_string(small) == std::string(rule) + ":T11,10");
    check_reference(small, soup_of(small, ++seed, 11, 10));
    const RuleSpec spec = parse_rule_spec(rule);
    CHECK(check_bgolly(spec, soup_of(spec, seed, 300, 200), "JvN", folder));
  }
}

TEST_CASE("universal constructors of Golly evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  for (const char* name : {"counter-demo.rle", "cell-coders-demo.rle", "read-arm-demo.rle",
                           "construction-arm-demo.rle", "golly-constructor.rle"}) {
    INFO(name);
    const Pattern pattern = read_pattern((kGollyPatterns / "Self-Rep/JvN" / name).string());
    const Pattern wanted = stepped_by_bgolly(pattern, "JvN", 400, folder);
    Universe ours(*pattern.rule, make_factory("cpu", "auto", {}));
    ours.place(pattern);
    ours.step(400);
    CHECK(ours.population() == wanted.cells.population());
    CHECK(planes_at_origin(ours.pattern()) == planes_at_origin(wanted));
  }
}

TEST_CASE("random rule files evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  int living = 0;
  for (std::uint64_t seed = 1; seed <= 15; seed++) {
    Draw draw(seed);
    const std::string file = folder.file(fmt::format("drawn{}.rule", seed));
    write_bytes(file, draw_rule_file(draw, true));
    const RuleSpec spec = parse_rule_spec(file + (seed % 3 == 0 ? "" : ":T26,19"));
    INFO(bytes_of(file));
    living += check_bgolly(spec, soup_of(spec, seed, 26, 19), loader_of(folder), folder);
  }
  CHECK(living >= 8);
}
