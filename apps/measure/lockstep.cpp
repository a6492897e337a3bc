#include "apps/measure/lockstep.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apps/measure/first_difference.h"
#include "core/base/error.h"

namespace tessera {

namespace {

// Shorter than this, no speed is judged by.
constexpr double kJudgedSeconds = 0.25;

class Lockstep {
 public:
  Lockstep(const std::vector<Contender>& contenders, const LockstepPlan& plan, const Clock& clock)
      : contenders_(contenders), plan_(plan), clock_(clock), universes_(contenders.size()) {
    result_.standings.resize(contenders.size());
  }

  LockstepResult run(const std::function<bool(std::int64_t)>& progress) {
    start_all();
    bool same = compare(0);
    while (same && result_.generation < plan_.generations && running() > 0) {
      if (progress && !progress(result_.generation)) break;
      const std::int64_t block = next_block();
      step_all(block);
      same = compare(block);
    }
    return std::move(result_);
  }

 private:
  void start_all() {
    for (std::size_t i = 0; i < contenders_.size(); i++) {
      try {
        universes_[i] = contenders_[i].start();
        result_.standings[i].began = true;
        result_.standings[i].info = universes_[i]->info();
      } catch (const UnsupportedError& error) {
        result_.standings[i].left_out = error.what();
      } catch (const MemoryLimitError& error) {
        result_.standings[i].left_out = error.what();
      }
    }
  }

  std::int64_t running() const {
    return std::count_if(universes_.begin(), universes_.end(),
                         [](const auto& u) { return u != nullptr; });
  }

  // Single generations first: a slow contender shows its speed there.
  std::int64_t next_block() const {
    const std::int64_t at = result_.generation, left = plan_.generations - at;
    if (at < 2) return 1;
    return std::min(left, plan_.block - at % plan_.block);
  }

  void leave(std::size_t i, const std::string& why) {
    result_.standings[i].left_out = why;
    universes_[i].reset();
  }

  void step_all(std::int64_t block) {
    for (std::size_t i = 0; i < universes_.size(); i++) {
      if (!universes_[i]) continue;
      const double start = clock_.now();
      try {
        universes_[i]->step(block);
        universes_[i]->synchronize();
      } catch (const MemoryLimitError& error) {
        leave(i, error.what());
        continue;
      }
      const double took = clock_.now() - start;
      // The first generation also pays for what happens only once.
      const bool last = result_.generation + block >= plan_.generations;
      if (plan_.max_seconds <= 0 || result_.generation == 0 || last || took < kJudgedSeconds)
        continue;
      const double needed =
          took / static_cast<double>(block) * static_cast<double>(plan_.generations);
      if (needed > plan_.max_seconds) slow_.emplace_back(i, needed);
    }
  }

  // Compares all hashes after a block; false when they differ.
  bool compare(std::int64_t block) {
    std::map<std::uint64_t, std::vector<std::size_t>> groups;
    std::int64_t population = 0;  // of the first of them
    for (std::size_t i = 0; i < universes_.size(); i++) {
      if (!universes_[i]) continue;
      const Survey cells = universes_[i]->survey({.population = groups.empty(), .hash = true});
      if (groups.empty()) population = cells.population;
      groups[cells.hash].push_back(i);
    }
    if (groups.empty()) return true;
    result_.generation += block;
    result_.checks++;
    if (groups.size() > 1) {
      part(groups, block);
      return false;
    }
    checkpoints_.push_back(result_.generation);
    const auto& [hash, all] = *groups.begin();
    for (const std::size_t i : all) {
      result_.standings[i].agreed = result_.generation;
      result_.standings[i].info = universes_[i]->info();
    }
    result_.hash = hash;
    result_.population = population;
    for (const auto& [i, needed] : slow_) {
      leave(i, "left at generation " + std::to_string(result_.generation) + ", equal until then: " +
                   std::to_string(static_cast<std::int64_t>(needed)) + " s would be needed; " +
                   std::to_string(static_cast<std::int64_t>(plan_.max_seconds)) + " s are allowed");
    }
    slow_.clear();
    return true;
  }

  int trust(const std::vector<std::size_t>& group) const {
    int most = contenders_[group.front()].trust;
    for (const std::size_t i : group) most = std::max(most, contenders_[i].trust);
    return most;
  }

  void part(const std::map<std::uint64_t, std::vector<std::size_t>>& groups, std::int64_t block) {
    const auto weight = [&](const auto& entry) {
      return std::pair(entry.second.size(), trust(entry.second));
    };
    const auto right =
        std::max_element(groups.begin(), groups.end(),
                         [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
    const std::vector<std::size_t>& believed = right->second;
    Difference found;
    found.judge = *std::max_element(
        believed.begin(), believed.end(),
        [&](std::size_t a, std::size_t b) { return contenders_[a].trust < contenders_[b].trust; });
    std::vector<std::size_t> others;
    for (const auto& [hash, group] : groups) {
      if (hash != right->first) others.insert(others.end(), group.begin(), group.end());
    }
    std::sort(others.begin(), others.end());
    found.wrong = others.front();
    found.also.assign(others.begin() + 1, others.end());
    found.generation = result_.generation;
    found.states = universes_[found.wrong]->spec().rule.states();
    if (const auto cell =
            first_different_cell(*universes_[found.wrong], *universes_[found.judge])) {
      found.cell = cell->cell;
      found.state = cell->state;
      found.other = cell->other;
    }
    for (auto& universe : universes_) universe.reset();  // makes room for the search
    // Nothing was stepped yet when they differ at the start.
    result_.difference = checkpoints_.empty()
                             ? found
                             : locate(contenders_[found.judge], contenders_[found.wrong],
                                      checkpoints_, block, found);
  }

  const std::vector<Contender>& contenders_;
  const LockstepPlan& plan_;
  const Clock& clock_;
  std::vector<std::unique_ptr<Universe>> universes_;
  std::vector<std::int64_t> checkpoints_;
  std::vector<std::pair<std::size_t, double>> slow_;
  LockstepResult result_;
};

}  // namespace

LockstepResult run_lockstep(const std::vector<Contender>& contenders, const LockstepPlan& plan,
                            const Clock& clock, const std::function<bool(std::int64_t)>& progress) {
  if (plan.block < 1 || plan.block > LockstepPlan::kMaxBlock) {
    throw InputError("lockstep: a block of " + std::to_string(plan.block) + " generations; 1 to " +
                     std::to_string(LockstepPlan::kMaxBlock) + " are accepted");
  }
  return Lockstep(contenders, plan, clock).run(progress);
}

}  // namespace tessera
