// Golly's own patterns, stepped here and by bgolly, the program that Debian's package "golly"
// ships.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "core/base/error.h"
#include "core/pattern_io.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/bgolly.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

namespace fs = std::filesystem;

// Some whole and some broken launches of any kernel between two looks.
constexpr std::int64_t kStride = 107;
constexpr std::int64_t kGenerations = 5 * kStride;

// Populations by generation, from lines such as "1,000: 274".
std::map<std::int64_t, std::int64_t> populations_in(const std::string& output) {
  std::map<std::int64_t, std::int64_t> populations;
  std::size_t at = 0;
  while (at < output.size()) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    at = end + 1;
    std::erase(line, ',');
    long long generation = 0, population = 0;
    int used = 0;
    if (std::sscanf(line.c_str(), "%lld: %lld%n", &generation, &population, &used) == 2 &&
        used == static_cast<int>(line.size())) {
      populations[generation] = population;
    }
  }
  return populations;
}

// Why this pattern is not compared, or nothing.
std::optional<std::string> unfit(const Pattern& pattern) {
  if (pattern.rule && pattern.rule->has_edges())
    return "bgolly does not say where a bounded pattern lies";
  if (pattern.width * pattern.height > 4'000'000) return "it is larger than 4,000,000 cells";
  return std::nullopt;
}

}  // namespace

TEST_CASE("Golly's patterns evolve as bgolly says") {
  if (!bgolly_is_here()) return;
  const ScratchFolder folder;
  const std::string out = folder.file("out.rle");
  std::vector<fs::path> files;
  for (const char* room : {"Life", "Life-Like"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kGollyPatterns / room)) {
      const std::string suffix = entry.path().extension().string();
      if (suffix == ".rle" || suffix == ".lif") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  int compared = 0;
  for (const fs::path& file : files) {
    INFO(file.string());
    std::optional<Pattern> pattern;
    std::optional<std::string> why;
    try {
      pattern = read_pattern(file.string());
      why = unfit(*pattern);
    } catch (const ParseError& error) {
      why = error.what();
    }
    if (why) {
      MESSAGE("skipped: " << *why);
      continue;
    }
    const RuleSpec rule = pattern->rule.value_or(RuleSpec{});
    const Shell shell = run_shell(fmt::format("bgolly -a QuickLife -m {} -i {} -o '{}' '{}' 2>&1",
                                              kGenerations, kStride, out, file.string()));
    REQUIRE(shell.status == 0);
    const auto populations = populations_in(shell.output);
    REQUIRE(populations.count(kGenerations) == 1);
    REQUIRE(populations.size() == kGenerations / kStride + 1);
    const Pattern wanted = read_pattern(out);
    compared++;
    // The grid that the plane keeps around the cells.
    const std::int64_t cost = (wanted.width + 200) * (wanted.height + 200) * kGenerations;
    for (const Kernel& kernel : kernels_here()) {
      INFO(kernel.name());
      if (!supports(kernel, grid_spec(rule))) continue;
      if (cost > cell_budget(kernel) / 4) {
        skipped(kernel, "a pattern of bgolly's: too many cells for it");
        continue;
      }
      Universe universe(rule, kernel.factory());
      universe.place(*pattern);
      for (const auto& each : populations) {
        const auto generation = each.first;
        const auto population = each.second;
        CAPTURE(generation);
        universe.step(generation - universe.generation());
        CHECK(universe.population() == population);
      }
      CHECK(at_origin(universe.pattern().cells) == at_origin(wanted.cells));
      ran(kernel);
    }
  }
  // Several dozen; fewer mean that the readers refuse what they should read.
  CHECK(compared >= 100);
}
