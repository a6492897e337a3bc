#include "apps/measure/bgolly.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/measure/child.h"
#include "core/base/error.h"
#include "core/pattern_io.h"

namespace tessera {

namespace {

void run(const std::string& pattern, std::int64_t generations,
         const std::vector<std::string>& more) {
  std::vector<std::string> words = {"bgolly",
                                    "-q",
                                    "-q",
                                    "-a",
                                    "QuickLife",
                                    "-m",
                                    std::to_string(generations),
                                    "-i",
                                    std::to_string(std::max<std::int64_t>(1, generations))};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(pattern);
  const ChildResult result = run_child(words);
  if (result.status == 0) return;
  throw FileError(fmt::format("bgolly failed with status {}{}{}", result.status,
                              result.messages.empty() ? "" : ": ", result.messages));
}

}  // namespace

std::optional<std::string> bgolly_unsupported(const Rule& rule) {
  if (rule.has_b0()) return "bgolly emulates rules with B0, so there is nothing to compare";
  if (!has_program("bgolly")) return "bgolly is not in PATH; Debian's package golly has it";
  return std::nullopt;
}

BgollyResult run_bgolly(const Pattern& start, std::int64_t generations, int repeats,
                        const Clock& clock) {
  const ScratchFolder folder;
  const std::string first = folder.file("start.rle"), last = folder.file("end.rle");
  write_pattern(first, start);
  run(first, generations, {"-o", last});
  BgollyResult out;
  out.population = read_pattern(last).cells.population();
  const auto seconds = [&](std::int64_t count) {
    const double begin = clock.now();
    run(first, count, {});
    return clock.now() - begin;
  };
  std::vector<double> taken;
  for (int i = 0; i < std::max(1, repeats); i++) {
    const double none = seconds(0);
    taken.push_back(seconds(generations) - none);
  }
  out.seconds = spread_of(std::move(taken));
  if (out.seconds.lowest <= 0) {
    throw InputError(fmt::format(
        "bgolly: {} generations take less time than loading varies by; use more --gens to time it",
        generations));
  }
  return out;
}

}  // namespace tessera
