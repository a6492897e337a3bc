#pragma once

#include <algorithm>

namespace tessera {

/// What moves of tiles between the host and a device cost, and what the device is expected to take
/// for its steps, in seconds.
struct MoveCosts {
  /// The first use of a device: it is opened. One H100: 0.3 s, and 1.2 s more where the kernels for
  /// the rule have never been compiled.
  double opening = 0.5;
  double move = 10e-3;  ///< of tiles to an open device, or back
  double tile = 1e-6;   ///< and what each tile adds
  /// A step there, however few tiles it visits. This and the next are an H100's under CUDA: how
  /// much slower or faster a device is in truth, TileMove learns while it steps.
  double device_step = 7e-6;
  double device_visit = 1.2e-9;  ///< and what each visited tile adds
  double home_visit = -1;        ///< what one takes at home; negative: that is measured
};

/// When tiles should move from the host to a device, or back: as soon as staying has cost as much
/// more than being there as the move costs (the rule of who rents skis until he has paid their
/// price: whatever follows, no more than about twice the necessary time is lost), and what is left
/// to do would repay the move twice. What nobody has announced is taken to be as much as was done.
class TileMove {
 public:
  explicit TileMove(const MoveCosts& costs = {}) : costs_(costs) {}

  /// Some steps were taken, on the device or not, which visited tiles so often between them, with
  /// so many tiles in memory.
  struct Passed {
    bool on_device = false;
    bool open = false;  ///< the device was opened already
    double steps = 0, seconds = 0;
    double visits = 0, tiles = 0;
  };
  void add(const Passed& passed) {
    if (passed.steps <= 0) return;
    // Most visits are of large worklists: those tell what a visit at home takes.
    if (!passed.on_device) home_seconds_ += passed.seconds, home_visits_ += passed.visits;
    const double home = passed.visits * home_visit();
    const double expected = passed.steps * costs_.device_step + passed.visits * costs_.device_visit;
    if (passed.on_device) device_seconds_ += passed.seconds, device_expected_ += expected;
    const double there = expected * slowness();
    // What the device really took counts where it is known.
    const double loss = passed.on_device ? passed.seconds - home : passed.seconds - there;
    cost_ = passed.open ? costs_.move + passed.tiles * costs_.tile : costs_.opening;
    regret_ = std::max(0.0, regret_ + loss);
    loss_per_step_ = loss / passed.steps;
    steps_ += passed.steps;
  }

  /// With so many steps to come, as far as anybody knows.
  bool due(double steps) const {
    return regret_ > cost_ && loss_per_step_ * std::max(steps, steps_) > 2 * cost_;
  }
  void done() { regret_ = 0; }

 private:
  // What this device takes of the time that was expected, once it has shown that.
  double slowness() const {
    return device_expected_ > kShown ? device_seconds_ / device_expected_ : 1;
  }
  double home_visit() const {
    if (costs_.home_visit >= 0) return costs_.home_visit;
    return home_visits_ > 0 ? home_seconds_ / home_visits_ : 0;
  }

  MoveCosts costs_;
  static constexpr double kShown = 5e-3;  // seconds of expected work
  double home_seconds_ = 0, home_visits_ = 0;
  double device_seconds_ = 0, device_expected_ = 0;
  double cost_ = 0, regret_ = 0, loss_per_step_ = 0;
  double steps_ = 0;
};

}  // namespace tessera
