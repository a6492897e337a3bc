#include "apps/measure/bgolly.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/measure/child.h"
#include "core/base/error.h"
#include "core/pattern_io.h"

namespace tessera {

namespace {

ChildResult run(const std::string& pattern, const Rule& rule, std::int64_t generations,
                const std::vector<std::string>& more) {
  std::vector<std::string> words = {"bgolly",
                                    "-q",
                                    "-q",
                                    "-a",
                                    bgolly_algorithm(rule),
                                    "-m",
                                    std::to_string(generations),
                                    "-i",
                                    std::to_string(std::max<std::int64_t>(1, generations))};
  if (rule.family == RuleFamily::wire_world)
    words.insert(words.end(), {"-s", "/usr/share/golly/Rules/"});
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(pattern);
  const ChildResult result = run_child(words);
  if (result.status == 0) return result;
  throw FileError(fmt::format("bgolly failed with status {}{}{}", result.status,
                              result.messages.empty() ? "" : ": ", result.messages));
}

}  // namespace

std::optional<std::string> bgolly_unsupported(const RuleSpec& spec) {
  if (spec.odd_rule) return "bgolly knows no rules that take turns";
  if (spec.rule.from_file()) return "bgolly may take another file for a rule file of this name";
  if (spec.bounded() && spec.rule.has_b0())
    return "bgolly emulates rules with B0 on bounded universes, so there is nothing to compare";
  if (!has_program("bgolly")) return "bgolly is not in PATH; Debian's package golly has it";
  return std::nullopt;
}

const char* bgolly_algorithm(const Rule& rule) {
  if (rule.ranged()) return "Larger than Life";
  if (rule.family == RuleFamily::wire_world) return "RuleLoader";
  return rule.states() > 2 ? "Generations" : "QuickLife";
}

void run_bgolly_once(const std::string& file, const Rule& rule, std::int64_t generations) {
  run(file, rule, generations, {});
}

BgollyResult run_bgolly(const Pattern& start, std::int64_t generations, const TimingPlan& plan,
                        const Clock& clock) {
  const Rule rule = start.rule.value_or(RuleSpec{}).rule;
  const ScratchFolder folder;
  const std::string first = folder.file("start.rle"), last = folder.file("end.rle");
  write_pattern(first, start);
  const double begin = clock.now();
  const std::int64_t memory = run(first, rule, generations, {"-o", last}).peak_memory;
  const double once = clock.now() - begin;
  BgollyResult out;
  out.memory = memory;
  out.population = read_pattern(last).cells.population();
  const auto seconds = [&](std::int64_t count) {
    const double from = clock.now();
    out.memory = std::max(out.memory, run(first, rule, count, {}).peak_memory);
    return clock.now() - from;
  };
  std::vector<double> taken, whole;
  const bool hopeless = plan.hopeless_seconds > 0 && once > plan.hopeless_seconds;
  for (int i = 0; i < (hopeless ? 1 : std::max(1, plan.repeats)); i++) {
    const double none = seconds(0);
    whole.push_back(hopeless ? once : seconds(generations));
    taken.push_back(whole.back() - none);
  }
  out.seconds = spread_of(std::move(taken));
  out.whole = spread_of(std::move(whole));
  return out;
}

void check_timed(const BgollyResult& result, std::int64_t generations) {
  if (result.seconds.lowest <= 0) {
    throw InputError(fmt::format(
        "bgolly: {} generations take less time than loading varies by; use more --gens to time it",
        generations));
  }
}

}  // namespace tessera
