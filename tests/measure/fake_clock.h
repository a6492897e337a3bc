#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/measure/clock.h"
#include "tests/support/fake_backend.h"

namespace tessera::test {

/// A clock that stands still unless it is moved.
class FakeClock final : public Clock {
 public:
  double now() const override { return now_; }
  void pass(double seconds) { now_ += seconds; }

 private:
  double now_ = 1000;
};

/// A backend without cells that takes an invented time for every call of step: `fixed` seconds and
/// `each` per generation, times `factors[i]` in the i-th call, as far as there are factors.
class TimedBackend final : public StepBackend {
 public:
  struct Pace {
    double fixed = 0;
    double each = 1;
    std::vector<double> factors;
    std::optional<double> device_share;  ///< of the time that the device's own clock counts
    int launch = 1;
  };

  TimedBackend(FakeClock& clock, Pace pace)
      : StepBackend({64, 64, Boundary::torus, kLife, 0}, info(pace)),
        clock_(clock),
        pace_(std::move(pace)) {}

  const std::vector<std::int64_t>& calls() const { return calls_; }

 private:
  static BackendInfo info(const Pace& pace) {
    BackendInfo out{"fake", "none", "timed", {}};
    out.tuning.generations = pace.launch;
    return out;
  }
  void do_upload(const CellGrid&) override {}
  void do_step(std::int64_t generations) override {
    const double factor = calls_.size() < pace_.factors.size() ? pace_.factors[calls_.size()] : 1;
    const double seconds = factor * (pace_.fixed + pace_.each * static_cast<double>(generations));
    clock_.pass(seconds);
    if (pace_.device_share) device_ += seconds * *pace_.device_share;
    calls_.push_back(generations);
  }
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override { return {rect.width, rect.height}; }
  void do_edit(const Cell&, const CellGrid&) override {}
  void do_view(const Rect&, std::int64_t, CellCounts&) override {}
  Survey do_survey(const Rect&, SurveyParts, std::int64_t, std::int64_t) override { return {}; }
  std::optional<double> do_device_seconds() override {
    return pace_.device_share ? std::optional(device_) : std::nullopt;
  }

  FakeClock& clock_;
  Pace pace_;
  double device_ = 0;
  std::vector<std::int64_t> calls_;
};

}  // namespace tessera::test
