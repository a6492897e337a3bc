#include "apps/measure/tuner.h"

#include <algorithm>
#include <optional>

#include "apps/measure/check.h"
#include "apps/measure/timing.h"
#include "core/base/error.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

constexpr Soup kSoup{1, 32768};
// A gain below this is noise.
constexpr double kGain = 1.01;
constexpr int kMostRounds = 3;

class Search {
 public:
  Search(const Kernel& kernel, const RuleSpec& rule, const TunerPlan& plan, const Clock& clock,
         const std::function<bool(const TunerResult&)>& progress)
      : kernel_(kernel),
        rule_(rule),
        plan_(plan),
        clock_(clock),
        progress_(progress),
        began_(clock.now()) {
    spec_ = backend_spec(rule);
  }

  TunerResult run() {
    own_choice();
    for (int round = 0; round < kMostRounds && !over(); round++) {
      const Tuning before = result_.best;
      for (const TuningParameter& parameter : kernel_.info.parameters) try_values(parameter);
      if (result_.best == before) break;
    }
    return std::move(result_);
  }

 private:
  void own_choice() {
    if (const auto why = kernel_.unsupported(spec_)) throw UnsupportedError(*why);
    const Candidate& own = evaluate({});
    if (own.kind == Candidate::Kind::refused)
      throw Error(kernel_.name() + ": its own choice is wrong: " + own.why);
    if (own.kind == Candidate::Kind::not_taken) throw UnsupportedError(own.why);
    if (own.kind == Candidate::Kind::failed) throw DeviceError(own.why);
    // Only what it declares can be asked for again; where a small grid made it take another value,
    // that stays its own choice.
    const Tuning in_force = kernel_.create(spec_)->info().tuning;
    for (const TuningParameter& parameter : kernel_.info.parameters) {
      const int value = in_force.*parameter.member;
      if (parameter.searched() && parameter.accepts(value)) result_.own.*parameter.member = value;
    }
    result_.candidates.front().tuning = result_.own;
    result_.best = result_.own;
    result_.own_speed = result_.best_speed;
  }

  void try_values(const TuningParameter& parameter) {
    const Tuning from = result_.best;
    const int present = from.*parameter.member;
    const bool one_minimum = parameter.member == &Tuning::generations;
    const auto walk = [&](const std::vector<int>& values) {
      for (const int value : values) {
        if (over()) return;
        Tuning tuning = from;
        tuning.*parameter.member = value;
        if (tried(tuning)) continue;
        const Candidate::Kind kind = evaluate(tuning).kind;
        if (kind == Candidate::Kind::not_taken) pair_up(tuning, parameter);
        if (kind == Candidate::Kind::hopeless && one_minimum) return;
      }
    };
    std::vector<int> below, above;
    for (const int value : parameter.candidates) (value < present ? below : above).push_back(value);
    std::reverse(below.begin(), below.end());
    walk(above);
    walk(below);
  }

  // What is not taken as it is may be taken together with another value of one more parameter.
  void pair_up(const Tuning& refused, const TuningParameter& changed) {
    for (const TuningParameter& parameter : kernel_.info.parameters) {
      if (parameter.member == changed.member) continue;
      for (const int value : parameter.candidates) {
        if (over()) return;
        Tuning tuning = refused;
        tuning.*parameter.member = value;
        if (!tried(tuning) && evaluate(tuning).kind != Candidate::Kind::not_taken) return;
      }
    }
  }

  bool tried(const Tuning& tuning) const {
    return std::any_of(result_.candidates.begin(), result_.candidates.end(),
                       [&](const Candidate& c) { return c.tuning == tuning; });
  }

  const Candidate& evaluate(const Tuning& tuning) {
    Candidate candidate;
    candidate.tuning = tuning;
    try {
      judge(candidate);
    } catch (
        const InputError& error) {  // values that exclude each other, or more than the device has
      candidate.kind = Candidate::Kind::not_taken;
      candidate.why = error.what();
    } catch (const MemoryLimitError& error) {
      candidate.kind = Candidate::Kind::not_taken;
      candidate.why = error.what();
    } catch (const DeviceError& error) {
      candidate.kind = Candidate::Kind::failed;
      candidate.why = error.what();
    }
    if (candidate.kind == Candidate::Kind::timed &&
        candidate.cells_per_second.median > kGain * result_.best_speed) {
      result_.best = tuning;
      result_.best_speed = candidate.cells_per_second.median;
    }
    result_.candidates.push_back(std::move(candidate));
    if (progress_ && !progress_(result_)) stopped_ = true;
    return result_.candidates.back();
  }

  void judge(Candidate& candidate) {
    const Check check = check_candidate(kernel_, candidate.tuning, rule_, kSoup);
    if (!check.difference.empty()) {
      candidate.kind = Candidate::Kind::refused;
      candidate.why = check.difference;
      return;
    }
    const std::unique_ptr<StepBackend> backend = kernel_.create(spec_, candidate.tuning);
    backend->fill(kSoup);
    const std::int64_t generations = generations_within(*backend, plan_.run_seconds, 0, clock_);
    const double cells = static_cast<double>(generations) * static_cast<double>(spec_.width) *
                         static_cast<double>(spec_.height);
    TimingPlan timing{1, plan_.repeats, 0};
    if (result_.best_speed > 0)
      timing.hopeless_seconds = plan_.hopeless * cells / result_.best_speed;
    const Timing took = time_runs(timed_steps(*backend, generations), timing, clock_);
    candidate.cells_per_second = inverse(took.seconds(), cells);
    if (took.hopeless) candidate.kind = Candidate::Kind::hopeless;
  }

  bool over() {
    const bool late = clock_.now() - began_ > plan_.max_seconds;
    if (late || stopped_) result_.whole = false;
    return late || stopped_;
  }

  const Kernel& kernel_;
  const RuleSpec& rule_;
  const TunerPlan& plan_;
  const Clock& clock_;
  const std::function<bool(const TunerResult&)>& progress_;
  BackendSpec spec_;
  double began_;
  bool stopped_ = false;
  TunerResult result_;
};

}  // namespace

TunerResult tune_kernel(const Kernel& kernel, const RuleSpec& rule, const TunerPlan& plan,
                        const Clock& clock,
                        const std::function<bool(const TunerResult&)>& progress) {
  return Search(kernel, rule, plan, clock, progress).run();
}

}  // namespace tessera
