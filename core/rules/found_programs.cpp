#include "core/rules/found_programs.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/memo.h"
#include "core/rules/counting_program.h"
#include "core/rules/program_file.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "core/rules/shipped_programs.h"

namespace tessera {
namespace {

// The programs of this process, and the thread that searches for more of them.
class Programs {
 public:
  // What the thread uses is made before it is, so that it lives longer.
  Programs() { shipped_program({}); }

  std::optional<GateProgram> find(const NeighbourhoodTable& rule) {
    if (const auto known = known_.find(rule.words)) return *known;
    std::optional<GateProgram> program = shipped_program(rule);
    if (!program) program = stored_program(rule);
    return known_.keep(rule.words, std::move(program));
  }

  GateProgram keep(const NeighbourhoodTable& rule, GateProgram program) {
    store_program(rule, program);
    return *known_.keep(rule.words, std::move(program));
  }

  void search(const NeighbourhoodTable& rule) {
    const std::lock_guard lock(mutex_);
    for (const NeighbourhoodTable& each : wanted_) {
      if (each == rule) return;
    }
    wanted_.push_back(rule);
    if (wanted_.size() > 1) return;
    // The last thread, if there was one, has nothing left to do.
    searcher_ = std::jthread([this](const std::stop_token& stop) { search_all(stop); });
  }

 private:
  void search_all(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wanted_.empty() && !stop.stop_requested()) {
      const NeighbourhoodTable rule = wanted_.front();
      lock.unlock();
      if (!find(rule)) {
        if (std::optional<GateProgram> program = compile_rule(rule, stop))
          keep(rule, *std::move(program));
      }
      lock.lock();
      wanted_.erase(wanted_.begin());
    }
  }

  std::mutex mutex_;
  // Nothing where a rule's program is not shipped and was looked for on disk, in vain.
  Memo<std::array<std::uint64_t, 8>, std::optional<GateProgram>> known_;
  std::vector<NeighbourhoodTable> wanted_;  // the first one is being searched for
  std::jthread searcher_;                   // ends, and is waited for, before the rest
};

Programs& programs() {
  static Programs known;
  return known;
}

// Beside one that knows how to count, where the rule only counts.
GateProgram or_counting(const Rule& rule, GateProgram program) {
  if (!rule.counts_eight()) return program;
  GateProgram counting = counting_program(rule);
  return counting.cost() < program.cost() ? counting : program;
}

}  // namespace

GateProgram found_program(const NeighbourhoodTable& rule) {
  if (std::optional<GateProgram> known = known_program(rule)) return *known;
  return programs().keep(rule, compile_rule(rule));
}

std::optional<GateProgram> known_program(const NeighbourhoodTable& rule) {
  return programs().find(rule);
}

bool known_or_searched(std::span<const NeighbourhoodTable> rules) {
  bool all = true;
  for (const NeighbourhoodTable& rule : rules) {
    if (known_program(rule)) continue;
    all = false;
    programs().search(rule);
  }
  return all;
}

GateProgram ready_program(const Rule& rule) {
  const NeighbourhoodTable table = neighbourhood_table(rule);
  const std::optional<GateProgram> known = known_program(table);
  return or_counting(rule, known ? *known : first_program(table));
}

GateProgram best_program(const Rule& rule) {
  return or_counting(rule, found_program(neighbourhood_table(rule)));
}

}  // namespace tessera
